"""What captures measure of senders, against simulated senders of which it is known.

A program: `python tests/python/sender_facts.py` simulates senders of three connections each,
captures them at their own and at their receivers' hosts, and prints for each fact how many
connections are right, unknown and wrong, and how many rates. All of a sender's draws are fixed by
its number. `--limited` draws senders and paths with other limits than window and line.
"""

import argparse
import collections
import math
import pathlib
import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

import flowstart as fs
from flowstart.captures import read_capture
from flowstart.captures.contents import Capture

CONNECTIONS = 3
FACTS = ("growth", "exit", "exit_window", "pacing", "idle_restart", "cc")
"""Facts of connections. The rate is one of all three."""
EXITS = {"loss": "loss", "ecn": "ecn-mark", None: None}
"""The simulator's reasons; others are `no-loss`."""
SIDES: tuple[Literal["sender", "receiver"], ...] = ("sender", "receiver")


@dataclass
class Sender:
    """A simulated sender, and what is known of it."""

    number: int
    kind: str
    bdp: int
    """Bandwidth-delay product in segments."""
    rtt_ms: int
    path: dict[str, Any]
    stack: dict[str, Any]
    flow: dict[str, Any]
    growth: float = 2.0
    """NaN: uneven."""
    pacing: float = 0.0
    """NaN: paced, but not by the window."""
    restart: str | None = None
    cc: str | None = "cubic"
    rate_mbps: float | None = None
    """What the path carries for long; None: the line's rate."""
    limited: bool = False
    """By its application or its buffer, which may hide how slow start ended."""

    @property
    def scenario(self) -> dict[str, Any]:
        """What is simulated."""
        flows = [self.flow]
        return {"path": self.path, "stack": self.stack, "flows": flows, "seed": self.number}


def _loss(_one: Sender, _: random.Random) -> None:
    """Slow start that ends by a loss, or with the data."""


def _model(one: Sender, draw: random.Random) -> None:
    one.flow["startup"] = draw.choice(("hystart", "hystart-plus-plus"))


def _ecn(one: Sender, _: random.Random) -> None:
    one.path |= {"queue": "codel:ecn=true", "buffer": f"{one.bdp * 20}pkt"}
    one.stack["ecn"] = "classic"


def _window(one: Sender, draw: random.Random) -> None:
    """The receiver's window is the limit."""
    one.stack["window"] = f"{draw.randint(20, one.bdp)}pkt"


def _short(one: Sender, draw: random.Random) -> None:
    """The data end before slow start does."""
    one.flow["size"] = f"{draw.randint(1, 15) * one.stack['iw']}pkt"


def _paced(one: Sender, draw: random.Random) -> None:
    one.stack |= {"preset": "linux", "pacing": "internal"}
    one.flow["startup"] = draw.choice(("slow-start", "hystart"))
    one.pacing = 2.0


def _per_ack(one: Sender, draw: random.Random) -> None:
    """The window grows by ACKs instead of bytes."""
    one.stack |= {"preset": "rfc", "ack_every": draw.choice((1, 2)), "ack_timer": "40ms"}
    one.flow["startup"] = "slow-start:growth=per-ack"
    one.growth = 2.0 if one.stack["ack_every"] == 1 else 1.5


def _idle(one: Sender, draw: random.Random) -> None:
    one.path["buffer"] = f"{one.bdp * 8}pkt"
    rule = one.stack["restart"] = draw.choice(("initial-window", "keep", "linux"))
    idle_s = draw.choice((2, 10))
    first, second = (n * one.stack["iw"] for n in (draw.randint(8, 20), draw.randint(30, 50)))
    del one.flow["size"]
    one.flow["writes"] = [
        {"size": f"{first}pkt", "at": "0s"},
        {"size": f"{second}pkt", "at": f"{idle_s + 12 * one.rtt_ms / 1e3:.2f}s"},
    ]
    # Linux halves the window for each RTO, which is a second at least by the RFCs.
    decays = rule == "linux" and one.stack["preset"] == "rfc" and idle_s < 4
    one.restart = "kept" if rule == "keep" else "decayed" if decays else "initial-window"


def _slow_application(one: Sender, draw: random.Random) -> None:
    """The application writes at its own rate."""
    del one.flow["size"]
    every_ms = one.rtt_ms * draw.uniform(0.05, 0.4)
    segments = max(1, int(one.bdp * every_ms / one.rtt_ms * draw.uniform(0.1, 0.7)))
    times = [f"{number * every_ms:.2f}ms" for number in range(100)]
    one.flow["writes"] = [{"size": f"{segments}pkt", "at": at} for at in times]


