"""What experiments commonly read from a run, and how they sum it up over seeds."""

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from flowstart.simulation.run import Run

RESAMPLES = 2000
CONFIDENCE = 95.0


def flows(run: Run) -> list[dict[str, Any]]:
    """All rows of all flows."""
    return run.records


def first(run: Run) -> dict[str, Any]:
    """The row of the first flow."""
    return run.records[0]


def improvement(slow_start: float, other: float) -> float:
    """How much sooner the other is done, in percent of slow start's time."""
    return 100 * (slow_start - other) / slow_start


def interval(values: Sequence[float], of: Callable[..., Any] = np.mean) -> tuple[float, float]:
    """Where `of` of the values lies with 95 % confidence: a bootstrap over the seeds' values.

    `of` sums up along an `axis`, as numpy's mean and median do.
    """
    drawn = np.random.default_rng(1).choice(np.asarray(values), (RESAMPLES, len(values)))
    spare = (100 - CONFIDENCE) / 2
    low, high = np.percentile(of(drawn, axis=1), [spare, 100 - spare])
    return cast(float, low.item()), cast(float, high.item())
