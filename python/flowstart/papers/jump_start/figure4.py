"""Figure 4: a web load; connections of more than an initial window."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from flowstart.model.document import Document
from flowstart.papers.experiment import Experiment, Findings, Picture, Table
from flowstart.papers.jump_start import measures, setups
from flowstart.papers.lab import Lab
from flowstart.papers.measures import interval
from flowstart.papers.target import Measured

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
    """The values of all seeds as one distribution, of each start-up."""
    return [np.concatenate([pair[i][name] for pair in pairs]) for i in (0, 1)]


def run_durations(lab: Lab) -> Findings:
    """Figure 4a."""
    pairs = _pairs(lab)
    each = _of_each(pairs, "duration_s")
    ratios = [float(np.percentile(a, 25) / np.percentile(b, 25)) for a, b in each]
    # Few connections of a draw take so long: all draws count together.
    longer = [(float((a >= 1).sum()), float((b >= 1).sum())) for a, b in each]
    slow, jump = _together(pairs, "duration_s")
    shortest = min(pair[0]["min_rtt_s"][0] for pair in pairs)
    p25 = float(np.mean(ratios))
    late = [float(np.percentile(values, 98)) for values in (slow, jump)]
    return Findings(
        measured=_judge_durations(ratios, longer) | {"js.f4.16rtt": Measured(1 / shortest)},
        answers=[
            (
                f"At the 25th percentile slow start takes {p25:.2f} times as long as Jump Start, "
                f"{min(ratios):.2f} to {max(ratios):.2f} over {len(SEEDS)} draws of the load."
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
                "Distribution of durations, all draws together",
                lambda: _draw((slow, jump), "connection duration (s)", "log", (0.1, 10)),
            )
        ],
    )


def _judge_durations(
    ratios: Sequence[float], longer: Sequence[tuple[float, float]]
) -> dict[str, Measured]:
    """`ratios` are those of the 25th percentiles, `longer` the connections of 1 s and more."""
    p25, around = float(np.mean(ratios)), interval(ratios)
    tail = sum(jump for _, jump in longer) / sum(slow for slow, _ in longer)
    return {
        "js.f4.p25": Measured(
            p25,
            holds=p25 > 2,
            interval=around,
            seeds=len(SEEDS),
            because="the connections at the 25th percentile carry five packets and lose nothing: "
            "Jump Start saves them part of one round of three; it holds under far higher loads",
            shown_by="JS-LOAD",
        ),
        "js.f4.short": Measured(p25, holds=around[0] > 1, interval=around, seeds=len(SEEDS)),
        "js.f4.tail": Measured(
            tail,
            holds=1 / 1.3 <= tail <= 1.3,
            interval=measures.sums_interval(longer, lambda sums: sums[1] / sums[0]),
            seeds=len(SEEDS),
            because="a lost SYN waits three seconds, and more are lost beside Jump Start",
        ),
    }


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
        measured=_judge_losses(pairs, free) | {"js.f4.ahead": Measured(rounds)},
        answers=[
            (
                f"{slow:.1f} % of slow start's connections lose nothing and {jump:.1f} % of Jump "
                f"Start's, a difference of {jump - slow:+.1f} points where the paper has +10."
            ),
            (
                f"Connections that lose at all lose {lossy[0]:.0f} % of their packets under slow "
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
            Table("figure4b_sizes", "Who loses: connections by size", _size_rows(pairs)),
        ],
        pictures=[
            Picture(
                "figure4b",
                "Distribution of loss rates, all draws together",
                lambda: _draw(together, "packets dropped per packet sent", lowest=0.8),
            )
        ],
    )


def _free(loss: Values) -> float:
    """The connections without loss, in percent."""
    return float(100 * np.mean(loss == 0))


def _judge_losses(pairs: Pairs, free: Sequence[Sequence[float]]) -> dict[str, Measured]:
    """`free` are the shares without loss, of each draw."""
    more = [jump - slow for slow, jump in free]
    points = float(np.mean(more))
    # A draw may have no connection that loses: losses and their number count over all draws.
    sums = [
        [figure for loss in pair for figure in (loss.sum(), (loss > 0).sum())]
        for pair in _of_each(pairs, "loss")
    ]
    ratio = _lossy_ratio(np.asarray(sums).sum(axis=0))
    return {
        "js.f4.lossfree": Measured(
            points,
            holds=points > 0,
            interval=interval(more),
            seeds=len(SEEDS),
            because="larger responses fill the queue at once, and packets of smaller ones are "
            "lost with theirs; the link is idle most of the time, so that getting out of the way "
            "frees little",
            shown_by="JS-LOAD",
        ),
        "js.f4.lossratio": Measured(
            float(ratio),
            holds=bool(1.3 <= ratio <= 3.5),
            interval=measures.sums_interval(sums, _lossy_ratio),
            seeds=len(SEEDS),
        ),
    }


def _lossy_ratio(sums: Values) -> Any:
    """Mean loss of those that lose, Jump Start's over slow start's."""
    slow, slow_lossy, jump, jump_lossy = sums
    return jump / jump_lossy / (slow / slow_lossy)


def _loss_rows(together: Sequence[Values], lossy: Sequence[float]) -> list[dict[str, str | float]]:
    return [
        {
            "start-up": name,
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


def _draw(
    values: Sequence[Values],
    label: str,
    scale: Literal["linear", "log"] = "linear",
    limits: tuple[float | None, float | None] = (0, None),
    *,
    lowest: float = 0,
) -> "Figure":
    from flowstart.papers import drawing

    shares = np.linspace(0, 1, 401)
    return drawing.single(
        drawing.Axis(label, scale, limits),
        drawing.Axis("share of connections", limits=(lowest, 1)),
        {
            name: (np.quantile(found, shares).tolist(), shares.tolist())
            for name, found in zip(NAMES, values, strict=True)
        },
        marks=False,
    )


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
