"""The share of traffic in networks beyond a limit, from a hierarchical model of the networks.

A network by itself has too few transfers to show that it keeps a limit, and of many networks some
exceed it in the sample by chance. So the true values of all networks are taken as draws from one
distribution, whose mean and width are estimated from all of them (Efron and Morris 1975; Carlin
and Louis 2008, chapter 5). Each network is judged by its own transfers and by what the others
show about networks. Shares have a beta distribution, other quantities a normal one.

Mean and width are integrated out, not fixed at an estimate: with few networks the width is hardly
known. The prior of the width is uniform in the shrinkage, which is the weight of the other
networks in a typical network's estimate (Christiansen and Morris 1997; Daniels 1999).

That the share of traffic in networks beyond the limit is small is shown in two parts. Each network
with so much traffic that it alone exceeds that share must keep the limit with 95 % confidence. So
must, for the share of traffic, all smaller ones together. If the share is exceeded, one of these
statements is false, so the error is that of one of them, however many there are
(intersection-union test, Berger 1982).

Distributions are held on cells of a grid, of which one edge is the limit.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from flowstart.inference.clusters import Floats

BELOW, ABOVE = 80, 120
"""Cells of the grid below and above the limit."""
MEANS, WIDTHS = 24, 16
"""Values of the mean and of the shrinkage over which the posterior is summed up."""
REACH = 6.0
"""Standard deviations around the mean of all networks beyond which no mean is considered."""
BLOCK = 2**22
"""Numbers that are held at once."""
DRAWS = 2000
NEVER = 1e-5
"""The expected number of networks beyond a limit of which no draw is made."""
DIGITS = 12
"""Of a share: matrix products of processors differ in the last bits; a share may equal a limit."""
HALF_PI = np.pi / 2


class Distribution(Protocol):
    """A family of distributions of networks' true values, and what networks show of theirs."""

    @property
    def limit(self) -> float:
        """The value beyond which a network exceeds the limit."""

    def edges(self) -> Floats:
        """The edges of the grid's cells, rising; one of them is the limit."""

    def log_likelihood(self, values: Floats) -> Floats:
        """That of each network at each value: networks × values."""

    def priors(self, edges: Floats) -> Floats:
        """The share of networks in each cell, a row for each mean and width considered."""


@dataclass(frozen=True)
class HarmedShares:
    """Shares of transfers: of the `worth` independent transfers of a network, `hits` are harmed.

    Values are arcsine roots of shares, whose sampling variance is 1 / 4n whatever the share.
    """

    hits: Floats
    worth: Floats
    share_limit: float

    @property
    def limit(self) -> float:
        """The limit among the values."""
        return float(np.arcsin(np.sqrt(self.share_limit)))

    def edges(self) -> Floats:
        """All shares from 0 to 1."""
        return _edges(0.0, self.limit, HALF_PI)

    def log_likelihood(self, values: Floats) -> Floats:
        """The binomial one."""
        hit, miss = 2 * np.log(np.sin(values)), 2 * np.log(np.cos(values))
        return np.asarray(np.outer(self.hits, hit) + np.outer(self.worth - self.hits, miss))

    def priors(self, edges: Floats) -> Floats:
        """Beta distributions; their mean has Jeffreys' prior, which is uniform in its arcsine."""
        total = self.worth.sum()
        own = np.arcsin(np.sqrt(self.hits / self.worth))
        middle = float(np.arcsin(np.sqrt(self.hits.sum() / total)))
        spread = REACH * np.sqrt(0.25 / total + ((own - middle) ** 2).mean() / len(own))
        ends = max(middle - spread, 0.0), min(middle + spread, HALF_PI)
        means, shrinkages = _considered(*ends)
        sizes = _typical(self.worth) * shrinkages / (1 - shrinkages)
        shares = np.sin(means) ** 2
        return _beta_cells(shares * sizes, (1 - shares) * sizes, edges)


@dataclass(frozen=True)
class Differences:
    """Quantities with a standard error, as they differ from their limit: the limit is 0."""

    estimates: Floats
    errors: Floats
    """Infinite where a network shows nothing."""
    limit: float = 0.0

    def edges(self) -> Floats:
        """From well below the smallest estimate to well above the largest."""
        known, margin = self.estimates[np.isfinite(self.errors)], 4 * self._spread
        return _edges(
            min(known.min(initial=0.0), 0.0) - margin, 0.0, known.max(initial=0.0) + margin
        )

    def log_likelihood(self, values: Floats) -> Floats:
        """The normal one."""
        logs = values - self.estimates[:, None]
        logs /= self.errors[:, None]
        logs **= 2
        logs *= -0.5
        return np.asarray(logs)

    def priors(self, edges: Floats) -> Floats:
        """Normal distributions; their mean has a uniform prior."""
        known = np.isfinite(self.errors)
        middle = float(self.estimates[known].mean()) if known.any() else 0.0
        half = REACH * self._spread / np.sqrt(max(int(known.sum()), 1))
        means, shrinkages = _considered(middle - half, middle + half)
        precision = _typical(self.errors[known] ** -2) if known.any() else 1.0
        widths = np.diff(edges)
        # No narrower than a cell, or a distribution would lie between their middles.
        variances = (1 - shrinkages) / shrinkages / precision + widths.max() ** 2
        logs = -0.5 * (_middles(edges) - means[:, None]) ** 2 / variances[:, None]
        return _normalised(logs + np.log(widths))

    @property
    def _spread(self) -> float:
        """How far networks' estimates are apart, and how far each may be off."""
        known = np.isfinite(self.errors)
        if not known.any():
            return 1.0
        variance = self.estimates[known].var() + (self.errors[known] ** 2).mean()
        return float(np.sqrt(variance))


