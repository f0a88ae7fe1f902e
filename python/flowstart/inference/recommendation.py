"""What to choose in each group, from the rows of its table and from nothing else."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from flowstart import text
from flowstart.errors import RequestError
from flowstart.inference.data import LEVEL, Group, Row, Statistic
from flowstart.inference.gates import Limits
from flowstart.inference.intervals import Contrast, contrasted


@dataclass(frozen=True)
class Rule:
    """What a variant must do to be recommended."""

    statistic: Statistic = Statistic.GEOMEAN_RATIO
    """What it must improve."""
    max_harm: float = Limits.harmed
    """The share of transfers that it may harm."""

    def __post_init__(self) -> None:
        Limits(harmed=self.max_harm)  # refuses what is no share
        if self.statistic == Statistic.HARMED_SHARE:
            raise RequestError("a time is needed, such as p50", ("statistic",), self.statistic)


@dataclass(frozen=True)
class Recommendation:
    """What to choose for one group."""

    group: str
    baseline: str
    best: tuple[str, ...]
    """The variants recommended, the largest gain first; several tie. Empty: keep
    the baseline."""
    reason: str
    """What it rests on, in a sentence."""
    over_limit: tuple[str, ...] = ()
    """Variants that gain and lose more packets than the limit, the fastest first."""
    loss_limit: float = 1.0
    """The largest share of packets that a recommended variant may lose."""

    @property
    def keep(self) -> bool:
        """Whether to keep the baseline."""
        return not self.best

    @property
    def tie(self) -> bool:
        """Whether the difference between several is inconclusive."""
        return len(self.best) > 1


def recommend(
    groups: Sequence[Group],
    variants: Sequence[str],
    baseline: str,
    rows: Sequence[Row],
    rule: Rule | None = None,
    *,
    level: float = LEVEL,
    seed: int = 1,
) -> list[Recommendation]:
    """A recommendation for each group, from the `rows` that `intervals` made of the same groups.

    Variants that may be recommended are compared with each other: those whose difference from the
    one with the largest gain may be none tie with it.
    """
    rule = rule or Rule()
    able = {group.name: candidates(group.name, rows, rule) for group in groups}
    apart = _apart(groups, variants, able, rule, level, seed)
    return [
        _recommendation(group.name, baseline, able[group.name], apart, rows, rule)
        for group in groups
    ]


def candidates(group: str, rows: Sequence[Row], rule: Rule) -> list[str]:
    """Variants with a significant gain, within the limits of harm and p95; largest gain first."""
    found = of_group(rows, group)
    gains = [row for row in found.values() if row.statistic == rule.statistic and row.gains]
    gains.sort(key=lambda row: (row.estimate, row.variant))
    return [row.variant for row in gains if not objections(found, row.variant, rule)]


def of_group(rows: Sequence[Row], group: str) -> dict[tuple[str, Statistic], Row]:
    """A group's rows by variant and statistic."""
    return {(row.variant, row.statistic): row for row in rows if row.group == group}


def objections(found: dict[tuple[str, Statistic], Row], variant: str, rule: Rule) -> list[str]:
    """Why a variant that gains is not recommended."""
    said = []
    harm = found.get((variant, Statistic.HARMED_SHARE))
    if harm and (harm.estimate or 0.0) > rule.max_harm:
        said.append(f"it harms {harm.estimate:.1%} of the transfers (limit {rule.max_harm:.0%})")
    late = found.get((variant, Statistic.P95))
    if late and late.loses:
        said.append(f"its p95 is slower ({interval(late)})")
    return said


def _apart(
    groups: Sequence[Group],
    variants: Sequence[str],
    able: dict[str, list[str]],
    rule: Rule,
    level: float,
    seed: int,
) -> set[tuple[str, str, str]]:
    """Group, a variant, and another that is significantly slower."""
    place = {name: index for index, name in enumerate(variants)}
    contrasts = [
        Contrast(number, place[later], place[sooner])
        for number, group in enumerate(groups)
        for sooner, later in combinations(able[group.name], 2)
    ]
    if not contrasts:
        return set()
    rows = contrasted(
        groups, variants, contrasts, statistics=(rule.statistic,), level=level, seed=seed
    )
    return {
        (row.group, variants[contrast.base], row.variant)
        for contrast, row in zip(contrasts, rows, strict=True)
        if row.loses
    }


def _recommendation(
    group: str,
    baseline: str,
    able: list[str],
    apart: set[tuple[str, str, str]],
    rows: Sequence[Row],
    rule: Rule,
) -> Recommendation:
    found = of_group(rows, group)
    best = tuple(name for name in able if (group, able[0], name) not in apart)
    if best:
        return Recommendation(group, baseline, best, _why(best, baseline, found, rule))
    return Recommendation(group, baseline, (), _why_not(baseline, found, rule))


def _why(
    best: tuple[str, ...],
    baseline: str,
    found: dict[tuple[str, Statistic], Row],
    rule: Rule,
) -> str:
    """What a recommendation rests on."""
    parts = []
    for name in best:
        harm = found.get((name, Statistic.HARMED_SHARE))
        harmed = f", {_harm(harm)} harmed" if harm and harm.estimate is not None else ""
        parts.append(f"{name} ({interval(found[name, rule.statistic])}{harmed})")
    tie = "; their difference is inconclusive" if len(best) > 1 else ""
    return f"{', '.join(parts)}: {rule.statistic} against {baseline}{tie}"


def _harm(row: Row) -> str:
    """A share that is harmed, with the upper end of its interval."""
    most = "" if row.high is None else f" (at most {row.high:.1%})"
    return f"{row.estimate:.1%}{most}"


def _why_not(baseline: str, found: dict[tuple[str, Statistic], Row], rule: Rule) -> str:
    """Why to keep the baseline."""
    of_statistic = [row for row in found.values() if row.statistic == rule.statistic]
    gains = sorted((row for row in of_statistic if row.gains), key=lambda row: row.estimate or 0.0)
    if gains:
        row = gains[0]
        why = "; ".join(objections(found, row.variant, rule))
        return f"keep {baseline}: {row.variant} gains ({interval(row)}), but {why}"
    if of_statistic and not any(row.enough for row in of_statistic):
        return f"keep {baseline}: sample too small, {of_statistic[0].reason}"
    return f"keep {baseline}: no significant gain in {rule.statistic}"


def interval(row: Row) -> str:
    """An estimate with its interval, in words; a share has no sign."""
    if row.statistic == Statistic.HARMED_SHARE and row.estimate is not None:
        share = f"{row.estimate:.1%}"
        if row.low is None or row.high is None:
            return share
        return f"{share}, from {row.low:.1%} to {row.high:.1%}"
    if row.low is None or row.high is None:
        return text.percent(row.estimate)
    return f"{text.percent(row.estimate)}, from {text.percent(row.low)} to {text.percent(row.high)}"


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
    return [_over_ranges(group, variants, baseline, rows) for group in groups]


def _over_ranges(
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
        return Recommendation(group.name, baseline, (), reason, tuple(over), limit)
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
    return Recommendation(group.name, baseline, chosen, reason, tuple(over), limit)
