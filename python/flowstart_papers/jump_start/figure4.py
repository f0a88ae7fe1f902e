"""Figure 4: a web load; connections of more than an initial window."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from flowstart.model.document import Document
from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.jump_start import measures, setups
from flowstart_papers.jump_start.published import number
from flowstart_papers.lab import Lab
from flowstart_papers.measures import interval
from flowstart_papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SEEDS = range(1, 121)
PERCENTILES = (10, 25, 50, 75, 90, 95, 97, 98, 99)
CLASSES = (4, 10, 22, 46, 88)
"""Sizes from which on slow start needs a round more; the last one overflows the queue."""
NAMES = ("slow start", "Jump Start")
AHEAD = 50
"""Packets of the paper's thought experiment: half of 100 get through at once."""

Values = NDArray[Any]
Pairs = Sequence[tuple[dict[str, list[float]], dict[str, list[float]]]]


def _web(startup: str, seed: int) -> Document:
    return setups.web(startup, seed)


def _pairs(lab: Lab) -> Pairs:
    return measures.both(lab, _web, SEEDS, measures.responses)


def _of_each(pairs: Pairs, name: str) -> list[list[Values]]:
    """One of the values: for each seed, slow start's and Jump Start's."""
    return [[np.asarray(one[name]) for one in pair] for pair in pairs]


def _together(pairs: Pairs, name: str) -> list[Values]:
    """The values of all seeds as one distribution, of each startup."""
    return [np.concatenate([pair[i][name] for pair in pairs]) for i in (0, 1)]


def judged_durations(pairs: Pairs) -> dict[str, Measured]:
    """What the paper prints of figure 4a, from the draws of the load."""
    ratios = [float(np.percentile(a, 25) / np.percentile(b, 25)) for a, b in _durations(pairs)]
    # Few connections of a draw take so long: all draws count together.
    longer = [(float((a >= 1).sum()), float((b >= 1).sum())) for a, b in _durations(pairs)]
    p25, around = float(np.mean(ratios)), interval(ratios)
    tail = sum(jump for _, jump in longer) / sum(slow for slow, _ in longer)
    return {
        "js.f4.p25": Measured(
            p25,
            interval=around,
            seeds=len(pairs),
            because="the connections at the 25th percentile carry five packets and lose nothing: "
            "Jump Start saves them part of one round of three; it holds where 32 times the "
            "sessions share a quarter of the rate",
            shown_by="JS-LOAD",
        ),
        "js.f4.short": Measured(p25, holds=around[0] > 1, interval=around, seeds=len(pairs)),
        "js.f4.tail": Measured(
            tail,
            holds=1 / 1.3 <= tail <= 1.3,
            interval=measures.sums_interval(longer, lambda sums: sums[1] / sums[0]),
            seeds=len(pairs),
            because="a lost SYN waits three seconds, and more are lost next to Jump Start",
            shown_by="JS-F4a",
        ),
    }


def judged_losses(pairs: Pairs) -> dict[str, Measured]:
    """What the paper prints of figure 4b, from the draws of the load."""
    losses = _of_each(pairs, "loss")
    more = [_free(jump) - _free(slow) for slow, jump in losses]
    # A draw may have no connection that loses: losses and their number count over all draws.
    sums = [[figure for loss in pair for figure in (loss.sum(), (loss > 0).sum())]
            for pair in losses]  # fmt: skip
    return {
        "js.f4.lossfree": Measured(
            float(np.mean(more)),
            holds=float(np.mean(more)) > 0,
            interval=interval(more),
            seeds=len(pairs),
            because="larger responses fill the queue at once, and packets of smaller ones are "
            "lost with theirs; the link is idle most of the time, so that getting out of the way "
            "frees little",
            shown_by="JS-LOAD",
        ),
        "js.f4.lossratio": Measured(
            float(_lossy_ratio(np.asarray(sums).sum(axis=0))),
            interval=measures.sums_interval(sums, _lossy_ratio),
            seeds=len(pairs),
        ),
    }


def _durations(pairs: Pairs) -> list[list[Values]]:
    return _of_each(pairs, "duration_s")


