"""The slides' HTTP load with this machine's kernel as the server, compared with the simulator.

    python examples/testbeds/http_testbed.py -o out/http

Clients ask a real HTTP server for three objects of 1 GB, one after another and at the same time,
over 1G-1G and 10G-1G (interface, then narrowest link) at 180 ms. The objects, the queues, the
limit of limited slow start and both rates are scaled: the narrowest link has `--mbps`, the round
trip a quarter of the paper's so that a run takes a quarter of the time. Initial window (10 of
Linux instead of 3) and Reno's growth of one packet a round trip are not scaled. Reno is the
kernel's own, and the catalog's slow start before Reno's congestion control; limited slow start and
QS-app, which opens with the window of its interface, drive the kernel.
"""

import argparse
from dataclasses import dataclass
from typing import Any

from matplotlib.figure import Figure

import flowstart as fs
import testbed_parts as parts
from flowstart import text
from flowstart.comparison.live.rows import difference
from flowstart.comparison.live.tables import percent
from flowstart.render import files
from flowstart.render.grid import Column
from flowstart_papers.slow_start_high_speed import http, setups
from flowstart_papers.slow_start_high_speed.setups import LITERAL, Path
from testbed_parts import Row, Scale

RTT_SHARE = 0.25
"""Of the slides' round trip."""
QUEUE = int(LITERAL.queue.removesuffix("pkt"))
"""Packets that the slides' interface holds, as they are read literally."""
SCHEMES = {
    "Reno (kernel)": "slow-start",
    "Reno, driven": "slow-start",
    "LSS, driven": "limited-slow-start:max_ssthresh={limit}",
    "QS-app, driven": "qs-app:interface_rate={interface}bps,paced=false",
}
OWN = "Reno (kernel)"
"""The one that needs no startup of the catalog."""


@dataclass(frozen=True)
class Setting:
    """One of the slides' paths, scaled."""

    path: Path
    scale: Scale

    @classmethod
    def of(cls, path: Path, mbps: float) -> "Setting":
        """Its narrowest link has `mbps`."""
        rtt_ms = float(path.rtt.removesuffix("ms"))
        narrowest = min(path.interface, path.narrowest)
        return cls(path, Scale(narrowest, rtt_ms, mbps, RTT_SHARE * rtt_ms))

    @property
    def interface_bps(self) -> int:
        """The interface, as much faster than the narrowest link as the slides'."""
        return round(1e6 * self.scale.mbps * self.path.interface / self.path.narrowest)

    @property
    def object_pkts(self) -> int:
        """Packets of an object."""
        return self.scale.packets(setups.OBJECT_PACKETS)

    @property
    def queue(self) -> int:
        """Packets that the interface's queue holds."""
        return self.scale.packets(QUEUE)

    @property
    def limit(self) -> int:
        """`max_ssthresh`."""
        return self.scale.packets(LITERAL.max_ssthresh, least=2)

    def scenario(self, scheme: str, sessions: int, objects: int) -> dict[str, Any]:
        """So many sessions, each of so many objects one after another."""
        startup = SCHEMES[scheme].format(limit=self.limit, interface=self.interface_bps)
        far = f"{self.scale.rtt_ms / 2:g}ms"
        web = http.browse("Reno", self.path, sessions, objects)["web"][0]
        return {
            "path": {
                "hops": [
                    {
                        "rate": f"{self.interface_bps}bps",
                        "delay": "0s",
                        "buffer": f"{self.queue}pkt",
                    },
                    {"rate": f"{self.scale.mbps:g}Mbps", "delay": far, "buffer": LITERAL.buffer},
                ],
                "hosts": 1,
            },
            "web": [
                {
                    **web,
                    "startup": startup,
                    "cc": "reno",
                    "size": self.object_pkts,
                    "interval": f"{1e3 * RTT_SHARE:g}ms",
                }
            ],
        }

    def __str__(self) -> str:
        return (
            f"{self.path.name}: {self.scale}; interface {text.rate(self.interface_bps)} with "
            f"{self.queue} packets, objects of {self.object_pkts} packets, max_ssthresh "
            f"{self.limit}"
        )


