"""Repeats of a comparison: further seeds, or perturbed delays if nothing is drawn at random."""

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flowstart import _native
from flowstart.comparison.intervals import MOST_ROWS, Intervals, SizeRepeats, most_repeats
from flowstart.comparison.plan import Case, Plan
from flowstart.comparison.result import Comparison, failures
from flowstart.inference.repeats import FIRST_LOOK, looks
from flowstart.model.quantities import LARGEST
from flowstart.simulation.batch import run_many

if TYPE_CHECKING:
    from flowstart._native import Batch, ComparisonRows


def repeated(
    result: Comparison, workers: int | None, progress: Callable[[int, int], object] | None
) -> Comparison:
    """A comparison with a verdict on each size, for which repeats of the path are run.

    Raises KeyboardInterrupt if that comes before every size has repeats.
    """
    runner = _Runner(result.plan, workers, progress)
    if not result.drawn:
        return _with_sensitivity(result, runner)
    if result.plan.repeat is None:
        return _with_seeds(result, runner)
    plan = result.plan
    parts = [SizeRepeats(rows.tallies()) for rows in _by_size(result).values()]
    intervals = Intervals.of(parts, plan.startups, plan.baseline, drawn=True, fixed=True)
    # A copy, since summaries that are made without intervals are remembered.
    return dataclasses.replace(result, intervals=intervals)


@dataclass
class _Size:
    """One size while its seeds are run."""

    plan: Plan
    size: str | None
    rows: "ComparisonRows"
    """Those of the first seed at first."""
    looks: tuple[int, ...] = field(init=False)
    """After how many seeds there is a verdict."""
    count: int = 1
    """The number of finished seeds."""

    def __post_init__(self) -> None:
        self.looks = looks(min(_most(self.rows), LARGEST - self.plan.seeds[0] + 1))

    @property
    def repeats(self) -> SizeRepeats:
        """What is finished."""
        return SizeRepeats(self.rows.tallies(), len(self.looks))

    @property
    def next_look(self) -> int | None:
        """The number of seeds of the next verdict; None if one is settled, or all seeds are run."""
        following = [look for look in self.looks if look > self.count]
        if not following or (self.count >= self.looks[0] and self._is_settled()):
            return None
        return following[0]

    def _is_settled(self) -> bool:
        decisions = self.repeats.decisions(self.plan.startups, self.plan.baseline, drawn=True)
        return all(decision.is_settled for decision in decisions.values())

    def cases(self, look: int) -> list[Case]:
        """The runs that are missing until then."""
        seeds = range(self.plan.seeds[0] + self.count, self.plan.seeds[0] + look)
        return [Case(name, self.size, seed) for name in self.plan.startups for seed in seeds]

    def finished(self) -> list[Case]:
        """The runs that are finished."""
        seeds = range(self.plan.seeds[0], self.plan.seeds[0] + self.count)
        return [Case(name, self.size, seed) for name in self.plan.startups for seed in seeds]


def _with_seeds(result: Comparison, runner: "_Runner") -> Comparison:
    """Runs further seeds of each size until its verdict is settled."""
    plan = result.plan
    sizes = {size: _Size(plan, size, rows) for size, rows in _by_size(result).items()}
    failed = list(result.failures)
    while wanted := {size: look for size, state in sizes.items() if (look := state.next_look)}:
        cases = {size: sizes[size].cases(look) for size, look in wanted.items()}
        run = [case for some in cases.values() for case in some]
        if (batch := runner.run(run)) is None:
            break
        failed += failures(batch, run)
        rows, begin = plan.native.rows(batch, run), 0
        for size, look in wanted.items():
            end = begin + len(cases[size])
            sizes[size].count = look
            parts = [sizes[size].rows, rows.of_runs(begin, end)]
            sizes[size].rows = _joined(plan, parts, sizes[size].finished())
            begin = end
    counts = {size: state.count for size, state in sizes.items()}
    if runner.interrupted and min(counts.values()) < 2:
        raise KeyboardInterrupt  # one seed has no interval
    intervals = Intervals.of(
        [state.repeats for state in sizes.values()],
        plan.startups,
        plan.baseline,
        drawn=True,
        interrupted=runner.interrupted,
    )
    most = max(counts.values())
    plan = dataclasses.replace(
        plan,
        seeds=tuple(range(plan.seeds[0], plan.seeds[0] + most)),
        fewer_seeds={size: count for size, count in counts.items() if count < most},
    )
    return dataclasses.replace(
        result,
        plan=plan,
        flow_rows=_joined(plan, [state.rows for state in sizes.values()], plan.cases()),
        failures=failed,
        finished=len(plan.cases()) - len(failed),
        intervals=intervals,
    )


def _with_sensitivity(result: Comparison, runner: "_Runner") -> Comparison:
    """Runs repeats with perturbed delays; the rows stay those of the path itself."""
    plan = result.plan
    parts = [_perturbed(plan, size, rows, runner) for size, rows in _by_size(result).items()]
    if runner.interrupted and any(part.count < 2 for part in parts):
        raise KeyboardInterrupt  # a range of no repeats is none
    intervals = Intervals.of(
        parts, plan.startups, plan.baseline, drawn=False, interrupted=runner.interrupted
    )
    return dataclasses.replace(result, intervals=intervals)


def _perturbed(
    plan: Plan, size: str | None, rows: "ComparisonRows", runner: "_Runner"
) -> SizeRepeats:
    """The path itself and repeats of it, of one size."""
    cases = [Case(name, size, plan.seeds[0]) for name in plan.startups]
    repeats = SizeRepeats(rows.tallies())
    numbers = range(1, 1 + min(FIRST_LOOK, _most(rows)))
    at_once = max(1, MOST_ROWS // len(rows))
    for begin in range(0, len(numbers), at_once):
        which = [n for n in numbers[begin : begin + at_once] for _ in cases]
        run = cases * (len(which) // len(cases))
        if (batch := runner.run(run, which)) is None:
            break
        repeats = repeats.extended(plan.native.rows(batch, run).tallies(which))
    return repeats


@dataclass
class _Runner:
    """Runs further scenarios of a comparison, until Ctrl-C ends it."""

    plan: Plan
    workers: int | None
    progress: Callable[[int, int], object] | None
    interrupted: bool = False

    def run(self, cases: Sequence[Case], repeats: Sequence[int] = ()) -> "Batch | None":
        """The results of cases or their repeats; None if not all of them were finished."""
        if self.interrupted:
            return None
        scenarios = self.plan.native.scenarios([*cases], [*repeats])
        batch = run_many(scenarios, self.workers, self.progress, self.plan.custom)
        self.interrupted = batch["interrupted"]
        return None if self.interrupted else batch


def _by_size(result: Comparison) -> "dict[str | None, ComparisonRows]":
    """The rows of each size that has some."""
    plan, begin = result.plan, 0
    rows = {}
    for size in plan.sizes:
        end = begin + len(plan.startups) * len(plan.seeds_of(size))
        if len(own := result.flow_rows.of_runs(begin, end)):
            rows[size] = own
        begin = end
    return rows


def _joined(
    plan: Plan, parts: "Sequence[ComparisonRows]", cases: Sequence[Case]
) -> "ComparisonRows":
    """All rows in the order of these cases, whose numbers become those of the runs."""
    return _native.ComparisonRows.joined([*parts], plan.native, [*cases])


def _most(rows: "ComparisonRows") -> int:
    """How many repeats a size may have of which one has these rows."""
    return most_repeats(rows.packets_sent, len(rows))