def run_durations(lab: Lab) -> Findings:
    """Figure 4a."""
    pairs = _pairs(lab)
    measured = judged_durations(pairs)
    ratios = [float(np.percentile(a, 25) / np.percentile(b, 25)) for a, b in _durations(pairs)]
    slow, jump = _together(pairs, "duration_s")
    shortest = min(pair[0]["min_rtt_s"][0] for pair in pairs)
    late = [float(np.percentile(values, 98)) for values in (slow, jump)]
    return Findings(
        measured=measured | {"js.f4.16rtt": Measured(1 / shortest)},
        answers=[
            (
                f"At the 25th percentile slow start takes {np.mean(ratios):.2f} times as long as "
                f"Jump Start, {min(ratios):.2f} to {max(ratios):.2f} over {len(SEEDS)} draws of "
                "the load."
            ),
            (
                f"{100 * np.mean(slow >= 1):.1f} % of slow start's connections and "
                f"{100 * np.mean(jump >= 1):.1f} % of Jump Start's take longer than 1 s. Their "
                f"98th percentiles are {late[0]:.1f} s and {late[1]:.1f} s: a lost SYN waits 3 s."
            ),
        ],
        tables=[
            Table("figure4a", "Percentiles of duration, all draws together", _rows(slow, jump))
        ],
        pictures=[
            Picture(
                "figure4a",
                "Distribution of durations, all draws together. Ring: where Jump Start's 25th "
                "percentile would be at most if slow start took twice as long, as the paper prints",
                lambda: _draw_durations(slow, jump),
            )
        ],
    )


def run_losses(lab: Lab) -> Findings:
    """Figure 4b."""
    pairs = _pairs(lab)
    alone = lab.runs([_unhindered()], measures.transfer)[0]
    rounds = alone["duration_s"] / alone["min_rtt_s"] - 1
    free = [[_free(loss) for loss in pair] for pair in _of_each(pairs, "loss")]
    slow, jump = (float(np.mean(shares)) for shares in zip(*free, strict=True))
    together = _together(pairs, "loss")
    lossy = [100 * float(loss[loss > 0].mean()) for loss in together]
    busy = _together(pairs, "utilisation")
    return Findings(
        measured=judged_losses(pairs) | {"js.f4.ahead": Measured(rounds)},
        answers=[
            (
                f"{slow:.1f} % of slow start's connections lose nothing and {jump:.1f} % of Jump "
                f"Start's, a difference of {jump - slow:+.1f} points where the paper has "
                f"{number('js.f4.lossfree'):+g}."
            ),
            (
                f"Connections with losses lose {lossy[0]:.0f} % of their packets under slow "
                f"start and {lossy[1]:.0f} % under Jump Start."
            ),
            (
                f"The link is busy {100 * np.mean(busy[0]):.0f} % of the time under slow start and "
                f"{100 * np.mean(busy[1]):.0f} % under Jump Start."
            ),
            f"Slow start delivers {AHEAD} packets in {rounds:.1f} round trips on an empty path.",
        ],
        tables=[
            Table("figure4b", "Loss rates, all draws together", _loss_rows(together, lossy)),
            Table("figure4b_sizes", "Losses: connections by size", _size_rows(pairs)),
        ],
        pictures=[
            Picture(
                "figure4b",
                "Distribution of loss rates, all draws together. Left: all connections; ring: "
                "where slow start's share without loss would be, ten points below Jump Start's, as "
                "the paper prints. Right: those that lose; ring: where Jump Start's median would "
                "be, at twice slow start's",
                lambda: _draw_losses(together),
            )
        ],
    )


def _free(loss: Values) -> float:
    """The connections without loss, in percent."""
    return float(100 * np.mean(loss == 0))


def _lossy_ratio(sums: Values) -> Any:
    """Mean loss of those that lose, Jump Start's over slow start's."""
    slow, slow_lossy, jump, jump_lossy = sums
    return jump / jump_lossy / (slow / slow_lossy)


