"""What startups come to on a map: winners, regret, dominance and the Pareto front."""

from dataclasses import dataclass

import numpy as np

from flowstart.inference import Statistic, TransferGroup, intervals
from flowstart.maps.outcomes import (
    Dimension,
    Flags,
    Floats,
    Numbers,
    Outcomes,
    Shares,
    geometric_means,
    grouped_means,
    means,
    quantiles,
)

FASTER = 0.05
"""Who dominates takes less time by more than this share of the other's,"""
RETRANSMITTED = 0.002
"""repeats at most this much more of its packets, as a share of them,"""
HARM = 0.02
"""and harms each kind of competing flows at most this much more."""
BLOCK = 2048
"""Cases that are compared at once."""


@dataclass(frozen=True)
class Cases:
    """What every startup came to in every case, cases × startups."""

    first: Numbers
    """The place of each case's first cell."""
    times: Floats
    """Geometric means over the case's companies, in seconds; `inf` where one was not completed.
    Each kind of competing flows counts the same, whatever the number of its seeds."""
    retransmitted: Floats
    """Means over its companies."""
    harm: dict[str, Floats]
    """Means by kind of competing flows; NaN where a case has none of that kind."""

    @classmethod
    def of(cls, outcomes: Outcomes) -> "Cases":
        """The cases of all cells."""
        numbers, first, cases = np.unique(
            outcomes.numbers("case"), return_index=True, return_inverse=True
        )
        weights, competing = outcomes.weights, outcomes.cells["competing"].to_numpy()
        beside = {kind: competing == kind for kind in harmed(outcomes)}
        count = len(numbers)
        return cls(
            first,
            np.exp(grouped_means(np.log(outcomes.times), weights, cases, count)),
            grouped_means(outcomes.retransmitted, weights, cases, count),
            {
                kind: grouped_means(outcomes.harm[own], weights[own], cases[own], count)
                for kind, own in beside.items()
            },
        )


def harmed(outcomes: Outcomes) -> list[str]:
    """The kinds of competing flows of which harm is known, in the sweep's order."""
    known = ~np.isnan(outcomes.harm).all(axis=1)
    return list(dict.fromkeys(outcomes.cells["competing"].to_numpy()[known]))


@dataclass(frozen=True)
class Dominance:
    """Who dominates whom."""

    pairs: Floats
    """The share of cases in which the startup of the row dominates that of the column."""
    dominated: Flags
    """Whether some other dominates it, cases × startups."""
    first: Numbers
    """The place of each case's first cell."""

    @classmethod
    def of(cls, cases: Cases) -> "Dominance":
        """Over all cases."""
        count, startups = cases.times.shape
        pairs = np.zeros((startups, startups))
        dominated = np.zeros((count, startups), dtype=np.bool_)
        for begin in range(0, count, BLOCK):
            block = slice(begin, begin + BLOCK)
            for other in range(startups):
                beats = _beats(cases, block, other)
                pairs[other] += beats.sum(axis=0)
                dominated[block] |= beats
        return cls(pairs / max(count, 1), dominated, cases.first)

    def shares(self, cells: Flags) -> Floats:
        """How large a share of the cases that begin in `cells` each startup is dominated in."""
        own = cells[self.first]
        if not own.any():
            return np.full(self.dominated.shape[1], np.nan)
        shares: Floats = self.dominated[own].mean(axis=0)
        return shares


def _beats(cases: Cases, block: slice, other: int) -> Flags:
    """Where `other` dominates each startup."""
    time, more = cases.times[block], cases.retransmitted[block]
    dominates = time[:, [other]] < (1 - FASTER) * time
    dominates &= more[:, [other]] <= more + RETRANSMITTED
    for harm in cases.harm.values():
        own, its = harm[block], harm[block][:, [other]]
        # What is not known of either is no difference; known of one only, it may be one.
        dominates &= (its <= own + HARM) | (np.isnan(its) & np.isnan(own))
    return np.asarray(dominates)


@dataclass(frozen=True)
class Front:
    """What startups cost on average over a sweep; less is better in everything."""

    regret: Floats
    """Geometric means."""
    retransmitted: Floats
    """Mean shares of packets."""
    harm: dict[str, Floats]
    """Means by kind of competing flows."""
    on_front: Flags

    @classmethod
    def of(cls, outcomes: Outcomes) -> "Front":
        """Of all cells."""
        weights = outcomes.weights
        regret = geometric_means(outcomes.regret, weights)
        retransmitted = means(outcomes.retransmitted, weights)
        competing = outcomes.cells["competing"].to_numpy()
        harm = {
            kind: _known_mean(outcomes.harm[competing == kind], weights[competing == kind])
            for kind in harmed(outcomes)
        }
        return cls(regret, retransmitted, harm, front([regret, retransmitted, *harm.values()]))


def front(costs: list[Floats]) -> Flags:
    """Which columns of `costs` no other is at most as large as in all rows, and smaller in one."""
    table = np.nan_to_num(np.vstack(costs), nan=np.inf)
    no_more = (table[:, :, None] <= table[:, None, :]).all(axis=0)
    less = (table[:, :, None] < table[:, None, :]).any(axis=0)
    return np.asarray(~(no_more & less).any(axis=0))


def _known_mean(harm: Shares, weights: Floats) -> Floats:
    """The mean of each column over the cells in which it is known; NaN without any."""
    own = np.where(np.isnan(harm), 0.0, weights[:, None])
    total = own.sum(axis=0)
    sums = (np.nan_to_num(harm) * own).sum(axis=0)
    known = np.where(total > 0, total, np.nan)
    return np.asarray(sums / known)


MARGIN = 0.05
"""Startups tie whose times differ by less than this share of the best."""


@dataclass(frozen=True)
class Winners:
    """Which startups are the best of each cell."""

    best: Flags
    """Within the margin of the least completion time, cells × startups."""
    weights: Floats
    """What each cell counts."""

    @classmethod
    def of(cls, outcomes: Outcomes, margin: float = MARGIN) -> "Winners":
        """Those of all cells."""
        return cls(outcomes.ties(margin), outcomes.weights)

    def shares(self, cells: Flags) -> tuple[Floats, Floats, Floats]:
        """The shares of some cells that each startup wins alone, ties for, and loses."""
        best, weights = self.best[cells], self.weights[cells]
        alone = best.sum(axis=1) == 1
        won = means(best & alone[:, None], weights)
        tied = means(best & ~alone[:, None], weights)
        return won, tied, 1 - won - tied


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
        TransferGroup.of(kind, regret[cells[first]], lines[cells[first]])
        for kind, cells in dimension
    ]
    rows = intervals(
        groups, [*outcomes.startups, BEST], BEST, statistics=[Statistic.GEOMEAN_RATIO], seed=SEED
    )
    ends = {group.name: np.full((len(outcomes.startups), 2), np.nan) for group in groups}
    for row in rows:
        if row.low is not None and row.high is not None:
            index = outcomes.startups.index(row.variant)
            ends[row.group][index] = 1 + row.low, 1 + row.high
    return ends