@dataclass(frozen=True)
class Beyond:
    """The traffic in networks beyond a limit."""

    probabilities: Floats
    """Of each network, that its true value is beyond the limit."""
    large: NDArray[np.bool_]
    """Which networks alone have more than the share allowed."""
    shares: Floats
    """Draws from the posterior of the share of traffic in networks beyond the limit."""
    small_shares: Floats
    """The same of those that are not large."""

    @property
    def estimate(self) -> float:
        """The posterior mean of the share."""
        return float(self.shares.mean().round(DIGITS))

    def low(self, error: float) -> float:
        """What the share is below with this probability."""
        return min(float(np.quantile(self.shares, error, method="lower")), self.estimate)

    def high(self, error: float) -> float:
        """What the share is above with this probability; 0 for large networks within the limit."""
        kept = self.probabilities[self.large].max(initial=0.0) <= error
        shares = self.small_shares if kept else self.shares
        return max(float(np.quantile(shares, 1 - error, method="higher")), self.estimate)


def beyond(
    family: Distribution, traffic: Floats, allowed: float, seed: int, draws: int = DRAWS
) -> Beyond:
    """The traffic in networks beyond the limit.

    `traffic` has the share of each network, `allowed` the share that may be beyond.
    """
    edges = family.edges()
    values = _middles(edges)
    likelihood = family.log_likelihood(values)
    likelihood -= likelihood.max(axis=1, keepdims=True)
    np.exp(likelihood, out=likelihood)
    priors = family.priors(edges)
    evidence = np.zeros(len(priors))
    step = max(1, BLOCK // len(priors))
    for first in range(0, len(likelihood), step):
        some = likelihood[first : first + step] @ priors.T
        evidence += np.log(np.maximum(some, 1e-300)).sum(axis=0)
    weights = np.exp(evidence - evidence.max())
    random = np.random.default_rng(seed)
    drawn = random.multinomial(draws, weights / weights.sum())
    large, above = traffic > allowed, values > family.limit
    beyond_limit = likelihood[:, above]
    probabilities = np.zeros(len(traffic))
    both = np.column_stack([traffic, np.where(large, 0.0, traffic)])
    shares = []
    # Each prior as often as it was drawn: which networks are beyond under it.
    for prior, times in zip(priors[drawn > 0], drawn[drawn > 0], strict=True):
        whole = np.maximum(likelihood @ prior, 1e-300)
        own = beyond_limit @ prior[above] / whole
        probabilities += own * times / draws
        able = np.flatnonzero(own > NEVER / len(own))
        rows = max(1, BLOCK // max(len(able), 1))
        for drawn_first in range(0, int(times), rows):
            number = min(rows, int(times) - drawn_first)
            hits = random.random((number, len(able))) < own[able]
            shares.append((hits @ both[able]).round(DIGITS))
    total, small = np.concatenate(shares).T
    return Beyond(probabilities, large, total, small)


def _edges(low: float, limit: float, high: float) -> Floats:
    return np.concatenate(
        [np.linspace(low, limit, BELOW + 1)[:-1], np.linspace(limit, high, ABOVE + 1)]
    )


def _middles(edges: Floats) -> Floats:
    return np.asarray((edges[1:] + edges[:-1]) / 2)


def _considered(low: float, high: float) -> tuple[Floats, Floats]:
    """All pairs of a mean between these ends and a shrinkage."""
    means = _middles(np.linspace(low, high, MEANS + 1))
    shrinkages = _middles(np.linspace(0, 1, WIDTHS + 1))
    return np.repeat(means, WIDTHS), np.tile(shrinkages, MEANS)


def _normalised(logs: Floats) -> Floats:
    """Probabilities from their logarithms, by row."""
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _typical(precisions: Floats) -> float:
    """The harmonic mean of precisions: one over the mean of the variances (Daniels 1999)."""
    return float(1 / np.mean(1 / precisions))


def _beta_cells(a: Floats, b: Floats, edges: Floats) -> Floats:
    """The probability of each cell under each Beta(a, b), over x with share sin² x.

    The density is sin^(2a−1) x cos^(2b−1) x. The powers of x and of π/2 − x, which may have poles
    at the ends, are integrated exactly; what is left is smooth.
    """
    half = int(np.searchsorted(edges, HALF_PI / 2))
    first, second = 2 * a[:, None], 2 * b[:, None]
    left = _half(first, second, edges[: half + 1])
    right = _half(second, first, (HALF_PI - edges[half:])[::-1])[:, ::-1]
    return _normalised(np.hstack([left, right]))


def _half(near: Floats, far: Floats, edges: Floats) -> Floats:
    """The logarithm of each cell's integral of sin^(near−1) x cos^(far−1) x."""
    middles = _middles(edges)
    with np.errstate(divide="ignore"):
        powers = near * np.log(edges)
    whole = powers[:, 1:] + np.log1p(-np.exp(powers[:, :-1] - powers[:, 1:])) - np.log(near)
    smooth = (near - 1) * np.log(np.sin(middles) / middles) + (far - 1) * np.log(np.cos(middles))
    return np.asarray(whole + smooth)
