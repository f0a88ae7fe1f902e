"""Figure 2: 200 connections of 200 packets, by the interval between their starts."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from flowstart.model.document import Document
from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.jump_start import measures, setups
from flowstart_papers.jump_start.published import number
from flowstart_papers.lab import Lab
from flowstart_papers.measures import improvement, interval
from flowstart_papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flowstart_papers.drawing import Axis, Panel

INTERVALS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.25, 1.5, 2.0)
"""In seconds; the paper's text names none but 1 s."""
SEEDS = range(1, 21)
"""Of the starts that are up to 10 ms late; the paper's are periodic, and have one run."""
FREE = (1.0, 1.5, 2.0)
CROWDED_TIME = (0.05, 0.1, 0.2, 0.25)
CROWDED_LOSS = (0.05, 0.1, 0.2, 0.25, 0.3)
FAR_APART = 2.0
SETTLED = 0.25
"""How far a median may be from that of connections far apart that do not contend."""
NAMES = ("slow start", "Jump Start")
LATE = "starts up to 10 ms late, mean"

Values = NDArray[Any]
Pairs = Sequence[tuple[dict[str, float], dict[str, float]]]
"""Slow start and Jump Start, by seed."""


def _scenario(startup: str, case: tuple[float, str, int]) -> Document:
    seconds, jitter, seed = case
    return setups.contention(f"{seconds}s", startup, seed, jitter=jitter)


def _pairs(lab: Lab) -> tuple[dict[float, Pairs], dict[float, Pairs]]:
    """By interval: with periodic starts, and with late ones, one for each seed."""
    starts = [("0ms", 1), *(("10ms", seed) for seed in SEEDS)]
    cases = [(seconds, *start) for seconds in INTERVALS for start in starts]
    found = dict(zip(cases, measures.both(lab, _scenario, cases, measures.crowd), strict=True))
    return (
        {s: [found[s, "0ms", 1]] for s in INTERVALS},
        {s: [found[s, "10ms", seed] for seed in SEEDS] for s in INTERVALS},
    )


def _values(pairs: Pairs, name: str) -> tuple[Values, Values]:
    slow, jump = zip(*pairs, strict=True)
    return measures.column(slow, name), measures.column(jump, name)


def _gains(pairs: Pairs) -> list[float]:
    """Of the median duration, in percent, by seed."""
    slow, jump = _values(pairs, "median_s")
    return [improvement(a, b) for a, b in zip(slow, jump, strict=True)]


def _times(pairs: Pairs) -> float:
    """How many times slow start's median duration Jump Start's is."""
    return 1 - float(np.mean(_gains(pairs))) / 100


def _ratio(pairs: Pairs) -> float:
    """Of the loss rates; infinite where slow start loses nothing."""
    slow, jump = (float(values.mean()) for values in _values(pairs, "loss"))
    return jump / slow if slow else float("inf")


def knee(found: Mapping[float, Pairs]) -> float:
    """From which interval on both medians stay near those of connections far apart."""
    apart = [values.mean() for values in _values(found[FAR_APART], "median_s")]
    off = [
        seconds
        for seconds, pairs in found.items()
        for values, alone in zip(_values(pairs, "median_s"), apart, strict=True)
        if abs(values.mean() / alone - 1) > SETTLED
    ]
    return min(seconds for seconds in found if seconds > max(off, default=0.0))


def judged_durations(found: Mapping[float, Pairs]) -> dict[str, Measured]:
    """What the paper prints of figure 2a, from the pairs by interval."""
    crowded = {s: _gains(found[s]) for s in CROWDED_TIME}
    return {
        "js.f2.free.time": Measured(
            float(np.mean([_gains(found[s]) for s in FREE])),
            because="the tail of every first flight is lost, and ns-2's Sack1, which the paper "
            "names, finds it by the timer alone and continues from one packet; slow start needs "
            "no timer here",
            shown_by="JS-RECOVERY",
        ),
        "js.f2.cont.time": Measured(
            {f"{s:g} s": float(np.mean(gains)) for s, gains in crowded.items()},
            holds=all(gain < 0 for gains in crowded.values() for gain in gains),
        ),
        "js.f2.knee": Measured(knee(found)),
    }


