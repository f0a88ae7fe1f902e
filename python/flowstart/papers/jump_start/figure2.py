"""Figure 2: 200 connections of 200 packets, by the interval between their starts."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from flowstart.model.document import Document
from flowstart.papers.experiment import Experiment, Findings, Picture, Table
from flowstart.papers.jump_start import measures, setups
from flowstart.papers.lab import Lab
from flowstart.papers.measures import improvement, interval
from flowstart.papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INTERVALS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.25, 1.5, 2.0)
"""In seconds; the paper names none."""
SEEDS = range(1, 21)
FREE = (1.0, 1.5, 2.0)
CROWDED_TIME = (0.05, 0.1, 0.2, 0.25)
CROWDED_LOSS = (0.05, 0.1, 0.2, 0.25, 0.3)
FAR_APART = 2.0
SETTLED = 0.25
"""How far a median may be from that of connections far apart that do not contend."""

NAMES = ("slow start", "Jump Start")
Values = NDArray[Any]
Pairs = Sequence[tuple[dict[str, float], dict[str, float]]]


def _scenario(startup: str, case: tuple[float, int]) -> Document:
    """Seed 0 starts exactly at the interval, the others up to 10 ms later."""
    seconds, seed = case
    return setups.contention(f"{seconds}s", startup, seed, jitter="10ms" if seed else "0ms")


def _pairs(lab: Lab) -> tuple[dict[float, Pairs], dict[float, Pairs]]:
    """By interval: with jittered starts, one for each seed, and with exact ones."""
    cases = [(seconds, seed) for seconds in INTERVALS for seed in (0, *SEEDS)]
    found = dict(zip(cases, measures.both(lab, _scenario, cases, measures.crowd), strict=True))
    return (
        {s: [found[s, seed] for seed in SEEDS] for s in INTERVALS},
        {s: [found[s, 0]] for s in INTERVALS},
    )


def _values(pairs: Pairs, name: str) -> tuple[Values, Values]:
    slow, jump = zip(*pairs, strict=True)
    return measures.column(slow, name), measures.column(jump, name)


def _gains(pairs: Pairs) -> list[float]:
    """Of the median duration, in percent, by seed."""
    slow, jump = _values(pairs, "median_s")
    return [improvement(a, b) for a, b in zip(slow, jump, strict=True)]


def _ratios(pairs: Pairs) -> list[float]:
    """Of the loss rates, by seed."""
    slow, jump = _values(pairs, "loss")
    return list(jump / slow)


def knee(jittered: Mapping[float, Pairs]) -> float:
    """From which interval on both medians stay near those of connections far apart."""
    apart = [values.mean() for values in _values(jittered[FAR_APART], "median_s")]
    off = [
        seconds
        for seconds, pairs in jittered.items()
        for values, alone in zip(_values(pairs, "median_s"), apart, strict=True)
        if abs(values.mean() / alone - 1) > SETTLED
    ]
    return min(seconds for seconds in jittered if seconds > max(off, default=0.0))


def run_durations(lab: Lab) -> Findings:
    """Figure 2a."""
    jittered, exact = _pairs(lab)
    free = [float(np.mean([_gains(jittered[s])[i] for s in FREE])) for i in range(len(SEEDS))]
    crowded = {s: _gains(jittered[s]) for s in CROWDED_TIME}
    settled = knee(jittered)
    timeouts = [values.mean() for values in _values(jittered[FAR_APART], "timeouts")]
    return Findings(
        measured={
            "js.f2.free.time": Measured(
                float(np.mean(free)),
                holds=all(np.mean(_gains(jittered[s])) > 0 for s in FREE),
                interval=interval(free),
                seeds=len(SEEDS),
                because="the tail of every first flight is lost, and ns-2's Sack1, which the paper "
                "names, finds it by the timer alone and goes on from one packet; slow start needs "
                "no timer here",
                shown_by="JS-RECOVERY",
            ),
            "js.f2.cont.time": Measured(
                {f"{s:g} s": float(np.mean(gains)) for s, gains in crowded.items()},
                holds=all(gain < 0 for gains in crowded.values() for gain in gains),
                seeds=len(SEEDS),
            ),
            "js.f2.knee": Measured(settled, holds=0.6 <= settled <= 1.0, seeds=len(SEEDS)),
        },
        answers=[
            (
                f"Up to 0.25 s apart Jump Start's median is {-_most(crowded):.0f} to "
                f"{-_least(crowded):.0f} % longer than slow start's."
            ),
            (
                f"From {settled:g} s on the interval no longer matters to either. Then Jump Start "
                f"takes {-np.mean(free):.0f} % longer: its connections wait for the timer "
                f"({timeouts[1]:.1f} timeouts each), and slow start's do not ({timeouts[0]:.1f})."
            ),
        ],
        tables=[Table("figure2a", "Median durations", _duration_rows(jittered, exact))],
        pictures=[
            Picture(
                "figure2a",
                "Median duration by interval between starts; bands: all seeds",
                lambda: _draw(jittered, "median_s", "median duration (s)"),
            )
        ],
    )


def _most(gains: Mapping[float, Sequence[float]]) -> float:
    return max(float(np.mean(values)) for values in gains.values())


def _least(gains: Mapping[float, Sequence[float]]) -> float:
    return min(float(np.mean(values)) for values in gains.values())


def run_losses(lab: Lab) -> Findings:
    """Figure 2b."""
    jittered, exact = _pairs(lab)
    ratios = {s: _ratios(jittered[s]) for s in INTERVALS}
    crowded = {s: float(np.mean(ratios[s])) for s in CROWDED_LOSS}
    apart = float(np.mean(ratios[FAR_APART]))
    slow, jump = _values(jittered[FAR_APART], "dropped")
    return Findings(
        measured={
            "js.f2.free.ratio": Measured(
                apart,
                holds=4 <= apart <= 6,
                interval=interval(ratios[FAR_APART]),
                seeds=len(SEEDS),
            ),
            "js.f2.free.ssdrop": Measured(float(slow.mean()), seeds=len(SEEDS)),
            "js.f2.free.jsdrop": Measured(float(jump.mean()), seeds=len(SEEDS)),
            "js.f2.cont.ratio": Measured(
                {f"{s:g} s": value for s, value in crowded.items()},
                holds=all(1.6 <= value <= 3.3 for value in crowded.values()),
                seeds=len(SEEDS),
            ),
        },
        answers=[
            (
                f"Without contention a Jump Start connection drops {jump.mean():.0f} packets and "
                f"one in slow start {slow.mean():.0f}: a loss rate {apart:.1f} times as high."
            ),
            (
                f"Up to 0.3 s apart it is {min(crowded.values()):.1f} to "
                f"{max(crowded.values()):.1f} times as high."
            ),
        ],
        tables=[Table("figure2b", "Drops per packet sent", _loss_rows(jittered, exact))],
        pictures=[
            Picture(
                "figure2b",
                "Loss rate by interval between starts; bands: all seeds",
                lambda: _draw(jittered, "loss", "packets dropped per packet sent"),
            )
        ],
    )


def _duration_rows(
    jittered: Mapping[float, Pairs], exact: Mapping[float, Pairs]
) -> list[dict[str, float]]:
    rows = []
    for seconds in INTERVALS:
        slow, jump = (values.mean() for values in _values(jittered[seconds], "median_s"))
        gain = float(np.mean(_gains(jittered[seconds])))
        rows.append(
            {
                "interval, s": seconds,
                "slow start, s": round(float(slow), 3),
                "Jump Start, s": round(float(jump), 3),
                "gain, %": round(gain, 1),
                "gain with exact starts, %": round(float(_gains(exact[seconds])[0]), 1),
            }
        )
    return rows


def _loss_rows(
    jittered: Mapping[float, Pairs], exact: Mapping[float, Pairs]
) -> list[dict[str, float]]:
    rows = []
    for seconds in INTERVALS:
        slow, jump = (values.mean() for values in _values(jittered[seconds], "loss"))
        rows.append(
            {
                "interval, s": seconds,
                "slow start, %": round(100 * float(slow), 1),
                "Jump Start, %": round(100 * float(jump), 1),
                "ratio": round(float(np.mean(_ratios(jittered[seconds]))), 2),
                "ratio with exact starts": round(float(_ratios(exact[seconds])[0]), 2),
            }
        )
    return rows


def _draw(jittered: Mapping[float, Pairs], name: str, label: str) -> "Figure":
    from flowstart.papers import drawing

    curves, bands = {}, {}
    for i, curve in enumerate(NAMES):
        values = [_values(jittered[s], name)[i] for s in INTERVALS]
        curves[curve] = (INTERVALS, [float(v.mean()) for v in values])
        low, high = ([float(end(v)) for v in values] for end in (np.min, np.max))
        bands[curve] = (INTERVALS, low, high)
    return drawing.single(
        drawing.Axis("interval between starts (s)"),
        drawing.Axis(label, limits=(0, None)),
        curves,
        bands=bands,
    )


EXPERIMENTS = (
    Experiment(
        id="JS-F2a",
        figure="Fig. 2a",
        question="How long do 200 connections take that start at an interval, all of one kind?",
        run=run_durations,
    ),
    Experiment(
        id="JS-F2b",
        figure="Fig. 2b",
        question="How much do they lose?",
        run=run_losses,
    ),
)
