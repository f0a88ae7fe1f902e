"""Statistics of two variants beside each other, and their intervals.

A quantile's interval is found among ranks: how many transfers lie below the true quantile is a sum
over clusters, whatever the times are (Woodruff 1952). So heavy tails, ties, and transfers that are
never done need nothing of their own.
"""

import math
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from flowstart.inference.clusters import LEFT_OUT, ClusterPart, Column, Floats
from flowstart.inference.data import HARM_THRESHOLD, Statistic, TransferGroup

Chosen = NDArray[np.bool_]
"""Which transfers of a group are compared."""


@dataclass(frozen=True)
class Ranked:
    """Values of the compared transfers in rising order."""

    order: NDArray[np.int64]
    values: Floats

    def rank(self, p: float) -> int:
        """The place of the quantile `p`, by nearest rank."""
        return round(p * (len(self.values) - 1))

    def at(self, p: float, shifts: Floats) -> Floats:
        """The values whose ranks are away from that of `p` by shares of all transfers.

        Rounded away from it; NaN beyond the first or last value.
        """
        steps = np.sign(shifts) * np.ceil(np.abs(shifts) * len(self.values) - 1e-9)
        places = self.rank(p) + steps
        inside = (places >= 0) & (places < len(self.values))
        values = self.values[np.where(inside, places, 0).astype(np.int64)]
        return np.where(inside, values, np.nan)


@dataclass
class Components:
    """The components of one group, each made once."""

    group: TransferGroup
    shuffled: NDArray[np.int64]
    """The transfers in random order, which is that of equal values, for all variants the same."""
    columns: list[Column] = field(default_factory=list)
    _ranked: dict[object, Ranked] = field(default_factory=dict)
    _below: dict[object, int] = field(default_factory=dict)

    def ranked(self, key: object, values: Floats, compared: Chosen) -> Ranked:
        """The compared transfers by `values`, which are known as `key`."""
        if key not in self._ranked:
            chosen = self.shuffled[compared[self.shuffled]]
            order = chosen[np.argsort(values[chosen], kind="stable")]
            self._ranked[key] = Ranked(order, values[order])
        return self._ranked[key]

    def below(self, key: object, p: float) -> int:
        """The column that tells who is at or below the quantile `p` of the values at `key`."""
        if (key, p) not in self._below:
            ranked = self._ranked[key]
            column = np.full(len(self.shuffled), LEFT_OUT, dtype=np.int8)
            column[ranked.order] = 0
            column[ranked.order[: ranked.rank(p) + 1]] = 1
            self._below[key, p] = self._add(column)
        return self._below[key, p]

    def where(self, answers: Chosen, compared: Chosen) -> int:
        """The column of answers that are known."""
        return self._add(np.where(compared, answers, LEFT_OUT).astype(np.int8))

    def values(self, values: Floats, compared: Chosen) -> int:
        """The column of numbers that are known."""
        return self._add(np.where(compared, values, np.nan))

    def part(self) -> ClusterPart:
        """All columns, ready to be summed up."""
        return ClusterPart(tuple(self.columns), self.group.clusters)

    def _add(self, column: Column) -> int:
        self.columns.append(column)
        return len(self.columns) - 1


Ends: TypeAlias = tuple[float, float] | None
"""The ends of an interval; None where the data ends before it does."""

ANGLES = np.linspace(0, 2 * np.pi, 144, endpoint=False)
FEW_HARMED = 10
"""With fewer clusters that have one, it is not known how much hurt transfers stand together."""


@dataclass(frozen=True)
class Spread:
    """How far the components of one statistic may be from the truth."""

    covariance: Floats
    """Of their shares."""
    normal: float
    """How many standard deviations the interval is to reach, were the covariance known."""
    reach: float
    """How many, since it is estimated."""
    clusters: float
    """The effective number of clusters."""