def judged_losses(found: Mapping[float, Pairs]) -> dict[str, Measured]:
    """What the paper prints of figure 2b, from the pairs by interval."""
    apart = _ratio(found[FAR_APART])
    lossless = apart == float("inf")
    return {
        "js.f2.free.ratio": Measured("slow start loses nothing" if lossless else apart),
        "js.f2.cont.ratio": Measured([_ratio(found[s]) for s in CROWDED_LOSS]),
    }


def run_durations(lab: Lab) -> Findings:
    """Figure 2a."""
    exact, late = _pairs(lab)
    measured = judged_durations(exact)
    crowded = [_gains(exact[s])[0] for s in INTERVALS if s <= max(CROWDED_TIME)]
    apart = _gains(exact[FAR_APART])[0]
    settled = knee(exact)
    timeouts = [values.mean() for values in _values(exact[FAR_APART], "timeouts")]
    return Findings(
        measured=measured,
        answers=[
            (
                f"Up to {max(CROWDED_TIME):g} s apart Jump Start's median is "
                f"{-max(crowded):.0f} to {-min(crowded):.0f} % longer than slow start's."
            ),
            (
                f"From {settled:g} s on the interval no longer matters to either. Then Jump Start "
                f"takes {-apart:.0f} % longer, where the paper has "
                f"{number('js.f2.free.time'):g} % less: its connections wait for the timer "
                f"({timeouts[1]:.1f} timeouts each), and slow start's do not ({timeouts[0]:.1f})."
            ),
            _say_late(exact, late),
        ],
        tables=[Table("figure2a", "Median durations", _duration_rows(exact, late))],
        pictures=[
            Picture(
                "figure2a",
                "Left: median duration by interval between starts (lines: periodic starts; bands: "
                "all draws of starts up to 10 ms late). Right: Jump Start's over slow start's; "
                f"rings: the {number('js.f2.free.time'):g} % less that the paper prints from 1 s "
                "on",
                lambda: _draw_durations(exact, late),
            )
        ],
    )


def _say_late(exact: Mapping[float, Pairs], late: Mapping[float, Pairs]) -> str:
    """How much the starts' exactness matters."""
    moved = {s: float(np.mean(_gains(late[s]))) - _gains(exact[s])[0] for s in INTERVALS}
    most = max(moved, key=lambda s: abs(moved[s]))
    return (
        f"Starts up to 10 ms late ({len(SEEDS)} draws) move the gain by at most "
        f"{abs(moved[most]):.0f} points on average, at {most:g} s; from 1 s on by "
        f"{max(abs(moved[s]) for s in INTERVALS if s >= 1):.1f}."
    )


def run_losses(lab: Lab) -> Findings:
    """Figure 2b."""
    exact, late = _pairs(lab)
    slow, jump = (float(values.mean()) for values in _values(exact[FAR_APART], "dropped"))
    crowded = [_ratio(exact[s]) for s in CROWDED_LOSS]
    return Findings(
        measured=judged_losses(exact)
        | {"js.f2.free.ssdrop": Measured(slow), "js.f2.free.jsdrop": Measured(jump)},
        answers=[
            (
                f"Without contention a Jump Start connection drops {jump:.0f} packets and "
                f"one in slow start {slow:.0f}: a loss rate {_ratio(exact[FAR_APART]):.1f} times "
                "as high (paper: over four times)."
            ),
            (
                f"Up to {max(CROWDED_LOSS):g} s apart it is {min(crowded):.1f} to "
                f"{max(crowded):.1f} times as high (paper: roughly twice)."
            ),
        ],
        tables=[Table("figure2b", "Drops per packet sent", _loss_rows(exact, late))],
        pictures=[
            Picture(
                "figure2b",
                "Left: loss rate by interval between starts (lines: periodic starts; bands: all "
                "draws of starts up to 10 ms late). Right: how many times slow start's; rings: "
                "roughly twice under contention, over four times without, as the paper prints",
                lambda: _draw_losses(exact, late),
            )
        ],
    )


