"""Means and quantiles of cells by their weights, in which the seeds of a question share one."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Values: TypeAlias = NDArray[Any]
Floats: TypeAlias = NDArray[np.float64]

ROUNDING = 1e-9
"""What sums of weights may be off by, as a share of them."""


def means(values: Values, weights: Floats) -> Floats:
    """The mean of each column."""
    return np.asarray(np.average(values, axis=0, weights=weights), dtype=np.float64)


def geometric_means(values: Values, weights: Floats) -> Floats:
    """The geometric mean of each column."""
    return np.asarray(np.exp(means(np.log(values), weights)))


def quantiles(values: Floats, weights: Floats, shares: Sequence[float]) -> list[Floats]:
    """For each of `shares`, the least value of each column that so much of the weight is up to."""
    order = np.argsort(values, axis=0, kind="stable")
    ranked = np.take_along_axis(values, order, axis=0)
    up_to = np.cumsum(weights[order], axis=0)
    total = weights.sum()
    places = [(up_to >= (share - ROUNDING) * total).argmax(axis=0) for share in shares]
    return [np.take_along_axis(ranked, place[None], axis=0)[0] for place in places]


def grouped_means(
    values: Values, weights: Floats, groups: "NDArray[np.integer[Any]]", count: int
) -> Floats:
    """Means of each column over the rows of each of `count` groups, NaN without any."""
    order = np.argsort(groups, kind="stable")
    present, starts = np.unique(groups[order], return_index=True)
    found = np.full((count, values.shape[1]), np.nan)
    if len(present):
        own = weights[order]
        sums = np.add.reduceat(values[order] * own[:, None], starts, axis=0)
        found[present] = sums / np.add.reduceat(own, starts)[:, None]
    return found