@dataclass(frozen=True)
class QuantileChange:
    """The relative change of a quantile: how two components' ranks move two variants' times."""

    statistic: Statistic
    variant: Ranked
    base: Ranked
    columns: tuple[int, int]

    @property
    def p(self) -> float:
        """Which quantile."""
        p = self.statistic.quantile
        assert p is not None
        return p

    @property
    def transfers(self) -> int:
        """How many are compared."""
        return len(self.variant.values)

    @property
    def estimate(self) -> float:
        """The change in the sample; NaN where neither quantile is ever done."""
        return float(_ratio(self.variant.at(self.p, _ZERO), self.base.at(self.p, _ZERO))[0])

    def slopes(self, spread: Spread) -> Floats:
        """By how much log time moves with the rank, over the interval's reach."""
        sizes = spread.reach * np.sqrt(self._floored(spread)[1].diagonal())
        slopes = []
        for ranked, size, sign in ((self.variant, sizes[0], 1), (self.base, sizes[1], -1)):
            low, high = ranked.at(self.p, np.array([-size, size]))
            slope = np.log(high / low) / (2 * size) if low < high < np.inf else 0.0
            slopes.append(sign * slope)
        # Flat at both is a table of ties: what moves ranks apart is all that is left.
        return np.array(slopes if any(slopes) else [1.0, -1.0])

    def interval(self, spread: Spread) -> Ends:
        """The least and largest change over all pairs of ranks within the reach.

        For times that are smooth this is the linear approximation's interval, since the range of
        a linear form over an ellipse of radius c is c of its standard deviations.
        """
        correlation, covariance = self._floored(spread)
        circle = np.stack([np.cos(ANGLES), np.sin(ANGLES)])
        first, second = spread.reach * (_root(correlation) @ circle)
        variant = self.variant.at(self.p, _shifts(first, covariance[0, 0], self.p))
        base = self.base.at(self.p, _shifts(second, covariance[1, 1], self.p))
        if np.isnan(variant).any() or np.isnan(base).any():
            return None
        changes = _ratio(variant, base)
        return None if np.isnan(changes).any() else (float(changes.min()), float(changes.max()))

    def _floored(self, spread: Spread) -> tuple[Floats, Floats]:
        """Correlation and covariance of the two ranks, no less than few clusters can tell.

        A share is at least as uncertain as that of as many independent transfers. To the clusters
        that lie below one quantile and above the other, reach²/4 are added (Agresti and Min
        2005): none seen does not mean that there are none.
        """
        observed = spread.covariance
        size = np.sqrt(np.maximum(observed.diagonal(), self.p * (1 - self.p) / self.transfers))
        scale = np.where(observed.diagonal() > 0, np.sqrt(observed.diagonal()), 1.0)
        covariance = observed / np.outer(scale, scale) * np.outer(size, size)
        apart = (spread.reach / 2 / self.transfers) ** 2 / 4
        covariance = covariance + apart * np.array([[1, -1], [-1, 1]])
        size = np.sqrt(covariance.diagonal())
        return covariance / np.outer(size, size), covariance


@dataclass(frozen=True)
class MedianRatio:
    """The median over transfers of their own changes."""

    changes: Ranked
    columns: tuple[int]
    statistic = Statistic.MEDIAN_RATIO

    @property
    def transfers(self) -> int:
        """How many are compared."""
        return len(self.changes.values)

    @property
    def estimate(self) -> float:
        """The median in the sample."""
        return float(self.changes.at(0.5, _ZERO)[0])

    def slopes(self, spread: Spread) -> Floats:
        """One component alone has nothing to be weighed against."""
        del spread
        return np.array([-1.0])

    def interval(self, spread: Spread) -> Ends:
        """Between the changes at the ends of the median's ranks."""
        variance = max(spread.covariance[0, 0], 0.25 / self.transfers)
        ends = np.array([-spread.reach, spread.reach])
        low, high = self.changes.at(0.5, _shifts(ends, variance, 0.5))
        return None if np.isnan(low) or np.isnan(high) else (float(low), float(high))


@dataclass(frozen=True)
class GeomeanRatio:
    """The geometric mean of transfers' times against those under the baseline, less one."""

    mean_log: float
    transfers: int
    columns: tuple[int]
    statistic = Statistic.GEOMEAN_RATIO

    @property
    def estimate(self) -> float:
        """That of the sample."""
        return math.expm1(self.mean_log)

    def slopes(self, spread: Spread) -> Floats:
        """One component alone has nothing to be weighed against."""
        del spread
        return np.array([1.0])

    def interval(self, spread: Spread) -> Ends:
        """The mean of the logarithms, as far to both sides as it may be off."""
        half = spread.reach * math.sqrt(spread.covariance[0, 0])
        return math.expm1(self.mean_log - half), math.expm1(self.mean_log + half)


