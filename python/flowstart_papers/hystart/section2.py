"""Sec. II: how long limited slow start takes to a window of 5000 packets."""

from typing import TYPE_CHECKING

from flowstart.model.document import Document
from flowstart.simulation.run import Run
from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.hystart import measures, setups
from flowstart_papers.hystart.published import number
from flowstart_papers.hystart.setups import LITERAL, Setup
from flowstart_papers.lab import Lab
from flowstart_papers.measures import first
from flowstart_papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RTT_S = 0.2
WINDOW = 5000
ARITHMETIC = {
    "exact": "arithmetic=exact",
    "RFC 3742 in whole bytes": "arithmetic=bytes",
    "Linux 2.6, whole packets": "reading=linux",
}
ACKS = {"each packet": setups.EVERY, "delayed": setups.LINUX}


def climb(startup: str, receiver: dict[str, str], setup: Setup = LITERAL) -> Document:
    """A flow on a path that gives it 5000 packets at once, until its threshold of as many."""
    link = setups.path(1000, 1e3 * RTT_S)
    ends = setup.stack(receiver)
    startup = f"{startup},ssthresh={WINDOW}"
    return setups.one(link, startup, "45s", cc="none", ends=ends)


def window(run: Run) -> measures.Curve:
    """Its window over time."""
    return measures.window(run)


def measured(lab: Lab, setup: Setup = LITERAL) -> dict[str, Measured]:
    """What the paper prints of it."""
    startup = f"{setups.LIMITED},{ARITHMETIC['exact']}"
    (row,) = lab.runs([climb(startup, setups.EVERY, setup)], first)
    seconds = row["startup_exit_s"] - RTT_S
    return {
        "hy.lss.rounds": Measured(round(seconds / RTT_S, 1)),
        "hy.lss.time": Measured(round(seconds, 2)),
    }


def run(lab: Lab) -> Findings:
    """Rounds and seconds, by arithmetic and by ACKs."""
    pairs = [(rule, acks) for rule in ARITHMETIC for acks in ACKS]
    starts = [f"{setups.LIMITED},{ARITHMETIC[rule]}" for rule, _ in pairs]
    documents = [climb(start, ACKS[acks]) for start, (_, acks) in zip(starts, pairs, strict=True)]
    found = lab.runs([*documents, climb(setups.SLOW_START, setups.EVERY)], first)
    # The handshake is no round of the window.
    times = [row["startup_exit_s"] - RTT_S for row in found]
    seconds = dict(zip(pairs, times, strict=False))
    plain, delayed = (seconds["exact", acks] for acks in ACKS)
    slow = times[-1]
    curves = lab.runs([documents[0], documents[1]], window, trace=True)
    return Findings(
        measured={
            **measured(lab),
            "hy.lss.delack": Measured(round(delayed, 2)),
        },
        answers=[
            (
                f"Limited slow start needs {plain / RTT_S:.1f} rounds, {plain:.1f} s, to 5000 "
                f"packets with an ACK for each packet, and {delayed / RTT_S:.1f} rounds, "
                f"{delayed:.1f} s, with the delayed ACKs of Linux; slow start needs {slow:.1f} s."
            ),
        ],
        tables=[
            Table(
                "limited",
                "From the first data to a window of 5000 packets, RTT 200 ms, max_ssthresh 100.",
                [
                    {
                        "arithmetic": rule,
                        "ACKs": acks,
                        "rounds": round(time / RTT_S, 1),
                        "time (s)": round(time, 2),
                        "published (s)": number("hy.lss.time") if acks == "each packet" else None,
                    }
                    for (rule, acks), time in seconds.items()
                ],
            )
        ],
        pictures=[
            Picture(
                "limited",
                "Window of limited slow start; the hollow point is the published time.",
                lambda: draw(dict(zip(ACKS, curves, strict=True))),
            )
        ],
    )


def draw(curves: dict[str, measures.Curve]) -> "Figure":
    """The window over time."""
    from flowstart_papers import drawing

    return drawing.single(
        drawing.Axis("time (s)"),
        drawing.Axis("cwnd (packets)", limits=(0, 5500)),
        {f"ACKs: {acks}": (c["time_s"], c["cwnd"]) for acks, c in curves.items()},  # type: ignore[misc]
        published={"ACKs: each packet": ([number("hy.lss.time") + RTT_S], [WINDOW])},
        steps=True,
        marks=False,
    )


EXPERIMENTS = (
    Experiment(
        id="HY-LSS",
        figure="Sec. II",
        question="How long does limited slow start take to a window of 5000 packets?",
        run=run,
    ),
)
