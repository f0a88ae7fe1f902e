"""Sec. I: the more buffer a router has, the further slow start goes too far."""

from typing import TYPE_CHECKING, Any

from flowstart.model.document import Document
from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.hystart import measures, setups
from flowstart_papers.lab import Lab
from flowstart_papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BUFFERS = (0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0)
GROWTH = {"delayed": (setups.LINUX, 1.5), "each packet": (setups.EVERY, 2.0)}
"""By how much a round multiplies the window with these ACKs."""
RATE, RTT = setups.FIG2
LARGE = 1.0
"""The paper speaks of buffers from one BDP on. Bursts within a round fill smaller ones."""


def overshoot(startup: str, receiver: dict[str, str], buffer: float) -> Document:
    """A flow until some time after its first loss."""
    link = setups.path(RATE, RTT, buffer)
    return setups.one(link, startup, "4s", ends=setups.stack(receiver))


def run(lab: Lab) -> Findings:
    """Peak and losses over the buffer, for slow start and Hybrid Slow Start."""
    points = [(acks, buffer) for acks in GROWTH for buffer in BUFFERS]
    starts = (setups.SLOW_START, setups.HYBRID)
    documents = [overshoot(s, GROWTH[acks][0], buffer) for s in starts for acks, buffer in points]
    found = lab.runs(documents, measures.first_loss, trace=True)
    slow, hybrid = found[: len(points)], found[len(points) :]
    rows = [
        _row(acks, buffer, one, other)
        for (acks, buffer), one, other in zip(points, slow, hybrid, strict=True)
    ]
    ruled = [row for row in rows if row["buffer (BDP)"] >= LARGE]
    ratios = [row[key] for row in ruled for key in ("peak / rule", "lost / rule")]
    deep = ruled[-1]
    return Findings(
        measured={"hy.buf.over": Measured([min(ratios), max(ratios)])},
        answers=[
            (
                f"From one BDP of buffer on, peak and losses are {min(ratios):.3f} to "
                f"{max(ratios):.3f} of what the rule gives; with {deep['buffer (BDP)']:g} BDP and "
                f"an ACK for each packet slow start loses {deep['lost']} packets, Hybrid Slow "
                f"Start {deep['lost by Hybrid Slow Start']}."
            ),
        ],
        tables=[
            Table(
                "overshoot",
                "Slow start's peak and losses at 100 Mbit/s and 106 ms, and both over the rule: "
                "peak g (BDP + B), losses (g - 1)(BDP + B), g = 1.5 with delayed ACKs, else 2. "
                "Smaller buffers may overflow earlier, in the middle of a round.",
                rows,
            )
        ],
        pictures=[
            Picture(
                "overshoot",
                "Packets lost by one startup over the buffer's size.",
                lambda: draw(rows),
            )
        ],
    )


def _row(acks: str, buffer: float, slow: dict[str, Any], hybrid: dict[str, Any]) -> dict[str, Any]:
    growth = GROWTH[acks][1]
    room = setups.bdp(RATE, RTT) + int(buffer * setups.bdp(RATE, RTT))
    peak, lost = slow["peak"], slow["lost"]
    return {
        "ACKs": acks,
        "buffer (BDP)": buffer,
        "peak (packets)": peak,
        "peak / rule": round(peak / (growth * room), 3),
        "lost": lost,
        "lost / rule": round(lost / ((growth - 1) * room), 3),
        "lost by Hybrid Slow Start": hybrid["lost"],
    }


def draw(rows: list[dict[str, Any]]) -> "Figure":
    """Losses over the buffer."""
    from flowstart_papers import drawing

    curves: dict[str, Any] = {}
    for acks in GROWTH:
        mine = [row for row in rows if row["ACKs"] == acks]
        sizes = [row["buffer (BDP)"] for row in mine]
        curves[f"slow start, {acks}"] = (sizes, [row["lost"] for row in mine])
        lost = [row["lost by Hybrid Slow Start"] for row in mine]
        curves[f"Hybrid Slow Start, {acks}"] = (sizes, lost)
    return drawing.single(
        drawing.Axis("buffer (BDP)"), drawing.Axis("packets lost", limits=(0, None)), curves
    )


EXPERIMENTS = (
    Experiment(
        id="HY-BUF",
        figure="Sec. I",
        question="How does slow start's overshoot grow with the buffer?",
        run=run,
        quick=True,
    ),
)
