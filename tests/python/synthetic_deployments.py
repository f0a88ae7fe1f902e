"""Sixty synthetic deployments of which it is known whether a setting should be recommended.

A deployment is a server with its clients' networks, the sizes it serves, and a candidate setting.
`captured` draws its traffic from a seed as a capture of known paths. `truth` replays the traffic of
200 other seeds under both settings and pools all transfers: it needs no interval.

Twenty are better without harm: at least 10 % faster, and within every limit in each size class and
network with `FEWEST` transfers. Twenty harm a size class or a network, or lose packets, by at
least 1.5 times the limit. Most of those gain over all transfers, so the gain does not decide.
"""

import dataclasses
import json
import pathlib
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import polars as pl

from flowstart.captures.contents import Capture, PathEstimate, RemoteNetwork
from flowstart.captures.frames import all_columns
from flowstart.model.variants import Variant
from flowstart.replays.paths import build
from flowstart.replays.runner import TOGETHER, Runner
from flowstart.replays.settings import Settings

Harm = Literal["class", "network", "loss"]

CURRENT = "current: startup=hystart cc=cubic"
"""The baseline: Linux as it comes, with CUBIC, HyStart and an initial window of 10."""
IW20 = "iw20: startup=hystart cc=cubic iw=20pkt"
IW30 = "iw30: startup=hystart cc=cubic iw=30pkt"
IW60 = "iw60: startup=hystart cc=cubic iw=60pkt"
NO_HYSTART = "no-hystart: startup=slow-start cc=cubic"
BBR = "bbr: cc=bbr"
JUMP_START = "jump-start: startup=jump-start cc=cubic"

FEWEST = 30
"""Transfers that a size class or a network needs to be judged by itself."""
TRUTH_SEEDS = range(1001, 1201)
MOST_HARMED, MOST_LOSS = 0.05, (0.01, 1.5)
"""The limits in the issue: the share harmed; and loss, more by so much or so many times."""
MOST_P99 = 0.25
"""And how much later p99 may be."""
HARMED = 1.1
"""A transfer is harmed if it takes more than so many times as long as under the baseline."""
CLASSES = (0, 10_000, 100_000, 1_000_000, 10_000_000)


@dataclass(frozen=True)
class Net:
    """A network of clients behind one bottleneck."""

    rate_mbps: float
    rtt_ms: float
    buffer_pkts: int
    connections: int
    """How many of the deployment's connections go there."""


@dataclass(frozen=True)
class Deployment:
    """A server, its traffic, and a candidate setting."""

    name: str
    candidate: str
    nets: tuple[Net, ...]
    sizes: tuple[tuple[float, float, float], ...]
    """Weights of ranges of sizes in kB, in each of which logarithms are uniform."""
    harm: Harm | None = None
    """What is wrong with the candidate; None where it is better without harm."""
    baseline: str = CURRENT
    seconds: float = 400.0
    """In which all connections open."""
    impairments: dict[str, Any] = field(default_factory=dict)

    @property
    def settings(self) -> Settings:
        """How its replay is set up."""
        compared = (Variant.parse(self.baseline), Variant.parse(self.candidate))
        return Settings(
            variants=compared,
            baseline=compared[0].name,
            impairments=dict(self.impairments),
            ignore=frozenset({"page"}),  # connections open at their times
        )


def captured(deployment: Deployment, *seeds: int, share: float = 1.0) -> Capture:
    """The traffic that seeds draw, as a capture from which all paths are known.

    Networks of different seeds are different ones. A `share` of the connections comes in the same
    share of the time.
    """
    connections: list[dict[str, Any]] = []
    transfers: list[tuple[Any, ...]] = []
    groups = []
    for seed in seeds:
        random_ = random.Random(f"{deployment.name}/{seed}")
        for number, net in enumerate(deployment.nets):
            network = f"10.{number}.0.0/24" + (f" {seed}" if len(seeds) > 1 else "")
            for _ in range(round(share * net.connections)):
                stream = len(connections)
                start = random_.uniform(0, share * deployment.seconds)
                connections.append(_connection(stream, network, start, net, random_))
                transfers += _transfers(stream, start, deployment, net, random_)
            groups.append(_group(network, net))
    columns = pl.DataFrame(transfers, orient="row", schema=TRANSFER).sort("start")
    about: dict[str, Any] = {"format": "made up", "link_types": [], "packets": 0, "unreadable": 0}
    return Capture(
        files=(deployment.name,),
        connections=all_columns(
            pl.DataFrame(connections, schema_overrides={"s2c_bytes": pl.UInt64})
        ),
        transfers=columns,
        groups=groups,
        about=about,
        warnings=[],
        notes=[],
    )