def _control(one: Sender, draw: random.Random) -> None:
    """A long transfer."""
    cc = draw.choice(("reno", "cubic", "vegas", "westwood", "bic", "high-speed"))
    one.flow |= {"cc": cc, "size": f"{one.bdp * 40}pkt"}
    one.cc = cc if cc in ("reno", "cubic") else None


def _jitter(one: Sender, draw: random.Random) -> None:
    mean_ms = one.rtt_ms * draw.choice((0.01, 0.03, 0.1))
    one.path |= {"jitter": f"exponential:mean={mean_ms:.2f}ms", "jitter_every": "1ms"}


def _bbr(one: Sender, _: random.Random) -> None:
    one.flow |= {"startup": "bbr-startup", "cc": "bbr"}
    one.growth = one.pacing = math.nan
    one.cc = None


KINDS: dict[str, Callable[[Sender, random.Random], None]] = {
    "loss": _loss,
    "model": _model,
    "ecn": _ecn,
    "window": _window,
    "short": _short,
    "paced": _paced,
    "per-ack": _per_ack,
    "idle": _idle,
    "application": _slow_application,
    "control": _control,
    "jitter": _jitter,
    "bbr": _bbr,
}
"""What is special about a sender."""


def _pacing_max(one: Sender, draw: random.Random) -> None:
    limit = float(one.path["rate"].removesuffix("Mbps")) * draw.uniform(0.15, 0.7)
    one.stack |= {"preset": "linux", "pacing": "internal", "pacing_max": f"{limit:.3f}Mbps"}
    one.pacing = math.nan


def _token_bucket(one: Sender, _: random.Random) -> None:
    one.stack |= {"preset": "linux", "pacing": "token-bucket"}
    one.pacing = math.nan


def _aggregation(one: Sender, draw: random.Random) -> None:
    one.path["aggregation"] = draw.choice(("2ms", "4ms", "exponential:mean=4ms"))


def _shaper(one: Sender, draw: random.Random) -> None:
    one.rate_mbps = float(one.path["rate"].removesuffix("Mbps")) * 0.4
    burst = f"{draw.randint(10, 60)}kB"
    one.path |= {"shaper_rate": f"{one.rate_mbps:.3f}Mbps", "shaper_burst": burst}


def _send_buffer(one: Sender, draw: random.Random) -> None:
    one.stack["send_buffer"] = f"{draw.randint(10, one.bdp) * 3 // 2 + 1}kB"
    one.limited = True


def _stretched(one: Sender, draw: random.Random) -> None:
    """ACKs are rare and drawn together."""
    one.stack |= {"ack_every": draw.choice((2, 4, 8)), "ack_timer": "40ms"}
    one.path |= {"ack_batch": draw.choice(("5ms", "10ms")), "ack_thinning": True}
    one.growth = math.nan


def _random_loss(one: Sender, draw: random.Random) -> None:
    one.path["loss"] = draw.choice(("0.2%", "1%"))


LIMITED: dict[str, Callable[[Sender, random.Random], None]] = {
    "pacing-max": _pacing_max,
    "token-bucket": _token_bucket,
    "wi-fi": _aggregation,
    "shaper": _shaper,
    "send-buffer": _send_buffer,
    "stretched": _stretched,
    "random-loss": _random_loss,
}
"""Limits other than the window and the line."""


def sender(number: int, kinds: Mapping[str, Callable[..., None]] = KINDS) -> Sender:
    """The sender of a number."""
    draw = random.Random(f"facts {number}")
    kind = list(kinds)[number % len(kinds)]
    rtt_ms, bdp = draw.choice((10, 20, 40, 80, 160)), draw.randint(30, 400)
    path = {
        "rtt": f"{rtt_ms}ms",
        "rate": f"{bdp * 1500 * 8 / (rtt_ms * 1e3):.3f}Mbps",
        "buffer": f"{int(bdp * draw.choice((0.25, 0.5, 1, 2))) + 10}pkt",
    }
    preset = draw.choice(("linux", "freebsd-14", "rfc"))
    stack = {"preset": preset, "iw": draw.choice((4, 10, 10, 16, 32))}
    flow = {"opener": "receiver", "count": CONNECTIONS, "stagger": "60s"}
    flow |= {"size": f"{bdp * 12}pkt", "startup": "slow-start", "cc": "cubic"}
    drawn = Sender(number, kind, bdp, rtt_ms, path, stack, flow)
    kinds[kind](drawn, draw)
    return drawn


