"""The initial windows that captures measure, against senders whose windows are known.

A program: `python tests/python/initial_windows.py` simulates 200 senders of four connections each,
captures them at their own or their receivers' hosts, and prints how many windows are right,
unknown and wrong by class. All of a sender's draws are fixed by its number.
"""

import argparse
import collections
import pathlib
import random
import sys
import tempfile
from dataclasses import dataclass
from typing import Any, Literal

import flowstart as fs
from flowstart.captures import read_capture
from flowstart.captures.senders import senders

STACKS = ("linux", "freebsd-14", "rfc")
KINDS = ("plain", "acks", "losses", "paced", "slow path", "short", "requests", "jitter")
"""What is special: nothing; rule of ACKs; random losses; pacing; a path whose BDP is below the
window; transfers within the window; a wait of the application between two writes; jitter."""
CONNECTIONS = 4
Side = Literal["sender", "receiver"]


@dataclass(frozen=True)
class Sender:
    """A simulated sender."""

    number: int
    kind: str
    stack: str
    side: Side
    window: int
    shows: bool
    """Its connections show the window: there is more data, and the application has it in time."""
    scenario: dict[str, Any]


def sender(number: int) -> Sender:
    """The sender of a number."""
    draw = random.Random(f"initial windows {number}")
    kind, stack = KINDS[number % len(KINDS)], STACKS[number // len(KINDS) % len(STACKS)]
    side: Side = draw.choice(("sender", "receiver"))
    window = draw.choice((*range(1, 11), *range(10, 101)))
    rtt_ms = draw.choice((5, 10, 20, 40, 80, 160, 300))
    # The window fills at most half of the path, so that flights are apart.
    needed_mbps = 2 * window * 1500 * 8 / (rtt_ms * 1e3)
    rate_mbps = needed_mbps * draw.choice((1, 3, 10))
    size = window * 1448 * draw.uniform(1.5, 4) + 3 * 1448
    endpoint: dict[str, Any] = {"preset": stack, "iw": window}
    path: dict[str, Any] = {"rtt": f"{rtt_ms}ms", "buffer": "500pkt"}
    if kind == "acks":
        endpoint["ack_every"] = draw.choice((1, 2, 4, 8))
        endpoint["ack_timer"] = draw.choice(("20ms", "40ms", "100ms"))
    elif kind == "losses":
        path["loss"] = draw.choice(("0.3%", "1%", "2%"))
    elif kind == "paced":
        endpoint["pacing"] = "internal"
    elif kind == "slow path":
        rate_mbps /= draw.choice((4, 10))
    elif kind == "short":
        size = window * 1448 * draw.uniform(0.3, 0.95)
    elif kind == "jitter":
        path["jitter"] = f"exponential:mean={rtt_ms * draw.choice((0.01, 0.03, 0.1)):.2f}ms"
        path["jitter_every"] = "1ms"
        path["reordering"] = draw.choice((False, True))
    path["rate"] = f"{rate_mbps:.3f}Mbps"
    flow: dict[str, Any] = {"opener": "receiver", "count": CONNECTIONS, "stagger": "20s"}
    flow["size"] = f"{int(max(size, 200))}B"
    shows = kind != "short"
    if kind == "requests":
        # A page's beginning, and its rest when the application has it: within an RTT, or later.
        round_trips = draw.choice((0.1, 0.4, 2, 6))
        shows = round_trips < 1
        head = f"{int(window * 1448 * draw.uniform(0.2, 0.9))}B"
        del flow["size"]
        flow["writes"] = [
            {"size": head, "at": "0s"},
            {"size": f"{int(size)}B", "at": f"{rtt_ms * round_trips:.1f}ms"},
        ]
    return Sender(
        number,
        kind,
        stack,
        side,
        window,
        shows,
        {"path": path, "stack": endpoint, "flows": [flow], "seed": number},
    )


def measure(simulated: Sender, folder: pathlib.Path) -> int | None:
    """The window that captures of a sender's connections show."""
    run = fs.run(simulated.scenario, packets=range(CONNECTIONS))
    files = [folder / f"{simulated.number}-{flow}.pcap" for flow in range(CONNECTIONS)]
    for flow, file in enumerate(files):
        file.write_bytes(run.pcap(flow, simulated.side))
    rows = senders(read_capture(*files).connections).filter(direction="s2c")
    window: int | None = rows["initial_window"][0] if len(rows) else None
    for file in files:
        file.unlink()
    return window


def judge(simulated: Sender, window: int | None) -> str:
    """`right`, `unknown` or `wrong`."""
    if window is None:
        return "unknown" if simulated.shows else "right"
    return "right" if window == simulated.window else "wrong"


def main() -> int:
    """Prints the table, and each window that is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--senders", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="number of the first sender")
    parser.add_argument("--unknown", action="store_true", help="list unknown windows also")
    options = parser.parse_args()
    counts: dict[tuple[str, str], collections.Counter[str]] = collections.defaultdict(
        collections.Counter
    )
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.first, options.first + options.senders):
            simulated = sender(number)
            window = measure(simulated, pathlib.Path(folder))
            verdict = judge(simulated, window)
            classes = {"kind": simulated.kind, "stack": simulated.stack, "side": simulated.side}
            for item in [*classes.items(), ("all", "senders")]:
                counts[item][verdict] += 1
            if verdict == "wrong" or (options.unknown and verdict == "unknown"):
                print(verdict, simulated, "measured", window)
    for (group, name), verdicts in sorted(counts.items()):
        cells = "".join(f"{verdicts[v]:9}" for v in ("right", "unknown", "wrong"))
        print(f"{group:6}{name:12}{cells}")
    return int(counts["all", "senders"]["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main())
