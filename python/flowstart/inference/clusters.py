"""Sums over clusters, whose spread tells how far an estimate may be from the truth.

Transfers of one cluster may depend on each other in any way, so what varies is the sum over each
cluster. Sums are made for a block of clusters at a time: memory does not grow with their number.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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
class Part:
    """The components of one group's transfers."""

    columns: tuple[Column, ...]
    clusters: NDArray[np.int64]
    """The cluster of each transfer, in rising order."""

    def deviations(self, begin: int, end: int, means: Floats) -> Floats:
        """How far transfers lie from the means, transfers × components; 0 where left out."""
        found = np.zeros((end - begin, len(self.columns)))
        for place, (column, mean) in enumerate(zip(self.columns, means, strict=True)):
            some = column[begin:end]
            found[:, place] = np.where(_known(some), some - mean, 0.0)
        return found


def _known(column: Column) -> NDArray[np.bool_]:
    if column.dtype == np.int8:
        return np.asarray(column != LEFT_OUT)
    return ~np.isnan(column)


@dataclass(frozen=True)
class Sums:
    """Components of several groups, ready to be summed up by cluster."""

    parts: tuple[Part, ...]

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
            found = np.zeros((min(BLOCK, last + 1 - first), self.width))
            column = 0
            for part in self.parts:
                columns = slice(column, column + len(part.columns))
                _add(part, first, means[columns], found[:, columns])
                column = columns.stop
            yield found / counts

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
        share = fourth / np.maximum(squares.diagonal() ** 2, 1e-300)
        freedom = 2 / np.maximum(share - 1 / max(clusters, 1), 1e-9)
        return squares * max(clusters - 1, 1) / max(clusters, 1), freedom


def _add(part: Part, first: int, means: Floats, found: Floats) -> None:
    """Adds the sums of the clusters from `first` on to `found`, one row each."""
    begin, end = np.searchsorted(part.clusters, [first, first + len(found)])
    if begin == end:
        return
    deviations = part.deviations(int(begin), int(end), means)
    numbers = part.clusters[begin:end] - first
    starts = np.flatnonzero(np.diff(numbers, prepend=-1))
    sums = np.add.reduceat(deviations, starts, axis=0)
    sizes = np.diff(starts, append=end - begin)
    left = 1 - sizes / len(part.clusters)
    # A group of a single cluster has nothing left; no interval is stated of it.
    found[numbers[starts]] += sums / np.where(left > 0, left, 1)[:, None]


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