def _loss_rows(together: Sequence[Values], lossy: Sequence[float]) -> list[dict[str, str | float]]:
    return [
        {
            "startup": name,
            "connections": len(loss),
            "without loss, %": round(_free(loss), 1),
            "mean loss of the others, %": round(mean, 1),
        }
        for name, loss, mean in zip(NAMES, together, lossy, strict=True)
    ]


def _size_rows(pairs: Pairs) -> list[dict[str, str | float]]:
    # In the order in which their pages were read, which is not the same in both.
    sizes, losses = _together(pairs, "packets"), _together(pairs, "loss")
    rows: list[dict[str, str | float]] = []
    for low, high in zip(CLASSES, (*CLASSES[1:], None), strict=True):
        mine = [(of_one >= low) & (of_one < (high or np.inf)) for of_one in sizes]
        lose = [100 * np.mean(loss[m] > 0) for loss, m in zip(losses, mine, strict=True)]
        rows.append(
            {
                "packets": f"{low} to {high - 1}" if high else f"{low} and more",
                "share of connections, %": round(float(100 * np.mean(mine[0])), 1),
                "lose something in slow start, %": round(float(lose[0]), 1),
                "lose something under Jump Start, %": round(float(lose[1]), 1),
            }
        )
    return rows


def _unhindered() -> Document:
    """Slow start where sending takes no time, so that only rounds count."""
    return setups.along(setups.single(setups.SLOW_START, AHEAD), rate="10Gbps")


def _rows(slow: Values, jump: Values) -> list[dict[str, float]]:
    return [
        {
            "percentile": percentile,
            "slow start, s": round(float(np.percentile(slow, percentile)), 3),
            "Jump Start, s": round(float(np.percentile(jump, percentile)), 3),
            "ratio": round(
                float(np.percentile(slow, percentile) / np.percentile(jump, percentile)), 2
            ),
        }
        for percentile in PERCENTILES
    ]


def _draw_durations(slow: Values, jump: Values) -> "Figure":
    from flowstart_papers import drawing

    half = float(np.percentile(slow, 25)) / number("js.f4.p25")
    return drawing.single(
        drawing.Axis("connection duration (s)", "log", (0.06, 10), (0.1, 0.2, 0.5, 1, 2, 5)),
        drawing.Axis("share of connections", limits=(0, 1)),
        _distributions((slow, jump)),
        marks=False,
        published={NAMES[1]: ((half,), (0.25,))},
    )


def _draw_losses(together: Sequence[Values]) -> "Figure":
    from flowstart_papers import drawing

    share = drawing.Axis("share of connections", limits=(0, 1))
    lossy = [100 * loss[loss > 0] for loss in together]
    # Ten points more than slow start's would be more than all: the ring is where slow start's
    # share would be, ten points below Jump Start's.
    fewer = (_free(together[1]) - number("js.f4.lossfree")) / 100
    twice = number("js.f4.lossratio") * float(np.median(lossy[0]))
    return drawing.panels(
        drawing.Panel(
            drawing.Axis("packets dropped per packet sent (%)", limits=(-2, None)),
            share,
            _distributions([100 * loss for loss in together]),
            published={NAMES[0]: ((0,), (fewer,))},
            title="all connections",
            marks=False,
        ),
        drawing.Panel(
            drawing.Axis("packets dropped per packet sent (%)", "log", ticks=(1, 3, 10, 30, 100)),
            share,
            _distributions(lossy),
            published={NAMES[1]: ((twice,), (0.5,))},
            title="those that lose",
            marks=False,
        ),
    )


def _distributions(values: Sequence[Values]) -> dict[str, tuple[list[float], list[float]]]:
    shares = np.linspace(0, 1, 401)
    return {
        name: (np.quantile(found, shares).tolist(), shares.tolist())
        for name, found in zip(NAMES, values, strict=True)
    }


EXPERIMENTS = (
    Experiment(
        id="JS-F4a",
        figure="Fig. 4a",
        question="How long do the connections of a web load take, those above an initial window?",
        run=run_durations,
    ),
    Experiment(
        id="JS-F4b",
        figure="Fig. 4b",
        question="How many of them lose packets, and how many packets?",
        run=run_losses,
    ),
)
