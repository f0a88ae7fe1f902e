"""Figure 7: the mean round trip as both senders compute it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from flowstart_papers.experiment import Experiment, Findings, Picture
from flowstart_papers.modified_swift_start import measures, published
from flowstart_papers.modified_swift_start.figure4 import DELAY_S
from flowstart_papers.modified_swift_start.setups import LITERAL, T1, Setup
from flowstart_papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flowstart_papers.lab import Lab

REACHED = 0.99
"""So much of its final value counts as having reached it."""
SHOWN_S = 3.0


def tried(lab: "Lab", setup: Setup) -> dict[str, Measured]:
    """When each mean reaches its final value, under a reading."""
    reached = {name: _reached_s(trips) for name, trips in _trips(lab, setup).items()}
    slow_s, modified_s = reached.values()
    return {"mss.f7.rtt": Measured(reached, holds=modified_s < slow_s)}


def _run(lab: "Lab") -> Findings:
    found = _trips(lab, LITERAL)
    slow_s, modified_s = (_reached_s(trips) for trips in found.values())
    return Findings(
        measured=tried(lab, LITERAL),
        answers=[
            (
                f"The mean round trip is within 1 % of its final value {modified_s:.2f} s after "
                f"the opening under modified Swift Start and {slow_s:.2f} s under slow start: the "
                "queue that makes it fills earlier."
            )
        ],
        pictures=[
            Picture(
                "figure7",
                "The mean round trip over T1, gain 1/8; rings: the path's, and that at the "
                "constant rate, as the text prints them.",
                lambda: _draw(found),
            )
        ],
    )


def _trips(lab: "Lab", setup: Setup) -> dict[str, Any]:
    found = lab.runs(setup.both(T1, DELAY_S), measures.round_trips, trace=True)
    return dict(zip(setup.startups, found, strict=True))


def _reached_s(trips: Mapping[str, Any]) -> float:
    """When the mean first reaches the round trip of the steady state."""
    steady_s = float(np.median(trips["rtt_s"][len(trips["rtt_s"]) // 2 :]))
    pairs = zip(trips["time_s"], trips["mean_s"], strict=True)
    return float(next(at for at, mean_s in pairs if mean_s >= REACHED * steady_s))


def _draw(found: Mapping[str, Any]) -> "Figure":
    from flowstart_papers import drawing

    path_s = published.rtt_s(T1.key, DELAY_S)
    steady_s = published.number("mss.f5.steady.rtt")
    return drawing.single(
        drawing.Axis("seconds since the connection opened", limits=(0, SHOWN_S)),
        drawing.Axis("mean round-trip time (s)", limits=(0, 0.4)),
        {name: (trips["time_s"], trips["mean_s"]) for name, trips in found.items()},
        published={"modified Swift Start": ([path_s, 0.95 * SHOWN_S], [path_s, steady_s])},
        marks=False,
    )


EXPERIMENTS = (
    Experiment(
        id="MSS-F7",
        figure="Fig. 7",
        question="When does each sender's mean round trip reach its final value?",
        run=_run,
        quick=True,
    ),
)
