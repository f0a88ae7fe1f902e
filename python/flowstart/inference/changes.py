"""Statistics of two variants beside each other, and their intervals.

A quantile's interval is found among ranks: how many transfers lie below the true quantile is a sum
over clusters, whatever the times are (Woodruff 1952). So heavy tails, ties, and transfers that are
never done need nothing of their own.
"""

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from flowstart.inference.clusters import Floats
from flowstart.inference.components import Ranked
from flowstart.inference.data import Statistic

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
        found = []
        for ranked, size, sign in ((self.variant, sizes[0], 1), (self.base, sizes[1], -1)):
            low, high = ranked.at(self.p, np.array([-size, size]))
            slope = np.log(high / low) / (2 * size) if low < high < np.inf else 0.0
            found.append(sign * slope)
        # Flat at both is a table of ties: what moves ranks apart is all that is left.
        return np.array(found if any(found) else [1.0, -1.0])

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
        given = spread.covariance
        size = np.sqrt(np.maximum(given.diagonal(), self.p * (1 - self.p) / self.transfers))
        scale = np.where(given.diagonal() > 0, np.sqrt(given.diagonal()), 1.0)
        covariance = given / np.outer(scale, scale) * np.outer(size, size)
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