def _duration_rows(
    exact: Mapping[float, Pairs], late: Mapping[float, Pairs]
) -> list[dict[str, float]]:
    rows = []
    for seconds in INTERVALS:
        slow, jump = (values.mean() for values in _values(exact[seconds], "median_s"))
        gains = _gains(late[seconds])
        low, high = interval(gains)
        rows.append(
            {
                "interval, s": seconds,
                "slow start, s": round(float(slow), 3),
                "Jump Start, s": round(float(jump), 3),
                "gain, %": round(_gains(exact[seconds])[0], 1),
                "gain with late starts, %": round(float(np.mean(gains)), 1),
                "from": round(low, 1),
                "to": round(high, 1),
            }
        )
    return rows


def _loss_rows(exact: Mapping[float, Pairs], late: Mapping[float, Pairs]) -> list[dict[str, float]]:
    rows = []
    for seconds in INTERVALS:
        slow, jump = (values.mean() for values in _values(exact[seconds], "loss"))
        rows.append(
            {
                "interval, s": seconds,
                "slow start, %": round(100 * float(slow), 1),
                "Jump Start, %": round(100 * float(jump), 1),
                "ratio": round(_ratio(exact[seconds]), 2),
                "ratio with late starts": round(_ratio(late[seconds]), 2),
            }
        )
    return rows


def _draw_durations(exact: Mapping[float, Pairs], late: Mapping[float, Pairs]) -> "Figure":
    from flowstart_papers import drawing

    free = [s for s in INTERVALS if s >= 1]
    printed = 1 - number("js.f2.free.time") / 100
    return drawing.panels(
        _by_startup(exact, late, "median_s", drawing.Axis("median duration (s)", "log")),
        drawing.Panel(
            drawing.Axis("interval between starts (s)", limits=(0, 2.6)),
            drawing.Axis("median duration, Jump Start / slow start", "log", (0.5, 10)),
            {
                "periodic starts": (INTERVALS, [_times(exact[s]) for s in INTERVALS]),
                LATE: (INTERVALS, [_times(late[s]) for s in INTERVALS]),
            },
            published={"periodic starts": (free, [printed for _ in free])},
            level={"as slow start": 1},
        ),
    )


def _draw_losses(exact: Mapping[float, Pairs], late: Mapping[float, Pairs]) -> "Figure":
    from flowstart_papers import drawing

    free = [s for s in INTERVALS if s >= 1]
    printed = [number("js.f2.cont.ratio") for _ in CROWDED_LOSS]
    printed += [number("js.f2.free.ratio") for _ in free]
    axis = drawing.Axis("packets dropped per packet sent", limits=(0, None))
    return drawing.panels(
        _by_startup(exact, late, "loss", axis),
        drawing.Panel(
            drawing.Axis("interval between starts (s)"),
            drawing.Axis("loss rate, Jump Start / slow start", limits=(0, None)),
            {
                "periodic starts": (INTERVALS, [_ratio(exact[s]) for s in INTERVALS]),
                LATE: (INTERVALS, [_ratio(late[s]) for s in INTERVALS]),
            },
            published={"periodic starts": ((*CROWDED_LOSS, *free), printed)},
        ),
    )


def _by_startup(
    exact: Mapping[float, Pairs], late: Mapping[float, Pairs], name: str, axis: "Axis"
) -> "Panel":
    """A curve for each startup, and what late starts make of it."""
    from flowstart_papers import drawing

    curves, bands = {}, {}
    for i, curve in enumerate(NAMES):
        curves[curve] = (INTERVALS, [float(_values(exact[s], name)[i].mean()) for s in INTERVALS])
        drawn = [_values(late[s], name)[i] for s in INTERVALS]
        low, high = ([float(end(values)) for values in drawn] for end in (np.min, np.max))
        bands[curve] = (INTERVALS, low, high)
    return drawing.Panel(drawing.Axis("interval between starts (s)"), axis, curves, bands=bands)


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
