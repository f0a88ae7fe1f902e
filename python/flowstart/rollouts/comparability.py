"""Whether both sets of a rollout are the same but for the setting: their shares and their times.

Where the share of the treatment is not the one that was assigned, connections are missing, and the
missing ones may be those with the effect (sample-ratio mismatch: Fabijan et al. 2019). The test is
the χ² test of the share, with a variance that is clustered as that of the effect, since a network
may be assigned as a whole. It holds at every look (Lindon and Malek 2022).
"""

from dataclasses import dataclass

import numpy as np

from flowstart import text
from flowstart.inference.clusters import ClusterPart, Sums
from flowstart.inference.sequences import Monitored
from flowstart.rollouts.measurements import Measured, Numbers, Transfers

ERROR = 0.001
"""The probability that the shares of comparable sets are called different at any look."""
DEVIATION = 0.02
"""The standard deviation of the mixture for shares."""


@dataclass(frozen=True)
class Shares:
    """The share of connections in the treatment."""

    expected: float
    connections: tuple[int, int]
    """Of the control and the treatment."""
    deviation: Monitored
    """The share less the expected one."""

    @property
    def measured(self) -> float:
        """The share."""
        return self.connections[1] / sum(self.connections)

    @property
    def chi_squared(self) -> float | None:
        """The statistic, of one degree of freedom; None without a variance."""
        variance = self.deviation.variance
        return self.deviation.estimate**2 / variance if variance > 0 else None

    @property
    def differs(self) -> bool:
        """Whether it is not the expected one."""
        return abs(self.deviation.estimate) > self.deviation.half(ERROR / 2)


def shares(transfers: Transfers, cluster_of: Numbers, expected: float) -> Shares:
    """The shares of both sets, whose connections are clustered as their transfers."""
    _, first = np.unique(transfers.connections, return_index=True)
    first = first[np.argsort(cluster_of[first], kind="stable")]
    treated = transfers.treated[first]
    _, numbers = np.unique(cluster_of[first], return_inverse=True)
    sums = Sums((ClusterPart((treated.astype(np.int8),), numbers.astype(np.int64)),))
    covariance, freedom = sums.spread()
    count, number = int(treated.sum()), int(numbers.max()) + 1
    deviation = Monitored(
        count / len(treated) - expected,
        float(covariance[0, 0]),
        DEVIATION,
        max(min(number - 1, float(freedom[0])), 1.0),
    )
    return Shares(expected, (len(treated) - count, count), deviation)


def objection(control: Measured, treatment: Measured, shares: Shares) -> str:
    """Why the sets are not comparable, in a clause; empty where they are."""
    if control.end < treatment.begin or treatment.end < control.begin:
        return "they were recorded one after the other, and load and users differ by the hour"
    if shares.differs:
        return (
            f"the treatment has {text.share(shares.measured)} of the connections, not "
            f"{text.share(shares.expected)} (χ² {shares.chi_squared or 0:,.0f})"
        )
    return ""