def truth(simulated: Sender, flow: dict[str, Any]) -> dict[str, Any]:
    """What a connection of a sender did."""
    reason = flow["startup_exit_reason"]
    window = flow["startup_exit_flight_bytes"]
    exit_ = EXITS.get(reason, "no-loss")
    if exit_ is None and (limit := simulated.scenario["stack"].get("window")):
        exit_, window = "receiver-window", int(limit.removesuffix("pkt")) * 1448
    elif exit_ is None:
        exit_ = "hidden" if simulated.limited else "end-of-data"
    return {
        "growth": simulated.growth,
        "exit": exit_,
        "exit_window": window,
        "pacing": simulated.pacing,
        "idle_restart": simulated.restart,
        "cc": simulated.cc,
    }


def judge(fact: str, measured: Any, known: Any) -> str:
    """`right`, `unknown` or `wrong`."""
    if measured is None:
        return "unknown"
    if known is None:
        return "wrong"
    if fact == "exit" and known == "hidden":
        return "right" if measured in ("end-of-data", "receiver-window") else "wrong"
    if fact in ("exit", "idle_restart", "cc"):
        return "right" if measured == known else "wrong"
    if fact == "pacing" and (known == 0 or math.isnan(known)):
        return "right" if (measured > 0) == (known != 0) else "wrong"
    tolerance = {"growth": 0.1, "exit_window": 0.2, "pacing": 0.25}[fact]
    return "right" if abs(measured - known) <= tolerance * known else "wrong"


def judge_rate(simulated: Sender, capture: Capture) -> tuple[str, Any, Any]:
    """The verdict on the rate of the path, what was measured, and what is right."""
    line = float(simulated.path["rate"].removesuffix("Mbps"))
    known = 1e6 * (simulated.rate_mbps or line)
    (group,) = capture.groups
    path = max(group.ways, key=lambda way: way.bytes)
    bound = path.rate_low_bps
    if path.rate_bps is not None:
        verdict = "right" if abs(path.rate_bps / known - 1) <= 0.15 else "wrong"
        return verdict, path.rate_bps, known
    return "unknown" if bound is None or bound <= 1.1 * known else "wrong", bound, known


def measure(simulated: Sender, folder: pathlib.Path) -> Iterator[tuple[str, str, str, Any, Any]]:
    """For each end, fact and connection the verdict, what was measured, and what is right.

    What a connection does not show is left out if it is not measured.
    """
    run = fs.run(simulated.scenario, packets=range(CONNECTIONS))
    flows = run.frame.filter(pl.col("direction") == "forward").to_dicts()
    for side in SIDES:
        files = []
        for flow in range(CONNECTIONS):
            files.append(folder / f"{simulated.number}-{flow}.pcap")
            files[-1].write_bytes(run.pcap(flow, side))
        capture = read_capture(*files)
        yield side, "rate", *judge_rate(simulated, capture)
        rows = capture.connections.to_dicts()
        for row, flow_row in zip(rows, flows, strict=True):
            known = truth(simulated, flow_row)
            for fact in FACTS:
                measured, right = row[f"s2c_{fact}"], known[fact]
                uneven = fact == "growth" and math.isnan(right)
                if uneven or (measured is None and right is None):
                    continue
                yield side, fact, judge(fact, measured, right), measured, right


def main() -> int:
    """Prints the table, and each fact that is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--senders", type=int, default=240)
    parser.add_argument("--first", type=int, default=0, help="number of the first sender")
    parser.add_argument("--kinds", action="store_true", help="a line for each kind of sender also")
    parser.add_argument(
        "--limited", action="store_true", help="senders and paths with other limits"
    )
    options = parser.parse_args()
    kinds = LIMITED if options.limited else KINDS
    counts: dict[tuple[str, str, str], collections.Counter[str]] = collections.defaultdict(
        collections.Counter
    )
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.first, options.first + options.senders):
            one = sender(number, kinds)
            for side, fact, verdict, measured, right in measure(one, pathlib.Path(folder)):
                for kind in ("", one.kind) if options.kinds else ("",):
                    counts[fact, side, kind][verdict] += 1
                if verdict == "wrong":
                    print(f"at the {side}: {fact} {measured}, not {right}: {one.scenario}")
    for (fact, side, kind), verdicts in sorted(counts.items()):
        cells = "".join(f"{verdicts[v]:9}" for v in ("right", "unknown", "wrong"))
        print(f"{fact:14}{side:10}{kind:13}{cells}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
