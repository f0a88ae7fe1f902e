"""The share of transfers harmed in parts of the traffic, and the independent transfers it is worth.

Transfers of a cluster depend on each other, so a part's share has the variance of that of fewer
independent ones. As many are its worth (Korn and Graubard 1998).
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from flowstart.inference import clusters
from flowstart.inference.changes import FEW_HARMED
from flowstart.inference.clusters import Floats, beta_quantile

PRIOR_TRANSFERS = 45.0
"""A size class is judged together with so many transfers of all traffic (empirical Bayes).

By themselves 30 transfers of which none is harmed do not show that fewer than 5 % are: that takes
59. What the setting does to all other transfers is known besides."""


@dataclass(frozen=True)
class Levels:
    """The probabilities with which the ends of an interval hold."""

    low: float
    """That a lower end does not hold."""
    high: float
    """That an upper end holds."""

    @property
    def normal(self) -> float:
        """The upper end of a normal variable."""
        return clusters.NORMAL.inv_cdf(self.high)


@dataclass(frozen=True)
class PartHarm:
    """The harm in each of some parts."""

    share: Floats
    worth: Floats
    transfers: Floats
    few: NDArray[np.bool_]
    """Where too few clusters are harmed to have a variance."""

    @classmethod
    def of(
        cls,
        harmed: Floats,
        cluster_of: NDArray[np.int64],
        levels: Levels,
        part_of: NDArray[np.int64] | None = None,
    ) -> Self:
        """From how often each transfer is harmed, 0 to 1; in one part where `part_of` is None.

        The worth is less as the variance over clusters is itself uncertain. With few clusters
        harmed it is no more than the number of clusters.
        """
        part_of = np.zeros(len(harmed), dtype=np.int64) if part_of is None else part_of
        _, first, numbers = np.unique(cluster_of, return_index=True, return_inverse=True)
        owner = part_of[first]
        transfers, count = np.bincount(part_of).astype(np.float64), np.bincount(owner)
        share = np.bincount(part_of, harmed) / transfers
        squares = np.bincount(numbers, harmed - share[part_of]) ** 2
        sums, fourth = np.bincount(owner, squares), np.bincount(owner, squares**2)
        few = np.bincount(owner, np.bincount(numbers, harmed) > 0) < FEW_HARMED
        few |= sums == 0
        tail = fourth / np.maximum(sums**2, 1e-300) - 1 / count
        freedom = np.clip(2 / np.maximum(tail, 1e-9), 1, np.maximum(count - 1, 1))
        reach = np.array([clusters.student(levels.normal, f) for f in freedom]) / levels.normal
        known = np.minimum(share * (1 - share) * transfers / np.where(few, np.inf, sums), 1.0)
        kish = transfers**2 / np.bincount(owner, np.bincount(numbers) ** 2)
        return cls(share, np.where(few, kish, transfers * known / reach**2), transfers, few)

    def pooled_worth(self, whole: Self) -> Floats:
        """The worth of each part, with the variance of all traffic where its own is unknown."""
        return np.where(self.few, self.transfers * whole.worth / whole.transfers, self.worth)

    def ends(self, whole: Self | None, levels: Levels) -> tuple[float, float]:
        """The ends of a single part's interval: the lower by itself, the upper with all traffic.

        The posterior of a binomial share: of Jeffreys' prior, or of one worth `PRIOR_TRANSFERS` of
        all traffic.
        """
        share, worth = float(self.share[0]), float(self.worth[0])
        expected, prior = 0.0, 1.0
        if whole:
            worth = float(self.pooled_worth(whole)[0])
            expected, prior = float(whole.share[0]) * PRIOR_TRANSFERS, PRIOR_TRANSFERS
        hits, expected = share * worth, max(expected, 0.5)
        low = beta_quantile(levels.low, hits + 0.5, worth - hits + 0.5)
        rest = worth - hits + max(prior - expected, 0.5)
        return min(low, share), max(beta_quantile(levels.high, hits + expected, rest), share)
