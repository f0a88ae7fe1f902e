"""Runs comparisons."""

import dataclasses
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flowstart.comparison.plan import FEWEST_REPEATS, Case, Plan
from flowstart.comparison.result import Comparison
from flowstart.comparison.rows import failed, placed
from flowstart.model import perturbation, specs
from flowstart.model.document import encode, resolve
from flowstart.simulation import bounds, frames
from flowstart.simulation.batch import run_many

if TYPE_CHECKING:
    from flowstart._native import Batch


def execute(
    plan: Plan,
    *,
    uncertainty: bool,
    workers: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Comparison:
    """Runs a plan on `workers` threads and processes, all cores by default."""
    ready = prepare(plan)
    with bounds.repeated(1 + FEWEST_REPEATS if uncertainty else 1):  # of large sizes
        batch = run_many(ready.scenarios, workers, progress, plan.custom)
    found = ready.result(batch)
    if not uncertainty or found.interrupted or not found.records:
        return found
    try:
        return with_intervals(found, workers=workers, progress=progress)
    except KeyboardInterrupt:  # what came before it is an answer
        return dataclasses.replace(found, interrupted=True)


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
    def scenarios(self) -> list[str]:
        """The scenarios of its runs as the simulator's text."""
        return [encode(self.plan.scenario(case)) for case in self.cases]

    def result(self, batch: "Batch") -> Comparison:
        """What its runs came to."""
        plan, cases = self.plan, self.cases
        runs = frames.rows(batch["runs"])
        return Comparison(
            plan=plan,
            records=placed(batch, cases, plan),
            failures=failed(batch, cases),
            interrupted=batch["interrupted"],
            finished=sum(1 for run in runs if not run["error"]),
            buffer=next((r["buffer"] for r in runs if r["buffer"]), None),
            buffer_accounting=next(
                (r["buffer_accounting"] for r in runs if r["buffer_accounting"]), None
            ),
            spared=self.spared,
        )


def prepare(plan: Plan) -> Prepared:
    """Checks a plan; seeds that could not differ are run once."""
    asked = len(plan.seeds)
    resolved = resolve(plan.scenario(plan.cases()[0]), plan.custom)
    sizes = [size for size in plan.sizes if size]
    if sizes:
        flow = resolved["flows"][plan.tested[0]]
        specs.unequal(sizes, flow.get("mss", resolved["stack"]["mss"]))
    if not perturbation.drawn(resolved):
        plan = dataclasses.replace(plan, seeds=plan.seeds[:1])
    return Prepared(plan, asked - len(plan.seeds))


def with_intervals(
    found: Comparison,
    *,
    workers: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Comparison:
    """A comparison with a verdict on each size, for which repeats of the path are run."""
    from flowstart.comparison.repeats import repeated  # loads numpy

    return repeated(found, workers, progress)
