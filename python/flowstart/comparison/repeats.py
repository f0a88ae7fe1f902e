"""Repeats of a comparison: further seeds, or perturbed delays if nothing is drawn at random."""

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from flowstart.comparison.intervals import (
    MOST_ROWS,
    Intervals,
    SizeRepeats,
    Tallies,
    most_repeats,
    tallies,
)
from flowstart.comparison.plan import Case, Plan
from flowstart.comparison.result import Comparison
from flowstart.comparison.rows import Row, failed, placed
from flowstart.inference.repeats import FIRST_LOOK, looks
from flowstart.model.document import LARGEST, Document, encode
from flowstart.model.perturbation import perturbed
from flowstart.simulation.batch import run_many

if TYPE_CHECKING:
    from flowstart._native import Batch


def repeated(
    found: Comparison, workers: int | None, progress: Callable[[int, int], object] | None
) -> Comparison:
    """A comparison with a verdict on each size, for which repeats of the path are run.

    Raises KeyboardInterrupt if that comes before every size has repeats.
    """
    runner = _Runner(found.plan, workers, progress)
    if not found.drawn:
        return _with_sensitivity(found, runner)
    if found.plan.repeat is None:
        return _with_seeds(found, runner)
    plan = found.plan
    parts = [SizeRepeats(_by_seed(rows)) for rows in _by_size(found).values()]
    intervals = Intervals.of(parts, plan.startups, plan.baseline, drawn=True, fixed=True)
    # A copy, since summaries that are made without intervals are remembered.
    return dataclasses.replace(found, intervals=intervals)


@dataclass
class _Size:
    """One size while its seeds are run."""

    plan: Plan
    rows: list[Row]
    """Those of the first seed at first."""
    looks: tuple[int, ...]
    """After how many seeds there is a verdict."""
    count: int = 1
    """The number of finished seeds."""

    @classmethod
    def of(cls, plan: Plan, rows: list[Row]) -> Self:
        """A size of which the first seed is run."""
        return cls(plan, rows, looks(min(_most(rows), LARGEST - plan.seeds[0] + 1)))

    @property
    def size(self) -> str | None:
        """The size in the plan."""
        size: str | None = self.rows[0]["size"]
        return size

    @property
    def repeats(self) -> SizeRepeats:
        """What is finished."""
        return SizeRepeats(_by_seed(self.rows), len(self.looks))

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


def _with_seeds(found: Comparison, runner: "_Runner") -> Comparison:
    """Runs further seeds of each size until its verdict is settled."""
    plan = found.plan
    sizes = {size: _Size.of(plan, rows) for size, rows in _by_size(found).items()}
    failures = list(found.failures)
    while wanted := {size: look for size, one in sizes.items() if (look := one.next_look)}:
        cases = [case for size, look in wanted.items() for case in sizes[size].cases(look)]
        if (batch := runner.run([plan.scenario(case) for case in cases])) is None:
            break
        failures += failed(batch, cases)
        for row in placed(batch, cases, plan):
            sizes[row["size"]].rows.append(row)
        for size, look in wanted.items():
            sizes[size].count = look
    counts = {size: one.count for size, one in sizes.items()}
    if runner.interrupted and min(counts.values()) < 2:
        raise KeyboardInterrupt  # one seed has no interval
    names, baseline = plan.startups, plan.baseline
    intervals = Intervals.of(
        [one.repeats for one in sizes.values()],
        names,
        baseline,
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
        found,
        plan=plan,
        records=_in_order([row for one in sizes.values() for row in one.rows], plan),
        failures=failures,
        finished=len(plan.cases()) - len(failures),
        intervals=intervals,
    )


def _with_sensitivity(found: Comparison, runner: "_Runner") -> Comparison:
    """Runs repeats with perturbed delays; the rows stay those of the path itself."""
    plan = found.plan
    parts = [_perturbed(plan, rows, runner) for rows in _by_size(found).values()]
    if runner.interrupted and any(len(part.found) < 2 for part in parts):
        raise KeyboardInterrupt  # a range of no repeats is none
    intervals = Intervals.of(
        parts, plan.startups, plan.baseline, drawn=False, interrupted=runner.interrupted
    )
    return dataclasses.replace(found, intervals=intervals)


def _perturbed(plan: Plan, rows: Sequence[Row], runner: "_Runner") -> SizeRepeats:
    """The path itself and repeats of it, of one size."""
    repeats = [tallies(rows)]
    numbers = range(1, 1 + min(FIRST_LOOK, _most(rows)))
    at_once = max(1, MOST_ROWS // len(rows))
    for begin in range(0, len(numbers), at_once):
        which = [n for n in numbers[begin : begin + at_once] for _ in plan.startups]
        names = plan.startups * (len(which) // len(plan.startups))
        cases = [Case(name, rows[0]["size"], plan.seeds[0]) for name in names]
        scenarios = [
            perturbed(plan.scenario(case), number)
            for case, number in zip(cases, which, strict=True)
        ]
        if (batch := runner.run(scenarios)) is None:
            break
        by: dict[int, list[Row]] = {}
        for row in placed(batch, cases, plan):
            by.setdefault(which[row["run"]], []).append(row)
        repeats += [tallies(mine) for mine in by.values()]
    return SizeRepeats(repeats)


@dataclass
class _Runner:
    """Runs further scenarios of a comparison, until Ctrl-C ends it."""

    plan: Plan
    workers: int | None
    progress: Callable[[int, int], object] | None
    interrupted: bool = False

    def run(self, scenarios: Sequence[Document]) -> "Batch | None":
        """The results; None if not all of them were finished."""
        if self.interrupted:
            return None
        texts = [encode(scenario) for scenario in scenarios]
        batch = run_many(texts, self.workers, self.progress, self.plan.custom)
        self.interrupted = batch["interrupted"]
        return None if self.interrupted else batch


def _by_size(found: Comparison) -> dict[str | None, list[Row]]:
    rows: dict[str | None, list[Row]] = {size: [] for size in found.plan.sizes}
    for row in found.records:
        rows[row["size"]].append(row)
    return {size: mine for size, mine in rows.items() if mine}


def _by_seed(rows: Sequence[Row]) -> list[Tallies]:

    by: dict[int, list[Row]] = {}
    for row in rows:
        by.setdefault(row["seed"], []).append(row)
    return [tallies(mine) for mine in by.values()]


def _most(rows: Sequence[Row]) -> int:
    """How many repeats a size may have of which one has these rows."""
    return most_repeats(sum(row["packets_sent"] for row in rows), len(rows))


def _in_order(rows: list[Row], plan: Plan) -> list[Row]:
    """The rows in the order of the plan's cases, with the numbers of these as runs."""
    runs = {case: number for number, case in enumerate(plan.cases())}
    numbered = (row | {"run": runs[Case(row["variant"], row["size"], row["seed"])]} for row in rows)
    return sorted(numbered, key=lambda row: row["run"])
