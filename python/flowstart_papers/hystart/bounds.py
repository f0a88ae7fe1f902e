"""Where an ACK train can end slow start: the rule's bounds, and paths that fill them.

Half a round trip holds n = BDP/2 packets. The train of a round of W0 packets gets as long as half
a round trip where W0 is at least n, and after n packets: at W0 + n with an ACK for each, W0 < 2n,
or at W0 + n/2 with an ACK for two, W0 < 1.5n. That a round is one train needs a receiver that does
not answer an odd packet by a timer of its own.
"""

from typing import TYPE_CHECKING, Any

from flowstart.model.document import Document
from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.hystart import setups
from flowstart_papers.lab import Lab
from flowstart_papers.measures import first
from flowstart_papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RATES = (100.0, 400.0)
RTTS = tuple(round(100 * 2 ** (i / 24), 2) for i in range(25))
"""100 to 200 ms: the BDP doubles, and with it the phase of the rounds goes once around."""
ACKS = {
    "each packet": setups.EVERY,
    "Linux": setups.LINUX,
    "delayed, 500 ms": {"ack": "delayed", "ack_timer": "500ms"},
    "Windows, 200 ms": setups.WINDOWS,
    "FreeBSD, 100 ms": setups.FREEBSD,
}
"""500 ms is the longest that RFC 1122 allows, and longer than any of these round trips."""
WHOLE = ("Linux", "delayed, 500 ms")
"""Delaying receivers whose timer does not cut a round's train in two."""
BOUNDS = {"each packet": (1.0, 1.5), **dict.fromkeys(WHOLE, (0.75, 1.0))}


def lone(mbps: float, rtt: float, receiver: dict[str, str]) -> Document:
    """A Hybrid Slow Start on an empty path."""
    ends = setups.stack(receiver)
    return setups.one(setups.path(mbps, rtt), setups.HYBRID, "8s", ends=ends)


def run(lab: Lab) -> Findings:
    """Exits over the phase of the round, for four receivers."""
    points = [(name, mbps, rtt) for name in ACKS for mbps in RATES for rtt in RTTS]
    rows = lab.runs([lone(mbps, rtt, ACKS[name]) for name, mbps, rtt in points], first)
    exits = [
        {
            "ACKs": name,
            "rate (Mbit/s)": mbps,
            "RTT (ms)": rtt,
            "leaves at (BDP)": round(row["startup_exit_cwnd_segments"] / setups.bdp(mbps, rtt), 3),
            "by": row["startup_exit_reason"],
            "lost": row["packets_dropped"],
        }
        for (name, mbps, rtt), row in zip(points, rows, strict=True)
    ]
    summary = [_summary(name, [e for e in exits if e["ACKs"] == name]) for name in ACKS]
    each = _range(exits, ("each packet",))
    delayed = _range(exits, WHOLE)
    split = summary[-2:]
    return Findings(
        measured={
            "hy.bound.each": Measured(each),
            "hy.bound.delack": Measured(delayed),
        },
        answers=[
            (
                f"On {2 * len(RTTS)} empty paths the ACK train ends slow start between "
                f"{each[0]:.2f} and {each[1]:.2f} BDP with an ACK for each packet, and between "
                f"{delayed[0]:.2f} and {delayed[1]:.2f} BDP with delayed ACKs that keep to one "
                "train."
            ),
            (
                f"Receivers that delay from the first packet and answer an odd one after 100 or "
                f"200 ms can split a round into trains; then the exit comes as late as "
                f"{split[1]['most (BDP)']:.2f} and {split[0]['most (BDP)']:.2f} BDP."
            ),
        ],
        tables=[
            Table("bounds", "Exits on empty paths of 100 and 400 Mbit/s, 100 to 200 ms.", summary),
            Table("exits", "Every path", exits),
        ],
        pictures=[
            Picture(
                "bounds",
                "Exit window over the round-trip time, at 400 Mbit/s.",
                lambda: draw([e for e in exits if e["rate (Mbit/s)"] == RATES[1]]),
            )
        ],
    )


def _range(exits: list[dict[str, Any]], names: tuple[str, ...]) -> list[float]:
    found = [e["leaves at (BDP)"] for e in exits if e["ACKs"] in names and e["by"] == "ack-train"]
    return [min(found), max(found)]


def _summary(name: str, mine: list[dict[str, Any]]) -> dict[str, Any]:
    found = [e["leaves at (BDP)"] for e in mine]
    low, high = BOUNDS.get(name, (None, None))
    return {
        "ACKs": name,
        "paths": len(mine),
        "exit by train": sum(e["by"] == "ack-train" for e in mine),
        "least (BDP)": min(found),
        "most (BDP)": max(found),
        "derived from (BDP)": low,
        "derived to (BDP)": high,
        "lost": sum(e["lost"] for e in mine),
    }


def draw(exits: list[dict[str, Any]]) -> "Figure":
    """One curve per receiver."""
    from flowstart_papers import drawing

    curves = {}
    for name in ACKS:
        mine = [e for e in exits if e["ACKs"] == name]
        curves[name] = ([e["RTT (ms)"] for e in mine], [e["leaves at (BDP)"] for e in mine])
    return drawing.single(
        drawing.Axis("round-trip time (ms)"),
        drawing.Axis("cwnd at the exit (BDP)", limits=(0.5, 2.0)),
        curves,
        level={"0.75": 0.75, "1": 1.0, "1.5": 1.5},
    )


EXPERIMENTS = (
    Experiment(
        id="HY-B",
        figure="Sec. III.B",
        question="Between which windows can an ACK train end slow start on an empty path?",
        run=run,
    ),
)
