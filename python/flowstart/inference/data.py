"""What inference is given and what it says: groups of transfers, statistics, rows."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from flowstart.errors import RequestError

HARM_THRESHOLD = 0.1
"""A transfer is harmed where it takes this much longer than under the baseline."""
NEGLIGIBLE = 0.0005
"""A change of a smaller share is neither a gain nor a loss."""
EQUAL = 0.01
"""A setting is equal to another if the interval of its change is within this margin of zero. A
smaller gain is no reason to change a host."""
LEVEL = 0.95
"""The share of tables whose intervals are to hold all at once."""


class Statistic(StrEnum):
    """A statistic of a variant against the baseline."""

    P50 = "p50"
    """The relative change of the median completion time: −0.1 is 10 % faster."""
    P95 = "p95"
    """That of the 95th percentile."""
    P99 = "p99"
    """That of the 99th percentile."""
    GEOMEAN_RATIO = "geomean_ratio"
    """The geometric mean over transfers of the ratio of their times, less one; of those that are
    completed under both variants."""
    MEDIAN_RATIO = "median_ratio"
    """The median over transfers of the ratio of their times, less one."""
    HARMED_SHARE = "harmed_share"
    """The share of transfers that take more than `HARM_THRESHOLD` longer, or are never done."""

    @property
    def quantile(self) -> float | None:
        """The quantile of completion times of which it is the change."""
        return {"p50": 0.5, "p95": 0.95, "p99": 0.99}.get(self.value)


OF_TRANSFERS = (
    *(Statistic.GEOMEAN_RATIO, Statistic.P50, Statistic.P95, Statistic.P99, Statistic.MEDIAN_RATIO),
    Statistic.HARMED_SHARE,
)
"""The statistics of groups of transfers."""


@dataclass(frozen=True)
class TransferGroup:
    """Transfers that are summed up together, a size class for example."""

    name: str
    times: NDArray[np.float64]
    """Completion times in seconds, transfers × variants; `inf` where one was never done, NaN
    where it was not run."""
    clusters: NDArray[np.int64]
    """The cluster of each transfer, numbered over all groups: transfers of one cluster may depend
    on each other, those of different clusters do not."""

    @classmethod
    def of(
        cls, name: str, times: ArrayLike, clusters: Sequence[object] | ArrayLike
    ) -> "TransferGroup":
        """A group from whatever arrays are made of; clusters must be numbers.

        Raises RequestError where the shapes do not fit or a time is not positive.
        """
        matrix = np.asarray(times, dtype=np.float64)
        numbers = np.asarray(clusters, dtype=np.int64)
        if matrix.ndim != 2:
            raise RequestError(
                f"{name}: times of shape {matrix.shape}; transfers × variants needed"
            )
        if numbers.shape != matrix.shape[:1]:
            raise RequestError(
                f"{name}: {numbers.size} clusters for {len(matrix)} transfers; one each is needed"
            )
        if np.any(matrix <= 0):
            least = np.nanmin(matrix)
            raise RequestError(f"{name}: a completion time of {least:g} s; it must be positive")
        return cls(name, matrix, numbers)


@dataclass(frozen=True)
class Row:
    """One statistic of one variant in one group, with its interval."""

    group: str
    variant: str
    statistic: Statistic
    estimate: float | None
    """The statistic itself; `inf` where the variant never ends, None without transfers."""
    low: float | None
    high: float | None
    """The ends of the interval, which holds together with those of all other rows; None where
    there is not enough to state one."""
    transfers: int
    """How many transfers were run both ways."""
    clusters: float
    """How many clusters of equal size would say as much as theirs."""
    reason: str = ""
    """Why there is not enough; empty where there is."""

    @property
    def enough(self) -> bool:
        """Whether the interval is stated."""
        return not self.reason

    @property
    def gains(self) -> bool:
        """Whether the whole interval is on the side of the faster."""
        return self.enough and self.high is not None and self.high < -NEGLIGIBLE

    @property
    def loses(self) -> bool:
        """Whether the whole interval is on the side of the slower."""
        return self.enough and self.low is not None and self.low > NEGLIGIBLE


def finite(value: float | None) -> float | None:
    """A value as JSON and tables have it: None where there is none without end."""
    return value if value is not None and math.isfinite(value) else None