def recorded(deployment: Deployment, *seeds: int) -> Capture:
    """The same with the times that transfers took under the baseline, as a capture shows them."""
    capture, settings = captured(deployment, *seeds), deployment.settings.as_recorded()
    runner = Runner(capture, settings)
    rows = pl.concat(list(runner.run(build(capture, settings, {}), TOGETHER))).sort("transfer")
    lasts_s = rows["acked_s"] - rows["sent_s"]
    transfers = capture.transfers.with_columns(end_s=lasts_s, acked_s=lasts_s)
    return dataclasses.replace(capture, transfers=transfers)


TRANSFER = {
    "connection": pl.UInt32,
    "direction": pl.String,
    "start": pl.Float64,
    "bytes": pl.UInt64,
    "end_s": pl.Float64,
    "acked_s": pl.Float64,
}
MOST_TRANSFERS, PAUSE_S = 3, 4.0
"""A connection has one to so many transfers, with about such pauses between."""


def _connection(
    stream: int, network: str, start: float, net: Net, random_: random.Random
) -> dict[str, Any]:
    return {
        "stream": stream,
        "file": "made up",
        "start": start,
        "end_s": 0.0,
        "client_ip": network.replace("0/24", str(random_.randrange(1, 255))),
        "network": network,
        # The access adds to the path's least round trip.
        "rtt_s": net.rtt_ms / 1000 * (1 if stream % 5 == 0 else random_.uniform(1.0, 1.3)),
        "s2c_bytes": 0,
        "ip_version": 4,
        "handshake": "complete",
        "opener": "remote",
        "flags": "",
        "copies": 0,
    }


def _transfers(
    stream: int, start: float, deployment: Deployment, net: Net, random_: random.Random
) -> Iterator[tuple[Any, ...]]:
    weights = [weight for weight, *_ in deployment.sizes]
    for _ in range(random_.randint(1, MOST_TRANSFERS)):
        [(_, least, most)] = random_.choices(deployment.sizes, weights)
        size = round(1000 * least * (most / least) ** random_.random())
        yield stream, "s2c", start, size, 0.0, None
        transmission_s = 8e-6 * size / net.rate_mbps
        start += transmission_s + random_.expovariate(1 / PAUSE_S) + 10 * net.rtt_ms / 1000


def _group(network: str, net: Net) -> RemoteNetwork:
    way = PathEstimate(
        bytes=1,
        data_packets=0,
        retransmitted_packets=0,
        rate_bps=1e6 * net.rate_mbps,
        rate_method="known",
        queueing_s=None,
        buffer_packets=net.buffer_pkts,
        buffer_at_least=False,
        buffer_method="known",
    )
    return RemoteNetwork(network, net.connections, net.rtt_ms / 1000, way, way)


@dataclass(frozen=True)
class Truth:
    """What the candidate does to the traffic of all seeds of `TRUTH_SEEDS`."""

    gain: float
    """The geometric mean of completion times over those under the baseline, less one."""
    groups: dict[str, dict[str, float]]
    """For each size class and network with `FEWEST` transfers in a capture: each quantity that has
    a limit, in units of its limit."""

    @property
    def worst(self) -> tuple[str, str, float]:
        """The group and the quantity that exceed their limit most, and by how many times."""
        found = [(g, what, by) for g, one in self.groups.items() for what, by in one.items()]
        return max(found, key=lambda three: three[2])

    def beyond(self, deployment: Deployment) -> float:
        """The share of connections in networks that exceed a limit by a tenth or more."""
        names = [f"10.{number}.0.0/24" for number in range(len(deployment.nets))]
        counts = [net.connections for net in deployment.nets]
        exceeding = sum(
            count
            for name, count in zip(names, counts, strict=True)
            if name in self.groups and max(self.groups[name].values()) > 1.1
        )
        return exceeding / sum(counts)


TRUTH_SHARE = 0.25
"""Of a capture's connections that each seed of the truth draws, which bounds its time."""


def truth(deployment: Deployment, seeds: Sequence[int] = TRUTH_SEEDS) -> Truth:
    """What is known of a deployment from the traffic of other seeds."""
    whole = _both(deployment, seeds)
    ratios = np.log((whole["new_s"] / whole["old_s"]).to_numpy())
    fewest = FEWEST * TRUTH_SHARE * len(seeds)
    groups = {}
    for column in ("size_class", "network"):
        for (name,), part in whole.partition_by(column, as_dict=True).items():
            if part.height >= fewest:
                groups[str(name)] = _judged(part)
    return Truth(float(np.expm1(ratios.mean())), groups)


