"""Sums over clusters, whose spread tells how far an estimate may be from the truth.

Transfers of one cluster may depend on each other in any way, so what varies is the sum over each
cluster. Sums are made for a block of clusters at a time: memory does not grow with their number.
"""

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

BLOCK = 4096
"""Clusters whose sums are held at once."""
LEFT_OUT = -1
"""Stands in an indicator for a transfer that is not compared."""


Column = NDArray[np.int8] | Floats
"""A component of each transfer: 1, 0 or `LEFT_OUT`; or a number, NaN where it is left out."""


@dataclass(frozen=True)
class ClusterPart:
    """The components of one group's transfers."""

    columns: tuple[Column, ...]
    clusters: NDArray[np.int64]
    """The cluster of each transfer, in rising order."""

    def deviations(self, begin: int, end: int, means: Floats) -> Floats:
        """How far transfers lie from the means, transfers × components; 0 where left out."""
        deviations = np.zeros((end - begin, len(self.columns)))
        for index, (column, mean) in enumerate(zip(self.columns, means, strict=True)):
            some = column[begin:end]
            deviations[:, index] = np.where(_known(some), some - mean, 0.0)
        return deviations


def _known(column: Column) -> NDArray[np.bool_]:
    if column.dtype == np.int8:
        return np.asarray(column != LEFT_OUT)
    return ~np.isnan(column)


@dataclass(frozen=True)
class Sums:
    """Components of several groups, ready to be summed up by cluster."""

    parts: tuple[ClusterPart, ...]

    @property
    def width(self) -> int:
        """How many components all parts have together."""
        return sum(len(part.columns) for part in self.parts)

    def means(self) -> Floats:
        """The mean of each component, which is the share of ones where it has only these."""
        sums = [np.sum(c, where=_known(c), dtype=np.float64) for p in self.parts for c in p.columns]
        return np.array(sums) / self.counts()

    def counts(self) -> Floats:
        """How many transfers each component has, at least 1."""
        known = [_known(c).sum() for p in self.parts for c in p.columns]
        return np.maximum(np.array(known, dtype=np.float64), 1)

    def blocks(self) -> Iterator[Floats]:
        """By how much the components' means differ without each cluster, clusters × components."""
        means, counts = self.means(), self.counts()
        last = max((int(p.clusters[-1]) for p in self.parts if p.clusters.size), default=-1)
        for first in range(0, last + 1, BLOCK):
            block = np.zeros((min(BLOCK, last + 1 - first), self.width))
            column = 0
            for part in self.parts:
                columns = slice(column, column + len(part.columns))
                _add(part, first, means[columns], block[:, columns])
                column = columns.stop
            yield block / counts

    def spread(self) -> tuple[Floats, Floats]:
        """The covariance of the components' means, and the degrees of freedom of each variance.

        It is the jackknife's covariance, which leaves out a cluster at a time: where clusters are
        few or of unequal size it is less short than the sum of squares (MacKinnon, Nielsen and
        Webb 2023). A variance that is the sum of few large squares is itself uncertain. Its degrees
        of freedom are those of the χ² distribution with the same relative variance.
        """
        squares = np.zeros((self.width, self.width))
        fourth = np.zeros(self.width)
        clusters = 0
        for block in self.blocks():
            squares += block.T @ block
            fourth += (block**4).sum(axis=0)
            clusters += int(np.count_nonzero(block.any(axis=1)))
        freedom = _freedom(squares.diagonal(), fourth, clusters)
        return squares * max(clusters - 1, 1) / max(clusters, 1), freedom

    def spread_of(self, forms: Floats) -> tuple[Floats, Floats]:
        """The variances of linear forms of the means, a column each, and their freedom.

        Where both parts of a difference vary together, it has more freedom than either.
        """
        squares, fourth = np.zeros(forms.shape[1]), np.zeros(forms.shape[1])
        clusters = 0
        for block in self.blocks():
            scores = block @ forms
            squares += (scores**2).sum(axis=0)
            fourth += (scores**4).sum(axis=0)
            clusters += int(np.count_nonzero(block.any(axis=1)))
        freedom = _freedom(squares, fourth, clusters)
        return squares * max(clusters - 1, 1) / max(clusters, 1), freedom


def _freedom(squares: Floats, fourth: Floats, clusters: int) -> Floats:
    """The degrees of freedom of sums of squares."""
    share = fourth / np.maximum(squares**2, 1e-300)
    return np.asarray(2 / np.maximum(share - 1 / max(clusters, 1), 1e-9))


def _add(part: ClusterPart, first: int, means: Floats, block: Floats) -> None:
    """Adds the sums of the clusters from `first` on to `block`, one row each."""
    begin, end = np.searchsorted(part.clusters, [first, first + len(block)])
    if begin == end:
        return
    deviations = part.deviations(int(begin), int(end), means)
    numbers = part.clusters[begin:end] - first
    starts = np.flatnonzero(np.diff(numbers, prepend=-1))
    sums = np.add.reduceat(deviations, starts, axis=0)
    sizes = np.diff(starts, append=end - begin)
    left = 1 - sizes / len(part.clusters)
    # A group of a single cluster has nothing left; no interval is stated of it.
    block[numbers[starts]] += sums / np.where(left > 0, left, 1)[:, None]


