"""Who is first: alone, together with others, or not."""

from dataclasses import dataclass

from flowstart.maps.outcomes import Flags, Floats, Outcomes
from flowstart.maps.weighing import means

MARGIN = 0.05
"""Startups tie whose times differ by less than this share of the best."""


@dataclass(frozen=True)
class Winners:
    """Which startups are the best of each cell."""

    best: Flags
    """Within the margin of the least completion time, cells × startups."""
    weights: Floats
    """What each cell counts."""

    @classmethod
    def of(cls, outcomes: Outcomes, margin: float = MARGIN) -> "Winners":
        """Those of all cells."""
        return cls(outcomes.ties(margin), outcomes.weights)

    def shares(self, cells: Flags) -> tuple[Floats, Floats, Floats]:
        """The shares of some cells that each startup wins alone, ties for, and loses."""
        best, weights = self.best[cells], self.weights[cells]
        alone = best.sum(axis=1) == 1
        won = means(best & alone[:, None], weights)
        tied = means(best & ~alone[:, None], weights)
        return won, tied, 1 - won - tied