def _both(deployment: Deployment, seeds: Sequence[int]) -> pl.DataFrame:
    """One row for each transfer of the seeds: its time and packets under both settings."""
    settings = deployment.settings
    capture = captured(deployment, *seeds, share=TRUTH_SHARE)
    runner = Runner(capture, settings)
    rows = pl.concat(list(runner.run(build(capture, settings, {}), TOGETHER)))
    columns = ("fct_s", "packets_sent", "packets_dropped", "packets_retransmitted")
    base, candidate = (
        rows.filter(variant=variant.name).select("transfer", "network", "size_bytes", *columns)
        for variant in settings.compared
    )
    both = base.join(candidate, on="transfer", suffix="_new")
    classes = sum((pl.col("size_bytes") >= least).cast(pl.Int64) for least in CLASSES[1:])
    return both.select(
        pl.col("network").str.split(" ").list.first(),
        pl.format("class {}", classes).alias("size_class"),
        old_s=pl.col("fct_s").fill_null(float("inf")),
        new_s=pl.col("fct_s_new").fill_null(float("inf")),
        sent="packets_sent",
        lost="packets_dropped",
        repeated="packets_retransmitted",
        sent_new="packets_sent_new",
        lost_new="packets_dropped_new",
        repeated_new="packets_retransmitted_new",
    )


def _judged(part: pl.DataFrame) -> dict[str, float]:
    """Each quantity of a group over its limit; 1 is at the limit."""
    late = float((part["new_s"] > HARMED * part["old_s"]).mean())  # type: ignore[arg-type]
    old, new = (float(np.quantile(part[name].to_numpy(), 0.99)) for name in ("old_s", "new_s"))
    found = {"harm": late / MOST_HARMED, "p99": (new / old - 1) / MOST_P99}
    for what in ("lost", "repeated"):
        before = float(part[what].sum()) / float(part["sent"].sum())
        after = float(part[f"{what}_new"].sum()) / float(part["sent_new"].sum())
        more, times = MOST_LOSS
        allowed = max(before + more, times * before)
        found[what] = after / allowed
    return found


def _nets(connections: int, *kinds: tuple[float, float, int]) -> tuple[Net, ...]:
    return tuple(Net(rate, rtt, buffer, connections) for rate, rtt, buffer in kinds)


WEB = ((0.3, 2, 9), (0.5, 12, 90), (0.2, 110, 400))
PAGES = ((0.4, 5, 30), (0.6, 40, 200))
MEDIUM = ((0.3, 20, 90), (0.7, 150, 600))
LARGE = ((1.0, 200, 900),)
FIBRE = ((50, 40, 250), (100, 30, 300), (100, 80, 700), (200, 60, 1000))
CABLE = ((20, 60, 150), (30, 50, 200), (40, 40, 200), (20, 100, 200))
CELLS = ((10, 60, 150), (8, 80, 150), (20, 100, 200), (30, 50, 200))
NARROW = ((20, 60, 50), (10, 50, 40), (20, 80, 60), (10, 100, 60))
SHALLOW = ((20, 60, 12), (10, 50, 12), (20, 80, 15), (10, 100, 15))
DEEP = ((20, 60, 400), (10, 50, 300), (20, 80, 500), (10, 100, 400))
FAR = ((20, 600, 1200), (10, 550, 600))
TEN = tuple((20.0 + 10 * k, 30.0 + 15 * k, 200 + 50 * k) for k in range(10))
OLD = "old: startup=hystart cc=cubic iw=4pkt"
PLAIN = "plain: startup=slow-start cc=cubic"
PACED = "paced: startup=hystart cc=cubic pacing=internal"
HYSTART_PP = "hystart++: startup=hystart-plus-plus cc=cubic"

