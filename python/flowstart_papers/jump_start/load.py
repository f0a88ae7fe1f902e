"""A study: figure 4 under heavier loads, in search of one where its two statements hold."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from flowstart.model.document import Document
from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.jump_start import measures, setups
from flowstart_papers.jump_start.published import number
from flowstart_papers.lab import Lab
from flowstart_papers.measures import interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SEEDS = range(1, 21)
RATES = ("10Mbps", "7.5Mbps", "5Mbps")
SESSIONS = (50, 100, 200, 400)
PAUSES = ("end", "start")
"""From where in a page the pause before the next one counts."""
BEYOND = (("2.5Mbps", "end", 800), ("2.5Mbps", "end", 1600))
"""Far outside the paper's load, to see where both go."""
P25, FREE = number("js.f4.p25"), number("js.f4.lossfree")
"""What the paper states: slow start takes so many times as long at the 25th percentile, and so
many points more of Jump Start's connections lose nothing."""

Load = tuple[str, str, int]
Pairs = Sequence[tuple[dict[str, float], dict[str, float]]]

LOADS: tuple[Load, ...] = (
    *((rate, pause, sessions) for rate in RATES for pause in PAUSES for sessions in SESSIONS),
    *BEYOND,
)


def _scenario(startup: str, case: tuple[Load, int]) -> Document:
    (rate, pause, sessions), seed = case
    return setups.web(startup, seed, sessions=sessions, rate=rate, page_pause_from=pause)


def _ratios(pairs: Pairs) -> list[float]:
    """Slow start's 25th percentile over Jump Start's, by seed."""
    return [slow["p25_s"] / jump["p25_s"] for slow, jump in pairs]


def _points(pairs: Pairs) -> list[float]:
    """Connections without loss, Jump Start's less slow start's, by seed."""
    return [jump["free"] - slow["free"] for slow, jump in pairs]


def run(lab: Lab) -> Findings:
    """The web load, heavier and on slower links."""
    cases = [(load, seed) for load in LOADS for seed in SEEDS]
    read = measures.both(lab, _scenario, cases, measures.responses_in_short)
    n = len(SEEDS)
    found = {load: read[i * n : (i + 1) * n] for i, load in enumerate(LOADS)}
    ratio = {load: float(np.mean(_ratios(pairs))) for load, pairs in found.items()}
    points = {load: float(np.mean(_points(pairs))) for load, pairs in found.items()}
    fastest, freest = max(LOADS, key=ratio.__getitem__), max(LOADS, key=points.__getitem__)
    reached = [load for load in LOADS if ratio[load] > P25]
    where = "; ".join(_name(load) for load in reached) or "nowhere"
    return Findings(
        answers=[
            (
                f"Slow start's 25th percentile is more than {P25:g} times Jump Start's here: "
                f"{where}. The largest is {ratio[fastest]:.2f} ({_name(fastest)})."
            ),
            (
                f"The difference in connections without loss is highest, {points[freest]:+.1f} "
                f"points, with {_name(freest)}; the paper has {FREE:+g}."
            ),
        ],
        tables=[
            Table(
                "load",
                "Figure 4's two statements by load",
                [_row(load, pairs) for load, pairs in found.items()],
            )
        ],
        pictures=[
            Picture(
                "load",
                "The two statements by number of sessions; the paper's load is 50 sessions at "
                "10 Mbit/s",
                lambda: _draw(ratio, points),
            )
        ],
    )


def _name(load: Load) -> str:
    rate, pause, sessions = load
    return (
        f"{sessions} sessions at {rate.removesuffix('Mbps')} Mbit/s, pauses from a page's {pause}"
    )


def _row(load: Load, pairs: Pairs) -> dict[str, str | float]:
    rate, pause, sessions = load
    ratios, points = _ratios(pairs), _points(pairs)
    return {
        "rate, Mbit/s": float(rate.removesuffix("Mbps")),
        "pause from": pause,
        "sessions": sessions,
        "25th percentile, ratio": round(float(np.mean(ratios)), 2),
        "ratio, 95 %": " to ".join(f"{end:.2f}" for end in interval(ratios)),
        "without loss, points": round(float(np.mean(points)), 1),
        "points, 95 %": " to ".join(f"{end:.1f}" for end in interval(points)),
        "slow start's without loss, %": round(float(np.mean([a["free"] for a, _ in pairs])), 1),
        "loss ratio": round(float(np.mean([b["loss"] / a["loss"] for a, b in pairs])), 2),
    }


def _draw(ratio: dict[Load, float], points: dict[Load, float]) -> "Figure":
    from flowstart_papers import drawing

    def curve(
        values: dict[Load, float], rate: str, pause: str
    ) -> tuple[tuple[int, ...], list[float]]:
        sessions = tuple(load[2] for load in LOADS if load[:2] == (rate, pause))
        return sessions, [values[rate, pause, each] for each in sessions]

    kinds = dict.fromkeys(load[:2] for load in LOADS)
    ticks = tuple(sorted({load[2] for load in LOADS}))

    def panel(values: dict[Load, float], label: str, name: str, stated: float) -> drawing.Panel:
        return drawing.Panel(
            drawing.Axis("sessions", "log", ticks=ticks),
            drawing.Axis(label),
            {
                f"{rate.removesuffix('Mbps')} Mbit/s, from {pause}": curve(values, rate, pause)
                for rate, pause in kinds
            },
            level={name: stated},
        )

    return drawing.panels(
        panel(ratio, "25th percentile, slow start / Jump Start", "paper: above", P25),
        panel(points, "without loss, difference (points)", "paper", FREE),
    )


EXPERIMENTS = (
    Experiment(
        id="JS-LOAD",
        figure="study",
        question="At which load, if any, do the two statements about figure 4 hold?",
        run=run,
    ),
)
