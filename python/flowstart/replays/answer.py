"""What a replay shows of its variants: changes with intervals, and the verdict."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeAlias

from flowstart.inference import Group, Row, Statistic, Verdict, intervals
from flowstart.inference.data import OF_TRANSFERS, finite
from flowstart.inference.intervals import estimates
from flowstart.replays.times import Times, groups
from flowstart.replays.verdict import Criteria, verdict

if TYPE_CHECKING:
    import polars as pl

Key: TypeAlias = tuple[str, str, Statistic]
"""A size class, a variant, a statistic."""
Estimates: TypeAlias = Mapping[Key, float | None]

FEWEST_REPEATS, MOST_REPEATS = 4, 8
"""How many perturbed repeats there are at first, and at most: they double until they settle."""
SETTLED_POINTS = 0.005
"""Repeats are enough where the second half of them moves no end of an interval by more."""


@dataclass(frozen=True)
class Answer:
    """The changes of all variants in all size classes, with simultaneous intervals."""

    baseline: str
    groups: list[Group]
    """The times that it rests on; the first column is the baseline's."""
    variants: tuple[str, ...]
    """The variants in the order of the columns."""
    rows: dict[Key, Row]
    verdict: Verdict
    """What to choose for all traffic; of nothing where no criteria were given."""
    repeats: int = 0
    """How many perturbed repeats have widened the intervals."""

    @classmethod
    def none(cls, variants: Sequence[str], baseline: str) -> "Answer":
        """That of a replay which was stopped: inference takes seconds, and all passes."""
        return cls(baseline, [], _ordered(variants, baseline), {}, Verdict(baseline, ()))

    def row(self, size_class: str, variant: str, statistic: Statistic) -> Row | None:
        """One row; None for the baseline, which is not compared with itself."""
        return self.rows.get((size_class, variant, statistic))

    @property
    def records(self) -> list[dict[str, Any]]:
        """The rows as JSON and Parquet have them."""
        return [
            {
                "size_class": row.group,
                "variant": row.variant,
                "baseline": self.baseline,
                "statistic": str(row.statistic),
                "estimate": finite(row.estimate),
                "low": finite(row.low),
                "high": finite(row.high),
                "transfers": row.transfers,
                "clusters": row.clusters,
                "repeats": self.repeats,
                "enough": row.enough,
                "reason": row.reason or None,
            }
            for row in self.rows.values()
        ]


def answer(
    facts: "pl.DataFrame",
    times: Times,
    variants: Sequence[str],
    baseline: str,
    criteria: Criteria | None = None,
    *,
    base_times: Times | None = None,
    repeats: Sequence[Times] = (),
    statistics: Sequence[Statistic] = OF_TRANSFERS,
    seed: int = 1,
) -> Answer:
    """What times show of the transfers in `facts`; without `criteria` no variant is judged.

    `base_times` has the baseline's, where those are of another pass. Each interval reaches as much
    further as the estimates of `repeats` lie beside the exact one.
    """
    order = _ordered(variants, baseline)
    found = _groups(facts, times, order, base_times or times)
    rows = {
        (row.group, row.variant, row.statistic): row
        for row in intervals(found, order, baseline, statistics=statistics, seed=seed)
    }
    if repeats:
        moved = [estimates(_groups(facts, one, order, one), order, baseline) for one in repeats]
        rows = {key: _widened(row, [one.get(key) for one in moved]) for key, row in rows.items()}
    judged = Verdict(baseline, ())
    if criteria:
        judged = verdict(facts, (times, *repeats), order, found, rows, criteria, seed=seed)
    return Answer(baseline, found, order, rows, judged, len(repeats))


def _ordered(variants: Sequence[str], baseline: str) -> tuple[str, ...]:
    return (baseline, *(name for name in variants if name != baseline))


def _groups(facts: "pl.DataFrame", times: Times, order: Sequence[str], base: Times) -> list[Group]:
    first, *others = order
    return groups(facts, [(first, base), *((name, times) for name in others)])


def _widened(row: Row, estimates: Sequence[float | None]) -> Row:
    """A row whose interval reaches further by how far repeats lie beside its estimate."""
    if row.low is None or row.high is None or row.estimate is None:
        return row
    known = [e - row.estimate for e in estimates if e is not None and isfinite(e - row.estimate)]
    below, above = min([0.0, *known]), max([0.0, *known])
    low, high = row.low + below, row.high + above
    if row.statistic == Statistic.HARMED_SHARE:
        low, high = max(low, 0.0), min(high, 1.0)
    return replace(row, low=low, high=high)


def settled(
    facts: "pl.DataFrame",
    exact: Times,
    repeats: Sequence[Times],
    variants: Sequence[str],
    baseline: str,
) -> bool:
    """Whether the second half of the repeats has hardly moved any interval."""
    order = _ordered(variants, baseline)
    moved = [
        estimates(_groups(facts, one, order, one), order, baseline) for one in (exact, *repeats)
    ]
    half = 1 + len(repeats) // 2
    for key in moved[0]:
        values = [one.get(key) for one in moved]
        known = [v for v in values if v is not None and isfinite(v)]
        before = [v for v in values[:half] if v is not None and isfinite(v)]
        if len(known) < len(values) or not before:
            continue
        if max(known) - max(before) > SETTLED_POINTS or min(before) - min(known) > SETTLED_POINTS:
            return False
    return True