BETTER = (
    Deployment("fibre-20", IW20, _nets(45, *FIBRE), WEB),
    Deployment("fibre-30", IW30, _nets(45, *FIBRE), WEB),
    Deployment("fibre-60", IW60, _nets(45, *FIBRE), PAGES),
    Deployment("fibre-busy", IW30, _nets(80, *FIBRE), WEB, seconds=60),
    Deployment("cable-20", IW20, _nets(45, *CABLE), WEB),
    Deployment("cable-30", IW30, _nets(45, *CABLE), WEB),
    Deployment("cable-pages", IW30, _nets(45, *CABLE), PAGES),
    Deployment("cable-medium", IW30, _nets(45, *CABLE), MEDIUM),
    Deployment("cells-20", IW20, _nets(45, *CELLS), WEB, impairments={"jitter": "2ms"}),
    Deployment("cells-30", IW30, _nets(45, *CELLS), WEB),
    Deployment("cells-busy", IW30, _nets(45, *CELLS), WEB, seconds=120),
    Deployment("ten-networks-20", IW20, _nets(18, *TEN), WEB),
    Deployment("ten-networks-30", IW30, _nets(18, *TEN), WEB),
    Deployment("ten-networks-pages", IW60, _nets(18, *TEN), PAGES),
    Deployment("far-30", IW30, _nets(90, *FAR), WEB),
    Deployment("one-network", IW30, _nets(180, (50, 60, 300)), WEB),
    Deployment("four-to-ten", CURRENT, _nets(45, *NARROW), WEB, baseline=OLD),
    Deployment("four-to-ten-pages", CURRENT, _nets(45, *CABLE), PAGES, baseline=OLD),
    Deployment("deep-large", IW60, _nets(45, *DEEP), LARGE),
    Deployment("uneven", IW30, (*_nets(70, *FIBRE[:2]), *_nets(20, *CABLE)), WEB),
)
"""Where the candidate is better without harm."""
SLOW, SLOWER = Net(3, 50, 20, 25), Net(1, 80, 12, 25)
HARMFUL = (
    Deployment("class-jump-web", JUMP_START, _nets(45, *FIBRE), WEB, "class"),
    Deployment(
        "class-jump", JUMP_START, _nets(45, *CABLE), ((0.15, 2, 9), (0.85, 60, 400)), "class"
    ),
    Deployment("class-jump-pages", JUMP_START, _nets(45, *FIBRE), PAGES, "class"),
    Deployment("class-paced", PACED, _nets(45, *SHALLOW), MEDIUM, "class"),
    Deployment("class-bbr", BBR, _nets(45, *DEEP), MEDIUM, "class"),
    Deployment("class-bbr-shallow", BBR, _nets(45, *SHALLOW), MEDIUM, "class"),
    Deployment("class-iw60", IW60, _nets(45, *NARROW), WEB, "class"),
    Deployment("net-mild", IW30, (*_nets(40, *FIBRE), Net(5, 50, 23, 25)), WEB, "network"),
    Deployment("net-slower-30", IW30, (*_nets(40, *FIBRE), SLOWER), WEB, "network"),
    Deployment("net-slow-60", IW60, (*_nets(40, *FIBRE), SLOW), PAGES, "network"),
    Deployment("net-slower-20", IW20, (*_nets(40, *CABLE), SLOWER), WEB, "network"),
    Deployment("net-cells", IW30, (*_nets(40, *CELLS), SLOWER), WEB, "network"),
    Deployment("net-many", IW30, (*_nets(18, *TEN), SLOW), WEB, "network"),
    Deployment(
        "net-ten",
        OLD.replace("old", "ten").replace("4pkt", "16pkt"),
        (*_nets(40, *FIBRE), Net(0.5, 100, 8, 25)),
        WEB,
        "network",
        baseline=OLD,
    ),
    Deployment("loss-plain", PLAIN, _nets(45, *NARROW), ((0.3, 20, 90), (0.7, 150, 900)), "loss"),
    Deployment("loss-jump", JUMP_START, _nets(45, *NARROW), LARGE, "loss"),
    Deployment("loss-jump-large", JUMP_START, _nets(45, *FIBRE), ((1.0, 900, 2000),), "loss"),
    Deployment(
        "loss-hystart++", HYSTART_PP, _nets(45, *NARROW), ((0.3, 20, 90), (0.7, 150, 900)), "loss"
    ),
    Deployment("loss-iw60", IW60, _nets(45, *NARROW), ((1.0, 40, 300),), "loss"),
    Deployment("loss-one", IW60, (*_nets(40, *FIBRE), Net(5, 60, 30, 30)), PAGES, "loss"),
)
"""Where it harms a size class or a network, or loses packets."""
ALL = (*BETTER, *HARMFUL)


