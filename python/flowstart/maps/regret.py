"""What it costs to choose one startup for every cell, and how sure that is."""

from dataclasses import dataclass

import numpy as np

from flowstart.inference import Group, Statistic, intervals
from flowstart.maps.kinds import Dimension
from flowstart.maps.outcomes import Floats, Numbers, Outcomes
from flowstart.maps.weighing import geometric_means, grouped_means, means, quantiles

BEST = "the best of each cell"
SEED = 1


@dataclass(frozen=True)
class Regrets:
    """The regrets of all startups in one kind of cells; 1 is the best of every cell."""

    kind: str
    cells: int
    lines: int
    """How many combinations of rate and round trip the cells stand on."""
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
        """The startups by their mean."""
        return np.argsort(self.mean, kind="stable")


def regrets(outcomes: Outcomes, dimension: Dimension) -> list[Regrets]:
    """Those of every kind of a dimension; their intervals hold all at once."""
    lines = outcomes.numbers("line")
    ends = _ends(outcomes, dimension)
    return [
        _regrets(outcomes, kind, np.flatnonzero(cells), lines[cells], ends[kind])
        for kind, cells in dimension
    ]


def _regrets(
    outcomes: Outcomes, kind: str, places: Numbers, lines: Numbers, ends: Floats
) -> Regrets:
    raw, weights = outcomes.raw_regret[places], outcomes.weights[places]
    p50, p95 = quantiles(raw, weights, (0.5, 0.95))
    return Regrets(
        kind=kind,
        cells=len(places),
        lines=len(np.unique(lines)),
        unfinished=means(np.isinf(raw), weights),
        mean=geometric_means(outcomes.regret[places], weights),
        low=np.maximum(ends[:, 0], 1.0),
        high=ends[:, 1],
        p50=p50,
        p95=p95,
        worst=raw.max(axis=0),
        worst_cell=places[raw.argmax(axis=0)],
    )


def _ends(outcomes: Outcomes, dimension: Dimension) -> dict[str, Floats]:
    """The ends of the means' intervals by kind, startups × (low, high).

    Questions are counted, each with the mean of its seeds. Those on the same line may depend on
    each other, so lines are the clusters.
    """
    numbers, first, of = np.unique(
        outcomes.numbers("question"), return_index=True, return_inverse=True
    )
    logs = grouped_means(np.log(outcomes.regret), outcomes.weights, of, len(numbers))
    regret = np.hstack([np.exp(logs), np.ones((len(numbers), 1))])
    lines = outcomes.numbers("line")[first]
    groups = [
        Group.of(kind, regret[cells[first]], lines[cells[first]]) for kind, cells in dimension
    ]
    rows = intervals(
        groups, [*outcomes.startups, BEST], BEST, statistics=[Statistic.GEOMEAN_RATIO], seed=SEED
    )
    found = {group.name: np.full((len(outcomes.startups), 2), np.nan) for group in groups}
    for row in rows:
        if row.low is not None and row.high is not None:
            place = outcomes.startups.index(row.variant)
            found[row.group][place] = 1 + row.low, 1 + row.high
    return found
