"""What to choose in each group, from the rows of its table and from nothing else."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from flowstart.errors import RequestError
from flowstart.inference.data import LEVEL, Group, Row, Statistic
from flowstart.inference.gates import Limits
from flowstart.inference.intervals import Contrast, contrasted
from flowstart.render import text


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
            raise RequestError(f"statistic = {self.statistic}: a time is needed, such as p50")


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
    """Variants that gain as surely and lose more packets than the limit, the fastest first."""

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
