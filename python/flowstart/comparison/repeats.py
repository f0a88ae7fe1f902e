"""Repeats of a comparison, for the intervals of its rows; its table stays the exact path's."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, TypeAlias

from flowstart.comparison.plan import FEWEST_REPEATS, MOST_REPEATS, Case, Plan
from flowstart.comparison.rows import placed
from flowstart.comparison.summary import Group, Summary, summarise
from flowstart.inference.data import Row, finite
from flowstart.inference.recommendation import (
    Recommendation,
    Repeats,
    ranges,
    recommend_ranges,
    settled,
)
from flowstart.model.document import encode
from flowstart.model.perturbation import perturbed
from flowstart.simulation.batch import run_many

FIRST = 40
"""How many repeats a size has at first; until its ranges are settled they double."""
MOST_PACKETS = 10_000_000
"""A size of which `FIRST` repeats would send more has fewer, but no less than `FEWEST_REPEATS`."""
MOST_ROWS = 50_000
"""Rows that are held at a time, as far as single repeats have fewer."""

Times: TypeAlias = dict[Group, dict[str, float]]
"""Mean completion times in seconds by group and variant; `inf` where not all were done."""


@dataclass(frozen=True)
class Intervals:
    """How far the changes of a comparison go over its repeats."""

    baseline: str
    groups: dict[Group, Repeats]
    rows: dict[tuple[Group, str], Row]
    """By group and variant, without the baseline."""
    recommendations: dict[Group, Recommendation]
    interrupted: bool
    """Whether Ctrl-C ended the repeats; these are the ones that were finished."""

    def row(self, s: Summary) -> Row | None:
        """The interval beside a summary."""
        return self.rows.get((s.group, s.startup))

    def recommendation(self, s: Summary) -> Recommendation | None:
        """The choice in a summary's group."""
        return self.recommendations.get(s.group)

    def recommended(self, s: Summary) -> bool:
        """Whether a summary's variant is the choice in its group."""
        found = self.recommendation(s)
        return found is not None and s.startup in found.best

    def repeats(self, s: Summary) -> int:
        """The number of repeats of a summary's group."""
        return self.groups[s.group].repeats

    @property
    def records(self) -> list[dict[str, Any]]:
        """The rows as JSON and Parquet have them."""
        return [
            {
                "group": row.group,
                "size_bytes": key.size_bytes or None,
                "request": key.request or None,
                "variant": row.variant,
                "baseline": self.baseline,
                "statistic": str(row.statistic),
                "estimate": finite(row.estimate),
                "low": finite(row.low),
                "high": finite(row.high),
                "repeats": self.groups[key].repeats,
                "enough": row.enough,
                "reason": row.reason or None,
            }
            for (key, _), row in self.rows.items()
        ]


def repeated(
    plan: Plan,
    exact: Sequence[Summary],
    packets: Counter[str | None],
    *,
    workers: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Intervals:
    """Runs the comparison again, a little perturbed, until its ranges are settled.

    `packets` are those that the exact runs of each size have sent. Raises KeyboardInterrupt if that
    comes before every size has repeats.
    """
    rows = sum(s.flows for s in exact) // len(plan.seeds)
    runner = _Runner(plan, workers, progress, at_once=max(1, MOST_ROWS // max(rows, 1)))
    times = _times(exact)
    most = {size: _most(packets[size] // len(plan.seeds)) for size in plan.sizes}
    done = {size: _of_size(runner, size, times, most[size]) for size in plan.sizes}
    lost = {(s.group, s.startup): s.loss for s in exact}
    repeats = [one for of_size in done.values() for one in of_size]
    groups = _groups(plan, times, repeats, lost)
    if runner.interrupted and not all(group.repeats for group in groups.values()):
        raise KeyboardInterrupt  # a range of no repeats is none
    return _intervals(plan, groups, runner.interrupted)


def _most(packets: int) -> int:
    """How many repeats a size may have, of which one sends so many packets."""
    return max(FEWEST_REPEATS, min(MOST_REPEATS, MOST_PACKETS // max(packets, 1)))


def _of_size(runner: "_Runner", size: str | None, exact: Times, most: int) -> list[Times]:
    """The repeats of one size: `FIRST`, and twice as many until its ranges are settled."""
    done: list[Times] = []
    last = min(FIRST, most)
    while not runner.interrupted:
        done += runner.run(size, range(len(done) + 1, last + 1))
        if last == most or _settled(runner.plan, exact, done):
            break
        last = min(2 * last, most)
    return done


def _settled(plan: Plan, exact: Times, repeats: list[Times]) -> bool:
    place = plan.startups.index(plan.baseline)
    return all(
        settled(group, place) for group in _groups(plan, exact, repeats).values() if group.repeats
    )


@dataclass
class _Runner:
    """Runs repeats, each of which becomes the times of its groups."""

    plan: Plan
    workers: int | None
    progress: Callable[[int, int], object] | None
    at_once: int
    """How many repeats are held at a time."""
    interrupted: bool = False

    def run(self, size: str | None, numbers: range) -> list[Times]:
        """The repeats of one size, as far as Ctrl-C does not come first."""
        found = []
        for first in range(0, len(numbers), self.at_once):
            if not self.interrupted:
                found += self._batch(size, numbers[first : first + self.at_once])
        return found

    def _batch(self, size: str | None, numbers: range) -> list[Times]:
        plan = self.plan
        cases = [Case(name, size, plan.seeds[0]) for _ in numbers for name in plan.startups]
        which = [number for number in numbers for _ in plan.startups]
        scenarios = [
            encode(perturbed(plan.scenario(case), number))
            for case, number in zip(cases, which, strict=True)
        ]
        batch = run_many(scenarios, self.workers, self.progress, plan.custom)
        if batch["interrupted"]:
            self.interrupted = True
            return []
        by: dict[int, list[dict[str, Any]]] = {number: [] for number in numbers}
        for row in placed(batch, cases, plan):
            by[which[row["run"]]].append(row)
        return [
            _times(summarise(rows, plan.startups, baseline=plan.baseline))
            for rows in by.values()
            if rows
        ]


def _times(summaries: Sequence[Summary]) -> Times:
    found: Times = {}
    for s in summaries:
        time = s.fct_s if s.fct_s is not None and s.complete == s.flows else inf
        found.setdefault(s.group, {})[s.startup] = time
    return found


def _groups(
    plan: Plan,
    exact: Times,
    repeats: Sequence[Times],
    lost: Mapping[tuple[Group, str], float] | None = None,
) -> dict[Group, Repeats]:
    """The times of every group, the exact path's first; `lost` is by group and variant."""
    found = {}
    for key, first in exact.items():
        rows = [first, *(times[key] for times in repeats if key in times)]
        matrix = [[row.get(name, float("nan")) for name in plan.startups] for row in rows]
        shares = [lost.get((key, startup), 0.0) for startup in plan.startups] if lost else None
        found[key] = Repeats.of(key.name, matrix, shares)
    return found


def _intervals(plan: Plan, groups: dict[Group, Repeats], interrupted: bool) -> Intervals:
    base = plan.baseline
    rows = {
        (key, row.variant): row
        for key, group in groups.items()
        for row in ranges([group], plan.startups, base)
    }
    chosen = {
        key: recommend_ranges([group], plan.startups, base)[0] for key, group in groups.items()
    }
    return Intervals(base, groups, rows, chosen, interrupted)
