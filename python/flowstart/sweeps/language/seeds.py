"""Seeds of scenarios, and the split of paths into those to tune on and those held out."""

from collections.abc import Sequence
from dataclasses import dataclass

from flowstart.sweeps.language import sampling

TUNING, HELD_OUT = PARTS = ("tuning", "held-out")
APART = 1_000_000
"""What lies between the seeds of the two parts, where the sweep lists its seeds."""


@dataclass(frozen=True)
class Split:
    """Which part a path belongs to: by its number, whatever else the sweep says."""

    tuning: float
    """The share to tune on."""
    seed: int
    """That of the sample."""

    def part(self, path: int) -> str:
        """The part of a path."""
        return TUNING if sampling.uniform(self.seed, "split")(path) < self.tuning else HELD_OUT


@dataclass(frozen=True)
class Seeds:
    """The seeds of a path's scenarios."""

    count: int = 1
    listed: Sequence[int] | None = None
    """The seeds of every path; None for seeds of each path's own.

    With those of its own, what happens by chance on one path says nothing of another.
    """

    def of(self, path: int, part: str) -> Sequence[int]:
        """Those of a path; other ones where it is held out."""
        if self.listed is None:
            first = path * self.count + 1
            return range(first, first + self.count)
        return [seed + APART * (part == HELD_OUT) for seed in self.listed]