def run(given: argparse.Namespace) -> None:
    """All cases, one after the other; what is done is on disk after each of them."""
    rows: list[Row] = []
    settings = [Setting.of(path, given.mbps) for path in http.PATHS]
    cases = [(s, way, scheme) for s in settings for way in http.WAYS for scheme in SCHEMES]
    for done, (setting, way, scheme) in enumerate(cases):
        kernel = "reno" if scheme == OWN else None
        scenario = setting.scenario(scheme, *http.WAYS[way])
        load = fs.live_load(scenario, kernel=kernel, repeat=given.repeat)
        if load.interrupted:
            raise KeyboardInterrupt
        rows.append(row(setting, way, scheme, load))
        print(f"{done + 1} of {len(cases)}: {setting.path.name}, {way}, {scheme}", flush=True)
        about = {"settings": [str(each) for each in settings], "repeat": given.repeat}
        parts.write(rows, given.out, "http", about)
        name = f"{setting.path.name} {way} {scheme}".replace(",", "").replace(" ", "-")
        document = {f"{name}.json": files.encoded(load.to_dict())}
        tables = files.columns(load.frame, name, "load-rows")
        for file, content in (document | tables).items():
            (given.out / file).write_bytes(content)
    show(rows, settings)
    parts.draw(drawn(rows), given.out, "http")


def row(setting: Setting, way: str, scheme: str, load: fs.LiveLoad) -> Row:
    """One case: mean and longest transaction, simulated and in the kernel's runs."""
    runs: dict[tuple[str, int], list[Row]] = {}
    for each in load.records:
        runs.setdefault((each["transport"], each["repeat"]), []).append(each)
    ours, *live = (measured(one) for one in runs.values())
    found: Row = {
        "path": setting.path.name,
        "objects": way,
        "scheme": scheme,
        "scale": setting.scale.share,
        "mbps": setting.scale.mbps,
        "rtt_ms": setting.scale.rtt_ms,
    }
    for name, value in ours.items():
        found |= {f"simulated_{name}": value, **parts.spread(name, [one[name] for one in live])}
    found["simulated_dropped"] = load.simulated_dropped
    found |= parts.spread("dropped", load.dropped)
    stalls = sum(outcome["stalls"] for outcome in load.outcomes)
    found |= parts.spread("late_s", [one["lateness"]["most_s"] for one in load.outcomes])
    return found | {"runs": len(live), "stalls": stalls, "failures": "; ".join(load.failures)}


def measured(requests: list[Row]) -> dict[str, float | None]:
    """What a run's clients saw; no mean where one of them did not get its object."""
    times = [each["fct_s"] for each in requests]
    done = [each["asked_s"] + each["fct_s"] for each in requests if each["fct_s"] is not None]
    whole = len(done) == len(times)
    return {
        "mean_s": sum(times) / len(times) if whole else None,
        "longest_s": max(times) if whole else None,
        "all_s": max(done) if whole else None,
        "retransmitted": sum(each["packets_retransmitted"] or 0 for each in requests),
    }


def show(rows: list[Row], settings: list[Setting]) -> None:
    """The table."""
    columns = [Column("scheme", number=False)]
    for name in ("mean", "longest"):
        columns += [Column(name), Column("in linux"), Column("difference")]
    columns += [Column("sent again"), Column("in linux"), Column("late")]
    cells: dict[str, list[list[str]]] = {}
    for row in rows:
        times = [
            cell
            for name in ("mean_s", "longest_s")
            for cell in (
                text.seconds(row[f"simulated_{name}"]),
                text.seconds(row[f"live_{name}"]),
                percent(difference(row[f"simulated_{name}"], row[f"live_{name}"])),
            )
        ]
        again = [text.count(row[f"{side}_retransmitted"]) for side in ("simulated", "live")]
        heading = f"{row['path']}, {row['objects']}"
        late = text.seconds(row["live_late_s"])
        cells.setdefault(heading, []).append([row["scheme"], *times, *again, late])
    parts.show("\n".join(str(each) for each in settings), columns, cells)
    stalls = sum(row["stalls"] for row in rows)
    print(
        f"late: the path, at most, in the run that is shown (the median of several). {stalls} "
        "runs were late by more than 2 ms and were run again, three times at most. Packets that "
        "wait for a late path enter its first queue at once."
    )


def drawn(rows: list[Row]) -> Figure:
    """Mean transaction times: simulated as bars, the kernel's as points."""
    return parts.bars(rows, "mean_s", "mean transaction time (s)", list(SCHEMES))


def main() -> None:
    """Reads the command line."""
    parts.main(run, parts.parser("The slides' HTTP load with a real kernel", 100).parse_args())


if __name__ == "__main__":
    main()
