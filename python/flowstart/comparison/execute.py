"""Runs comparisons."""

import dataclasses
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flowstart.comparison import larger_window
from flowstart.comparison.plan import FEWEST_REPEATS, Case, Plan
from flowstart.comparison.result import Comparison, failures
from flowstart.simulation import bounds
from flowstart.simulation.batch import run_many

if TYPE_CHECKING:
    from flowstart._native import Batch, Scenarios


def execute(
    plan: Plan,
    *,
    uncertainty: bool,
    workers: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Comparison:
    """Runs a plan on `workers` threads and processes, all cores by default."""

    def run(plan: Plan) -> Comparison:
        ready = prepare(plan)
        with bounds.repeated(1 + FEWEST_REPEATS if uncertainty else 1):  # of large sizes
            batch = run_many(ready.scenarios, workers, progress, plan.custom)
        return ready.result(batch)

    result = run(plan)
    if (larger := larger_window.added(result)) and not result.interrupted:
        result = run(larger)
    if not uncertainty or result.interrupted or not len(result.flow_rows):
        return result
    try:
        return with_intervals(result, workers=workers, progress=progress)
    except KeyboardInterrupt:  # what came before it is an answer
        return dataclasses.replace(result, interrupted=True)


@dataclass(frozen=True)
class Prepared:
    """A plan that was checked, ready to run."""

    plan: Plan
    """With the seeds that are run."""
    spared: int
    """How many seeds were asked for and are not run, since nothing is drawn from them."""

    @functools.cached_property
    def cases(self) -> list[Case]:
        """Its runs."""
        return self.plan.cases()

    @functools.cached_property
    def scenarios(self) -> "Scenarios":
        """The scenarios of its runs."""
        return self.plan.native.scenarios(self.cases)

    def result(self, batch: "Batch") -> Comparison:
        """What its runs came to."""
        runs = batch["runs"].lists()
        return Comparison(
            plan=self.plan,
            flow_rows=self.plan.native.rows(batch, self.cases),
            failures=failures(batch, self.cases),
            interrupted=batch["interrupted"],
            finished=sum(not error for error in runs["error"]),
            buffer=next(filter(None, runs["buffer"]), None),
            buffer_accounting=next(filter(None, runs["buffer_accounting"]), None),
            spared=self.spared,
        )


def prepare(plan: Plan) -> Prepared:
    """Checks a plan; seeds that could not differ are run once."""
    requested = len(plan.seeds)
    if not plan.drawn and requested > 1:
        plan = dataclasses.replace(plan, seeds=plan.seeds[:1])
    return Prepared(plan, requested - len(plan.seeds))


def with_intervals(
    result: Comparison,
    *,
    workers: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Comparison:
    """A comparison with a verdict on each size, for which repeats of the path are run."""
    from flowstart.comparison.repeats import repeated  # loads numpy

    return repeated(result, workers, progress)
