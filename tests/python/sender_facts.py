"""What captures measure of senders, against simulated senders of which it is known.

A program: `python tests/python/sender_facts.py` simulates senders of three connections each,
captures them at their own and at their receivers' hosts, and prints for each fact how many senders
are right, unknown and wrong. All of a sender's draws are fixed by its number.
"""

import argparse
import collections
import math
import pathlib
import random
import sys
import tempfile
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

import flowstart as fs
from flowstart.captures import read_capture
from flowstart.captures.senders import senders

KINDS = (
    *("loss", "model", "ecn", "window", "short", "paced", "per-ack", "idle", "slow application"),
    *("control", "jitter", "bbr"),
)
"""What a sender shows: an exit by loss, without loss or by ECN; the receiver's window as the limit;
data that end before; pacing; growth by ACKs instead of bytes; idle time; an application that
writes at its own rate; a long transfer under a congestion control; jitter; BBR."""
CONNECTIONS = 3
FACTS = ("growth", "exit", "exit_window", "pacing", "idle_restart", "cc")
EXITS = {"loss": "loss", "ecn": "ecn-mark", None: None}
"""The simulator's reasons; others are `no-loss`."""
SIDES: tuple[Literal["sender", "receiver"], ...] = ("sender", "receiver")


@dataclass(frozen=True)
class Sender:
    """A simulated sender."""

    number: int
    kind: str
    scenario: dict[str, Any]
    growth: float
    pacing: float
    restart: str | None = None
    cc: str | None = None


def sender(number: int) -> Sender:
    """The sender of a number."""
    draw = random.Random(f"facts {number}")
    kind = KINDS[number % len(KINDS)]
    rtt_ms = draw.choice((10, 20, 40, 80, 160))
    # A bandwidth-delay product of 30 to 400 segments, a buffer of a quarter to twice as much.
    bdp = draw.randint(30, 400)
    rate_mbps = bdp * 1500 * 8 / (rtt_ms * 1e3)
    path: dict[str, Any] = {"rtt": f"{rtt_ms}ms", "rate": f"{rate_mbps:.3f}Mbps"}
    path["buffer"] = f"{int(bdp * draw.choice((0.25, 0.5, 1, 2))) + 10}pkt"
    preset = draw.choice(("linux", "freebsd-14", "rfc"))
    stack: dict[str, Any] = {"preset": preset, "iw": draw.choice((4, 10, 10, 16, 32))}
    flow: dict[str, Any] = {"opener": "receiver", "count": CONNECTIONS, "stagger": "60s"}
    flow |= {"size": f"{bdp * 12}pkt", "startup": "slow-start", "cc": "cubic"}
    truth: dict[str, Any] = {"growth": 2.0, "pacing": 0.0}
    if kind == "model":
        flow["startup"] = draw.choice(("hystart", "hystart-plus-plus"))
    elif kind == "ecn":
        path |= {"queue": "codel:ecn=true", "buffer": f"{bdp * 20}pkt"}
        stack["ecn"] = "classic"
    elif kind == "window":
        stack["window"] = f"{draw.randint(20, bdp)}pkt"
    elif kind == "short":
        flow["size"] = f"{draw.randint(1, 15) * stack['iw']}pkt"
    elif kind == "paced":
        stack |= {"preset": "linux", "pacing": "internal"}
        flow["startup"] = draw.choice(("slow-start", "hystart"))
        truth["pacing"] = 2.0
    elif kind == "per-ack":
        stack |= {"preset": "rfc", "ack_every": draw.choice((1, 2)), "ack_timer": "40ms"}
        flow["startup"] = "slow-start:growth=per-ack"
        truth["growth"] = 2.0 if stack["ack_every"] == 1 else 1.5
    elif kind == "idle":
        path["buffer"] = f"{bdp * 8}pkt"
        stack["restart"] = draw.choice(("initial-window", "keep", "linux"))
        idle_s = draw.choice((2, 10))
        grown, size = draw.randint(8, 20), draw.randint(30, 50)
        del flow["size"]
        flow["writes"] = [
            {"size": f"{grown * stack['iw']}pkt", "at": "0s"},
            {"size": f"{size * stack['iw']}pkt", "at": f"{idle_s + 12 * rtt_ms / 1e3:.2f}s"},
        ]
        # Linux halves the window for each RTO, which is a second at least by the RFCs.
        decays = stack["restart"] == "linux" and preset == "rfc" and idle_s < 4
        restarts = {"keep": "kept", "linux": "decayed" if decays else "initial-window"}
        truth["restart"] = restarts.get(stack["restart"], "initial-window")
    elif kind == "slow application":
        del flow["size"]
        every_ms = rtt_ms * draw.uniform(0.05, 0.4)
        segments = max(1, int(bdp * every_ms / rtt_ms * draw.uniform(0.1, 0.7)))
        flow["writes"] = [
            {"size": f"{segments}pkt", "at": f"{number * every_ms:.2f}ms"} for number in range(100)
        ]
    elif kind == "control":
        flow["cc"] = draw.choice(("reno", "cubic", "vegas", "westwood", "bic", "high-speed"))
        flow["size"] = f"{bdp * 40}pkt"
        truth["cc"] = flow["cc"] if flow["cc"] in ("reno", "cubic") else None
    elif kind == "jitter":
        path["jitter"] = f"exponential:mean={rtt_ms * draw.choice((0.01, 0.03, 0.1)):.2f}ms"
        path["jitter_every"] = "1ms"
    elif kind == "bbr":
        flow |= {"startup": "bbr-startup", "cc": "bbr"}
        truth |= {"pacing": math.nan, "growth": math.nan}  # by a rate, not by the window
    if kind not in ("control", "bbr"):
        truth["cc"] = flow["cc"]
    scenario = {"path": path, "stack": stack, "flows": [flow], "seed": number}
    return Sender(number, kind, scenario, **truth)


