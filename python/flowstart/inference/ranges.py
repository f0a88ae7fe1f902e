"""How far an answer on one path goes, from repeats of it that nobody could tell apart.

A path that is given has no population from which transfers are drawn. What is uncertain is whether
its answer hangs on a coincidence, or on the seed; so the interval of a row is the range of its
change over the path itself and its repeats.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from flowstart.errors import RequestError
from flowstart.inference.data import LEVEL, Row, Statistic
from flowstart.inference.gates import Limits
from flowstart.inference.recommendation import Recommendation, interval

SETTLED = 0.1
"""A range is settled where as many repeats again widen it by no more than this share of itself,"""
SETTLED_POINTS = 0.005
"""or move its ends by no more than this."""


@dataclass(frozen=True)
class Repeats:
    """The mean completion times of one group of transfers in repeats of their path."""

    name: str
    times: NDArray[np.float64]
    """In seconds, repeats × variants, the path itself first; `inf` where not all were done."""
    lost: NDArray[np.float64]
    """The share of packets that each variant loses on the path itself."""

    @classmethod
    def of(cls, name: str, times: ArrayLike, lost: ArrayLike | None = None) -> "Repeats":
        """Repeats from whatever an array is made of; RequestError where it is no matrix."""
        matrix = np.asarray(times, dtype=np.float64)
        if matrix.ndim != 2 or not len(matrix):
            raise RequestError(f"{name}: times of shape {matrix.shape}; repeats × variants needed")
        shares = np.zeros(matrix.shape[1]) if lost is None else np.asarray(lost, dtype=np.float64)
        return cls(name, matrix, shares)

    @property
    def repeats(self) -> int:
        """How many there are beside the path itself."""
        return len(self.times) - 1

    def changes(self, variant: int, base: int) -> NDArray[np.float64]:
        """A variant's relative changes, that of the path itself first; NaN where none was done."""
        with np.errstate(invalid="ignore"):
            return self.times[:, variant] / self.times[:, base] - 1


def ranges(groups: Sequence[Repeats], variants: Sequence[str], baseline: str) -> list[Row]:
    """The change of every variant but the baseline in every group, with its range."""
    base = list(variants).index(baseline)
    return [
        _row(group, name, group.changes(index, base))
        for group in groups
        for index, name in enumerate(variants)
        if index != base
    ]


def _row(group: Repeats, variant: str, changes: NDArray[np.float64]) -> Row:
    place = (group.name, variant, Statistic.MEAN)
    exact = None if np.isnan(changes[0]) else float(changes[0])
    counts = (len(changes), float(len(changes)))
    if group.repeats < 1:
        return Row(*place, exact, None, None, *counts, "there are no repeats")
    if np.isnan(changes).any():
        return Row(*place, exact, None, None, *counts, "in some repeats neither was ever done")
    return Row(*place, exact, float(changes.min()), float(changes.max()), *counts)


def settled(group: Repeats, baseline: int) -> bool:
    """Whether the second half of the repeats has hardly widened any range."""
    half = 1 + group.repeats // 2
    for variant in range(group.times.shape[1]):
        changes = group.changes(variant, baseline)
        if variant == baseline or not np.isfinite(changes).all():
            continue
        before, after = changes[:half], changes
        allowed = max(SETTLED * float(np.ptp(before)), SETTLED_POINTS)
        if max(before.min() - after.min(), after.max() - before.max()) > allowed:
            return False
    return True


def content(repeats: int, level: float = LEVEL) -> float:
    """The share of such paths that a range surely holds, with confidence `level`.

    It is the largest β with n β^(n−1) − (n−1) β^n ≤ 1 − level for n values (Wilks 1941).
    """
    n = repeats + 1
    shares = np.linspace(0, 1, 10001)
    risk = n * shares ** (n - 1) - (n - 1) * shares**n
    return float(shares[risk <= 1 - level].max())


def recommend_ranges(
    groups: Sequence[Repeats], variants: Sequence[str], baseline: str
) -> list[Recommendation]:
    """What to choose for each group: the fastest of those that gain in every repeat.

    Those that are faster than it in some repeat, or the same, tie with it. What loses more packets
    than `Limits` permit is not chosen.
    """
    rows = ranges(groups, variants, baseline)
    return [_recommendation(group, variants, baseline, rows) for group in groups]


def _recommendation(
    group: Repeats, variants: Sequence[str], baseline: str, rows: Sequence[Row]
) -> Recommendation:
    gains = sorted(
        (row for row in rows if row.group == group.name and row.gains),
        key=lambda row: (row.estimate, row.variant),
    )
    if not gains:
        reason = f"keep {baseline}: nothing is faster in each of {group.repeats} repeats"
        return Recommendation(group.name, baseline, (), reason)
    place = {name: index for index, name in enumerate(variants)}
    limit = float(Limits().of_loss(group.lost[place[baseline]]))
    fastest = gains[0]
    lost = {row.variant: group.lost[place[row.variant]] for row in gains}
    over = {
        name: f"loses {share:.1%} of its packets (limit {limit:.1%})"
        for name, share in lost.items()
        if share > limit
    }
    gains = [row for row in gains if row.variant not in over]
    if not gains:
        reason = (
            f"keep {baseline}: {fastest.variant} is faster in each of {group.repeats} repeats "
            f"({interval(fastest)}), but {over[fastest.variant]}"
        )
        return Recommendation(group.name, baseline, (), reason, tuple(over))
    first = gains[0].variant
    best = [
        row
        for row in gains
        if row.variant == first or group.changes(place[row.variant], place[first]).min() <= 0
    ]
    told = ", ".join(f"{row.variant} ({interval(row)})" for row in best)
    tie = "; their difference is inconclusive" if len(best) > 1 else ""
    faster = f"faster than {baseline} in each of {group.repeats} repeats: {told}{tie}"
    chosen = tuple(row.variant for row in best)
    reason = "; ".join([faster, *(f"{name} {loses}" for name, loses in over.items())])
    return Recommendation(group.name, baseline, chosen, reason, tuple(over))