def _many(kinds: Sequence[tuple[float, float, int]], worse: Sequence[Net] = ()) -> tuple[Net, ...]:
    """Two hundred networks of these kinds, each a little different, and a few that are worse."""
    found = []
    for number in range(200 - len(worse)):
        rate, rtt, buffer = kinds[number % len(kinds)]
        factor = 0.8 + 0.4 * (number % 17) / 16
        found.append(Net(rate * factor, rtt / factor, buffer, 20))
    return (*found, *worse)


BAD = Net(1, 80, 12, 20)
MANY = (
    Deployment("many-fibre-20", IW20, _many(FIBRE), WEB),
    Deployment("many-fibre-30", IW30, _many(FIBRE), WEB),
    Deployment("many-cable-20", IW20, _many(CABLE), WEB),
    Deployment("many-cable-30", IW30, _many(CABLE), WEB),
    Deployment("many-pages", IW30, _many(CABLE), PAGES),
    Deployment("many-cells", IW20, _many(CELLS), WEB),
    Deployment("many-mixed", IW30, _many((*FIBRE, *CABLE, *CELLS)), WEB),
    Deployment("many-ten", IW20, _many(TEN), WEB),
    Deployment("many-three-bad", IW20, _many(FIBRE, [BAD] * 3), WEB),
    Deployment("many-one-bad", IW30, _many((*FIBRE, *CABLE), [BAD]), WEB),
)
"""Where the candidate is better in networks with at least 95 % of the traffic."""
MANY_HARMFUL = (
    Deployment("many-tenth-bad", IW30, _many(FIBRE, [BAD] * 20), WEB, "network"),
    Deployment("many-fifth-bad", IW20, _many(CABLE, [BAD] * 40), WEB, "network"),
)
"""Where a tenth or a fifth of the networks is harmed."""

Distortion = Literal["written", "backend", "milliseconds", "seconds", "idle"]


@dataclass(frozen=True)
class WrongLog:
    """A server's log whose durations are not what their column claims."""

    deployment: Deployment
    distortion: Distortion
    """`written`: to the send buffer; `backend`: with 150 ms of another server; `milliseconds`:
    taken for seconds; `seconds`: rounded to these; `idle`: with the client's pauses."""

    @property
    def name(self) -> str:
        """That of its deployment and of what is wrong."""
        return f"{self.deployment.name}-{self.distortion}"

    def write(self, file: pathlib.Path) -> str:
        """Writes the rows, and returns the option that names their columns."""
        capture = recorded(self.deployment, 1)
        known = capture.connections.select(
            pl.col("stream").alias("connection"), "client_ip", "rtt_s"
        )
        random_ = random.Random(self.name)
        lines = []
        for row in capture.transfers.join(known, on="connection").iter_rows(named=True):
            if row["acked_s"] is None:
                continue
            lasts_s = _distorted(self.distortion, row["acked_s"], row["bytes"], random_)
            lines.append(
                json.dumps(
                    {
                        "start": 1.7e9 + row["start"],
                        "peer": row["client_ip"],
                        "connection": row["connection"],
                        "bytes": row["bytes"],
                        "rtt_us": round(1e6 * row["rtt_s"]),
                        "lasts": round(lasts_s, 3),
                    }
                )
            )
        file.write_text("\n".join(lines))
        return (
            "time=start:s,peer=peer,connection=connection,bytes=bytes,rtt=rtt_us:us,"
            "duration=lasts:s:acked"
        )


SEND_BUFFER = 87_380
"""Bytes of a response that wait in the kernel when a server takes it for sent."""


def _distorted(distortion: Distortion, lasts_s: float, size: int, random_: random.Random) -> float:
    if distortion == "written":
        return lasts_s * max(1 - SEND_BUFFER / size, 0.0)
    if distortion == "backend":
        return lasts_s + 0.15
    if distortion == "milliseconds":
        return lasts_s / 1000
    if distortion == "seconds":
        return float(round(lasts_s))
    return lasts_s * random_.lognormvariate(0.7, 1.0)


def _by_name(name: str) -> Deployment:
    return next(one for one in ALL if one.name == name)


DISTORTED: tuple[tuple[str, Distortion], ...] = (
    ("fibre-30", "written"),
    ("loss-iw60", "written"),
    ("net-slower-30", "written"),
    ("cable-30", "backend"),
    ("net-many", "backend"),
    ("fibre-20", "milliseconds"),
    ("net-cells", "milliseconds"),
    ("cells-30", "seconds"),
    ("loss-one", "seconds"),
    ("ten-networks-30", "idle"),
)
WRONG = tuple(WrongLog(_by_name(name), distortion) for name, distortion in DISTORTED)
"""What is recommended from these rests on rates that nobody has measured."""