def truth(simulated: Sender, flow: dict[str, Any]) -> dict[str, Any]:
    """What a connection of a sender did."""
    reason = flow["startup_exit_reason"]
    window = flow["startup_exit_flight_bytes"]
    exit_ = EXITS.get(reason, "no-loss")
    if exit_ is None and (limit := simulated.scenario["stack"].get("window")):
        exit_, window = "receiver-window", int(limit.removesuffix("pkt")) * 1448
    elif exit_ is None:
        exit_ = "end-of-data"
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
    if fact == "growth" and math.isnan(known):
        return "unknown"
    if fact in ("exit", "idle_restart", "cc"):
        return "right" if measured == known else "wrong"
    if fact == "pacing" and (known == 0 or math.isnan(known)):
        return "right" if (measured > 0) == (known != 0) else "wrong"
    tolerance = {"growth": 0.1, "exit_window": 0.2, "pacing": 0.25}[fact]
    return "right" if abs(measured - known) <= tolerance * known else "wrong"


def measure(simulated: Sender, folder: pathlib.Path) -> list[tuple[str, str, str, Any, Any]]:
    """For each end, fact and connection the verdict, what was measured, and the truth."""
    run = fs.run(simulated.scenario, packets=range(CONNECTIONS))
    flows = run.frame.filter(pl.col("direction") == "forward").to_dicts()
    verdicts = []
    for side in SIDES:
        files = []
        for flow in range(CONNECTIONS):
            files.append(folder / f"{simulated.number}-{flow}.pcap")
            files[-1].write_bytes(run.pcap(flow, side))
        rows = read_capture(*files).connections.to_dicts()
        for row, flow_row in zip(rows, flows, strict=True):
            known = truth(simulated, flow_row)
            for fact in FACTS:
                measured = row[f"s2c_{fact}"]
                verdicts.append((side, fact, judge(fact, measured, known[fact]), measured, known))
    return verdicts


def main() -> int:
    """Prints the table, and each fact that is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--senders", type=int, default=240)
    parser.add_argument("--first", type=int, default=0, help="number of the first sender")
    parser.add_argument("--wrong", action="store_true")
    options = parser.parse_args()
    counts: dict[tuple[str, str, str], collections.Counter[str]] = collections.defaultdict(
        collections.Counter
    )
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.first, options.first + options.senders):
            simulated = sender(number)
            for side, fact, verdict, measured, known in measure(simulated, pathlib.Path(folder)):
                counts[fact, side, "all"][verdict] += 1
                counts[fact, side, simulated.kind][verdict] += 1
                if verdict == "wrong":
                    print(f"{side} {fact}: {measured}, not {known[fact]}: {simulated}")
    for (fact, side, kind), verdicts in sorted(counts.items()):
        cells = "".join(f"{verdicts[v]:9}" for v in ("right", "unknown", "wrong"))
        print(f"{fact:14}{side:10}{kind:18}{cells}")
    return int(any(verdicts["wrong"] for verdicts in counts.values()))


if __name__ == "__main__":
    sys.exit(main())