def numbered(groups: Sequence[NDArray[np.int64]]) -> list[NDArray[np.int64]]:
    """The clusters of several groups, numbered from 0 on without gaps."""
    _, numbers = np.unique(np.concatenate(groups), return_inverse=True)
    cuts = np.cumsum([len(group) for group in groups])[:-1]
    return [part.astype(np.int64) for part in np.split(numbers, cuts)]


def effective(clusters: NDArray[np.int64]) -> float:
    """How many clusters of equal size would say as much: (Σ sizes)² / Σ sizes² (Kish 1965)."""
    if not clusters.size:
        return 0.0
    sizes = np.unique(clusters, return_counts=True)[1].astype(np.float64)
    return float(sizes.sum() ** 2 / (sizes**2).sum())


DRAWS = 9999
NORMAL = NormalDist()
STILL = 1e-12
"""A variance below this share of the largest is rounding."""


def simultaneous(covariance: Floats, level: float, seed: int, draws: int = DRAWS) -> float:
    """The `level` quantile of the largest |deviation| among the rows, in standard deviations.

    Each draw gives every cluster a standard normal weight (the multiplier bootstrap of clusters,
    van der Vaart and Wellner 1996, §2.9). Weighted sums over clusters are normal with the
    covariance of the sums themselves, so they are drawn from that. A row that does not vary in
    the sample counts as one that varies independently of all others.
    """
    rows = len(covariance)
    if not rows:
        return independent(1, level)
    scale = np.sqrt(np.clip(np.diag(covariance), 0, None))
    still = scale <= STILL * max(scale.max(), 1e-300)
    correlation = covariance / np.outer(np.where(still, 1, scale), np.where(still, 1, scale))
    correlation[still, :] = correlation[:, still] = 0
    np.fill_diagonal(correlation, 1)
    values, vectors = np.linalg.eigh(correlation)
    # The symmetric root: signs of eigenvectors, and their choice where eigenvalues are equal, are
    # the library's and differ between processors.
    root = vectors * np.sqrt(np.clip(values, 0, None)) @ vectors.T
    largest = np.abs(np.random.default_rng(seed).standard_normal((draws, rows)) @ root)
    return float(np.quantile(largest.max(axis=1), level))


def independent(rows: int, level: float) -> float:
    """The same for rows that vary independently."""
    return NORMAL.inv_cdf((1 + level ** (1 / max(rows, 1))) / 2)


def student(normal: float, freedom: float) -> float:
    """What a t distribution of `freedom` degrees reaches where a normal one reaches `normal`."""
    above = 1 - NORMAL.cdf(normal)
    tangents, beyond = _student_tail(max(1, round(freedom)))
    return float(np.interp(-np.log(above), beyond, tangents))


@functools.cache
def _student_tail(freedom: int) -> tuple[Floats, Floats]:
    """Values of a t distribution and −log of the probability beyond each, both rising.

    With t = √ν tan θ its density over θ is cos^(ν−1) θ.
    """
    angles = np.pi / 2 * (1 - np.geomspace(1, 1e-9, 20001))
    density = np.cos(angles) ** (freedom - 1)
    pieces = np.diff(angles) * (density[1:] + density[:-1]) / 2
    beyond = np.append(np.cumsum(pieces[::-1])[::-1], 0.0)
    kept = beyond > 0
    share = beyond[kept] / beyond[0] / 2
    return np.sqrt(freedom) * np.tan(angles[kept]), -np.log(share)


STEPS = 4001
REACH = 12.0
"""Standard deviations around the mean beyond which nothing is left to count."""


def beta_quantile(p: float, a: float, b: float) -> float:
    """The value that a share of Beta(a, b) is below with probability `p`; a and b at least 0.5.

    With x = sin² θ the density over θ is sin^(2a−1) θ cos^(2b−1) θ, which has no poles.
    """
    mean = a / (a + b)
    middle, spread = math.asin(math.sqrt(mean)), 0.5 / math.sqrt(a + b)
    ends = max(middle - REACH * spread, 0.0), min(middle + REACH * spread, math.pi / 2)
    angles = np.linspace(*ends, STEPS)
    with np.errstate(divide="ignore", invalid="ignore"):
        heights = (2 * a - 1) * np.log(np.sin(angles)) + (2 * b - 1) * np.log(np.cos(angles))
    heights = np.nan_to_num(heights, nan=0.0, neginf=-np.inf)  # 0 · log 0
    density = np.exp(heights - heights.max())
    below = np.append(0.0, np.cumsum((density[1:] + density[:-1]) / 2))
    return float(np.sin(np.interp(p, below / below[-1], angles)) ** 2)
