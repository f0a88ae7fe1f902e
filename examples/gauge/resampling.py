"""How far an estimate may be off: its spread where paths are drawn again, with replacement.

Results on one path may depend on each other, so paths are the clusters of the bootstrap. All
estimates of one `Paths` meet the same draws, so that differences and ratios are paired.
"""

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flowstart.inference.data import LEVEL
from flowstart.inference.intervals import FEW_CLUSTERS
from flowstart.maps.outcomes import Flags, Floats, Numbers

DRAWS = 2000
SEED = 1


@dataclass(frozen=True)
class Estimate:
    """Numbers, one for each startup, and what they are in each draw."""

    value: Floats
    draws: Floats
    """Draws × startups."""
    paths: int
    is_share: bool = False
    """Whether these are shares of things that happen or not."""

    def exp(self) -> "Estimate":
        """Of logarithms, the numbers themselves."""
        return Estimate(np.exp(self.value), np.exp(self.draws), self.paths)

    def over(self, place: int) -> "Estimate":
        """Each as a multiple of one of them."""
        return Estimate(
            self.value / self.value[place], self.draws / self.draws[:, [place]], self.paths
        )

    @functools.cached_property
    def ends(self) -> tuple[Floats, Floats]:
        """The ends of the intervals; NaN where there are too few paths."""
        if self.paths < FEW_CLUSTERS:
            none = np.full_like(self.value, np.nan)
            return none, none
        tail = 50 * (1 - LEVEL)
        low, high = np.percentile(self.draws, [tail, 100 - tail], axis=0)
        return self._unseen(low, high) if self.is_share else (low, high)

    def _unseen(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """What happened on no path may still happen: draws of these paths do not show it.

        The end is that of the exact interval of none of so many paths.
        """
        room = 1 - ((1 - LEVEL) / 2) ** (1 / self.paths)
        low = np.where(self.value == 1, 1 - room, low)
        return low, np.where(self.value == 0, room, high)


class Paths:
    """The paths of some questions, and how often each is drawn."""

    def __init__(self, of: Numbers, draws: int = DRAWS, seed: int = SEED) -> None:
        """`of` has the path of each question."""
        known, self.of = np.unique(of, return_inverse=True)
        self.count = len(known)
        random = np.random.default_rng(seed)
        even = np.full(self.count, 1 / self.count)
        self.drawn = random.multinomial(self.count, even, size=draws).astype(np.float64)

    def means(self, values: NDArray[np.floating[Any]], questions: Flags) -> Estimate:
        """Means over some questions, `values` being questions × numbers; NaN counts nowhere."""
        own, of = values[questions].astype(np.float64), self.of[questions]
        known = ~np.isnan(own)
        sums, counts = (np.zeros((self.count, own.shape[1])) for _ in range(2))
        np.add.at(sums, of, np.where(known, own, 0.0))
        np.add.at(counts, of, known)
        with np.errstate(invalid="ignore"):
            value = sums.sum(axis=0) / counts.sum(axis=0)
            draws = (self.drawn @ sums) / (self.drawn @ counts)
        return Estimate(value, draws, len(np.unique(of)))

    def quantiles(self, values: Floats, questions: Flags, share: float) -> Estimate:
        """By nearest rank, over some questions."""
        own, of = values[questions], self.of[questions]
        found = [self._quantile(column, of, share) for column in own.T]
        value = np.array([one for one, _ in found])
        draws = np.column_stack([drawn for _, drawn in found])
        return Estimate(value, draws, len(np.unique(of)))

    def _quantile(self, values: Floats, of: Numbers, share: float) -> tuple[float, Floats]:
        order = np.argsort(values, kind="stable")
        ranked = values[order]
        up_to = np.cumsum(self.drawn[:, of[order]], axis=1)
        places = (up_to >= (share - 1e-9) * up_to[:, [-1]]).argmax(axis=1)
        whole = int(np.ceil((share - 1e-9) * len(ranked))) - 1
        return float(ranked[whole]), ranked[places]
