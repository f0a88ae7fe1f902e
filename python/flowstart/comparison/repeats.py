"""Repeats of a comparison, for the intervals of its rows; its table stays the exact path's."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, TypeAlias

from flowstart import text
from flowstart.comparison.plan import FEWEST_REPEATS, MOST_REPEATS, Case, Plan
from flowstart.comparison.summary import Summary, summarise
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
from flowstart.simulation import frames
from flowstart.simulation.batch import run_many

if TYPE_CHECKING:
    from flowstart._native import Outcomes


OBJECT_FIELDS = ("web", "session", "page", "object", "requested_s", "response_s", "done_s")
"""What the row of a web session's response tells beyond those of other flows."""


def placed(outcomes: "Outcomes", cases: list[Case], plan: Plan) -> list[dict[str, Any]]:
    """The flows' rows with their places in the comparison.

    Requests of web sessions are left out: an object's time is counted from its request.
    """
    tested = plan.is_tested()
    objects = {(row["run"], row["flow"]): row for row in frames.rows(outcomes["objects"])}
    found = []
    for row in frames.rows(outcomes["flows"]):
        part = objects.get((row["run"], row["flow"]))
        if part:
            is_tested = part["web"] in plan.tested_web
        elif row["flow"] < len(tested):
            is_tested = tested[row["flow"]]
        else:
            continue
        more = {name: part and part[name] for name in OBJECT_FIELDS} if plan.base.get("web") else {}
        case = cases[row["run"]]
        place = {"tested": is_tested, "variant": case.startup, "size": case.size}
        # A startup under test as it was asked for.
        asked = {"startup": plan.variant(case.startup).begins} if is_tested else {}
        found.append(row | place | asked | more)
    return found


FIRST = 40
"""How many repeats a size has at first; until its ranges are settled they double."""
MOST_PACKETS = 10_000_000
"""A size of which `FIRST` repeats would send more has fewer, but no less than `FEWEST_REPEATS`."""
MOST_ROWS = 50_000
"""Rows that are held at a time, as far as single repeats have fewer."""

Key: TypeAlias = tuple[bool, int]
"""A group of summaries: whether it is web sessions', and otherwise its size in bytes."""
Times: TypeAlias = dict[Key, dict[str, float]]
"""Mean completion times in seconds by group and variant; `inf` where not all were done."""


@dataclass(frozen=True)
class Intervals:
    """How far the changes of a comparison go over its repeats."""

    baseline: str
    groups: dict[Key, Repeats]
    rows: dict[tuple[Key, str], Row]
    """By group and variant, without the baseline."""
    recommendations: dict[Key, Recommendation]
    interrupted: bool
    """Whether Ctrl-C ended the repeats; these are the ones that were finished."""

    def row(self, s: Summary) -> Row | None:
        """The interval beside a summary."""
        return self.rows.get((key_of(s), s.startup))

    def recommendation(self, s: Summary) -> Recommendation | None:
        """The choice in a summary's group."""
        return self.recommendations.get(key_of(s))

    def recommended(self, s: Summary) -> bool:
        """Whether a summary's variant is the choice in its group."""
        found = self.recommendation(s)
        return found is not None and s.startup in found.best

    def repeats(self, s: Summary) -> int:
        """The number of repeats of a summary's group."""
        return self.groups[key_of(s)].repeats

    @property
    def records(self) -> list[dict[str, Any]]:
        """The rows as JSON and Parquet have them."""
        return [
            {
                "group": row.group,
                "size_bytes": None if key[0] else key[1],
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


def key_of(s: Summary) -> Key:
    """The group of a summary; the mean size of web sessions differs from repeat to repeat."""
    return s.web, 0 if s.web else s.size_bytes


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
    lost = {(key_of(s), s.startup): s.loss for s in exact}
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
        found.setdefault(key_of(s), {})[s.startup] = time
    return found


def _groups(
    plan: Plan,
    exact: Times,
    repeats: Sequence[Times],
    lost: Mapping[tuple[Key, str], float] | None = None,
) -> dict[Key, Repeats]:
    """The times of every group, the exact path's first; `lost` is by group and variant."""
    found = {}
    for key, first in exact.items():
        rows = [first, *(times[key] for times in repeats if key in times)]
        matrix = [[row.get(name, float("nan")) for name in plan.startups] for row in rows]
        name = "objects of web sessions" if key[0] else text.size(key[1])
        shares = [lost.get((key, startup), 0.0) for startup in plan.startups] if lost else None
        found[key] = Repeats.of(name, matrix, shares)
    return found


def _intervals(plan: Plan, groups: dict[Key, Repeats], interrupted: bool) -> Intervals:
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
