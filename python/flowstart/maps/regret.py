"""What it costs to choose one start-up for every cell, and how sure that is."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flowstart.inference import Group, Statistic, intervals
from flowstart.maps.kinds import Dimension
from flowstart.maps.outcomes import Flags, Floats, Numbers, Outcomes

BEST = "the best of each cell"
SEED = 1


@dataclass(frozen=True)
class Regrets:
    """The regrets of all start-ups in one kind of cells; 1 is the best of every cell."""

    kind: str
    cells: int
    lines: int
    """How many combinations of rate, round trip and buffer the cells stand on."""
    unfinished: Floats
    """The share of cells in which the transfer was never completed."""
    mean: Floats
    """Geometric means, in which such a cell counts `Outcomes.penalty`."""
    low: Floats
    high: Floats
    """The intervals of the means; NaN where none is stated."""
    p50: Floats
    p95: Floats
    worst: Floats
    """Quantiles by nearest rank, and the largest; `inf` where never completed."""
    worst_cell: Numbers
    """The place of the cell with the largest."""

    @property
    def order(self) -> Numbers:
        """The start-ups by their mean."""
        return np.argsort(self.mean, kind="stable")


def regrets(outcomes: Outcomes, dimension: Dimension) -> list[Regrets]:
    """Those of every kind of a dimension; their intervals hold all at once."""
    lines = outcomes.numbers("line")
    parts = [(kind, cells, lines[cells]) for kind, cells in dimension]
    ends = _ends(outcomes, parts)
    return [
        _regrets(outcomes, kind, np.flatnonzero(cells), lines, ends[kind])
        for kind, cells, lines in parts
    ]


def _regrets(
    outcomes: Outcomes, kind: str, places: Numbers, lines: Numbers, ends: Floats
) -> Regrets:
    raw, regret = outcomes.raw_regret[places], outcomes.regret[places]
    ranked = np.sort(raw, axis=0)
    last = len(places) - 1
    return Regrets(
        kind=kind,
        cells=len(places),
        lines=len(np.unique(lines)),
        unfinished=np.isinf(raw).mean(axis=0),
        mean=np.exp(np.log(regret).mean(axis=0)),
        low=np.maximum(ends[:, 0], 1.0),
        high=ends[:, 1],
        p50=ranked[round(0.5 * last)],
        p95=ranked[round(0.95 * last)],
        worst=ranked[-1],
        worst_cell=places[raw.argmax(axis=0)],
    )


def _ends(outcomes: Outcomes, parts: Sequence[tuple[str, Flags, Numbers]]) -> dict[str, Floats]:
    """The ends of the means' intervals by kind, start-ups × (low, high).

    Cells on the same line may depend on each other, so lines are the clusters.
    """
    ones = np.ones((len(outcomes.times), 1))
    groups = [
        Group.of(kind, np.hstack([outcomes.regret[cells], ones[cells]]), lines)
        for kind, cells, lines in parts
    ]
    rows = intervals(
        groups, [*outcomes.startups, BEST], BEST, statistics=[Statistic.TYPICAL], seed=SEED
    )
    found = {group.name: np.full((len(outcomes.startups), 2), np.nan) for group in groups}
    for row in rows:
        if row.low is not None and row.high is not None:
            place = outcomes.startups.index(row.variant)
            found[row.group][place] = 1 + row.low, 1 + row.high
    return found