@dataclass(frozen=True)
class HarmedShare:
    """The share of transfers that are hurt."""

    estimate: float
    transfers: int
    harmed_clusters: int
    """In how many clusters there is one."""
    columns: tuple[int]
    statistic = Statistic.HARMED_SHARE

    def slopes(self, spread: Spread) -> Floats:
        """One component alone has nothing to be weighed against."""
        del spread
        return np.array([1.0])

    def interval(self, spread: Spread) -> Ends:
        """Wilson's score interval, with as many transfers as theirs are worth.

        Their worth is what their variance tells (Korn and Graubard 1998). Where too few clusters
        are hurt to have one, it is no more than the number of clusters.
        """
        variance, h, reach = spread.covariance[0, 0], self.estimate, spread.reach
        worth = min(h * (1 - h) / variance, self.transfers) if variance > 0 else self.transfers
        if self.harmed_clusters < FEW_HARMED or variance == 0:
            worth, reach = min(worth, spread.clusters), spread.normal
        square = reach**2
        middle = (h + square / (2 * worth)) / (1 + square / worth)
        half = np.sqrt(h * (1 - h) * square / worth + (square / worth) ** 2 / 4)
        half /= 1 + square / worth
        return max(float(middle - half), 0.0), min(float(middle + half), 1.0)


Change: TypeAlias = QuantileChange | GeomeanRatio | MedianRatio | HarmedShare
_ZERO = np.zeros(1)


def _ratio(values: Floats, base: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        return values / base - 1


def _shifts(normal: Floats, variance: float, p: float) -> Floats:
    """How far a share is from `p` at so many standard deviations, its skewness included.

    Its skewness is that of a binomial share of the same variance (Cornish and Fisher 1938).
    """
    worth = p * (1 - p) / variance
    skew = (1 - 2 * p) / (6 * worth)
    return np.asarray(normal * np.sqrt(variance) + skew * normal**2)


def _root(correlation: Floats) -> Floats:
    """A matrix whose product with its transpose is the correlation of two."""
    r = float(np.clip(correlation[0, 1], -1, 1))
    return np.array([[1.0, 0.0], [r, np.sqrt(1 - r * r)]])


def measure(
    components: Components, variant: int, base: int, statistic: Statistic
) -> tuple[Change | None, bool]:
    """A statistic, or None where no transfer was run both ways; and whether no transfer differs."""
    times = components.group.times
    new, old = times[:, variant], times[:, base]
    compared = ~(np.isnan(new) | np.isnan(old))
    if not statistic.quantile:
        compared &= np.isfinite(old)  # otherwise there is nothing to be later than
    if not compared.any():
        return None, False
    same = bool(np.array_equal(new[compared], old[compared]))
    if statistic.quantile:
        return _quantile(components, (variant, base), statistic, compared), same
    if statistic == Statistic.GEOMEAN_RATIO:
        return _geomean(components, new, old, compared & np.isfinite(new)), same
    changes = new / np.where(compared, old, 1) - 1
    if statistic == Statistic.HARMED_SHARE:
        return _harmed(components, changes > HARM_THRESHOLD, compared), same
    key = ("median_ratio", variant, base)
    ranked = components.ranked(key, changes, compared)
    return MedianRatio(ranked, (components.below(key, 0.5),)), same


def _geomean(components: Components, new: Floats, old: Floats, done: Chosen) -> GeomeanRatio | None:
    if not done.any():
        return None
    logs = np.log(np.where(done, new, 1.0) / np.where(done, old, 1.0))
    column = components.values(logs, done)
    return GeomeanRatio(float(logs[done].mean()), int(done.sum()), (column,))


def _quantile(
    components: Components, pair: tuple[int, int], statistic: Statistic, compared: Chosen
) -> QuantileChange:
    p = statistic.quantile
    assert p
    # The order of a variant's times serves all contrasts with the same transfers.
    of = None if compared.all() else pair
    times = components.group.times
    ranked = [components.ranked((v, of), times[:, v], compared) for v in pair]
    columns = (components.below((pair[0], of), p), components.below((pair[1], of), p))
    return QuantileChange(statistic, ranked[0], ranked[1], columns)


def _harmed(components: Components, harmed: Chosen, compared: Chosen) -> HarmedShare:
    harmed = harmed & compared
    return HarmedShare(
        estimate=float(harmed.sum() / compared.sum()),
        transfers=int(compared.sum()),
        harmed_clusters=len(np.unique(components.group.clusters[harmed])),
        columns=(components.where(harmed, compared),),
    )
