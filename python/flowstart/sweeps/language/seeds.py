"""Seeds of scenarios, and the split of paths into a training and a test set."""

from collections.abc import Sequence
from dataclasses import dataclass

from flowstart.sweeps.language import sampling

TRAIN, TEST = PARTS = ("train", "test")
APART = 1_000_000
"""Difference between the seeds of the two, where the sweep lists its seeds."""


@dataclass(frozen=True)
class Split:
    """Which part a path belongs to: by its number, whatever else the sweep says."""

    train: float
    """The share of the training set."""
    seed: int
    """That of the sample."""

    def part(self, path: int) -> str:
        """The part of a path."""
        return TRAIN if sampling.uniform(self.seed, "split")(path) < self.train else TEST


@dataclass(frozen=True)
class Seeds:
    """The seeds of a path's scenarios."""

    count: int = 1
    listed: Sequence[int] | None = None
    """The seeds of every path; None for seeds of each path's own.

    With those of its own, what happens by chance on one path says nothing of another.
    """

    def of(self, path: int, part: str) -> Sequence[int]:
        """Those of a path; others in the test set."""
        if self.listed is None:
            first = path * self.count + 1
            return range(first, first + self.count)
        return [seed + APART * (part == TEST) for seed in self.listed]
