"""Bootstrap intervals of a statistic over independent draws."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Statistic = Callable[..., Any]
"""Sums up along an `axis`, as numpy's mean and median do."""

RESAMPLES = 2000
CONFIDENCE = 95.0


def bootstrap_interval(values: Sequence[float], of: Statistic = np.mean) -> tuple[float, float]:
    """The 95 % percentile interval of a statistic of values that were drawn independently."""
    drawn = np.random.default_rng(1).choice(np.asarray(values), (RESAMPLES, len(values)))
    return _bounds(of(drawn, axis=1))


def sums_interval(
    rows: Sequence[Sequence[float]], of: Callable[[NDArray[Any]], Any]
) -> tuple[float, float]:
    """The 95 % percentile interval of a function of the columns' sums; a row is one draw."""
    values = np.asarray(rows, dtype=float)
    drawn = np.random.default_rng(1).integers(len(values), size=(RESAMPLES, len(values)))
    return _bounds(of(values[drawn].sum(axis=1).T))


def _bounds(statistics: Any) -> tuple[float, float]:
    spare = (100 - CONFIDENCE) / 2
    low, high = np.percentile(statistics, [spare, 100 - spare])
    return float(low), float(high)
