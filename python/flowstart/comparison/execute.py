"""Runs comparisons."""

import dataclasses
import functools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

from flowstart.comparison import applicability
from flowstart.comparison.plan import DEFAULT_SIZES, FEWEST_REPEATS, Case, Plan
from flowstart.comparison.result import Comparison
from flowstart.comparison.rows import placed
from flowstart.errors import RequestError
from flowstart.model import randomness, specs
from flowstart.model.custom import StartupLike
from flowstart.model.document import encode, resolve
from flowstart.model.fields import Stack
from flowstart.model.path import Path
from flowstart.model.scenario import ScenarioLike
from flowstart.model.variants import VariantLike
from flowstart.simulation import bounds, frames
from flowstart.simulation.batch import run_many
from flowstart.simulation.limits import LimitOptions

if TYPE_CHECKING:
    from flowstart._native import Batch


def compare(
    setting: Path | ScenarioLike,
    *,
    startups: Sequence[StartupLike] | None = None,
    variants: Sequence[VariantLike] = (),
    baseline: str | None = None,
    sizes: Sequence[str] | None = None,
    flows: int | None = None,
    stagger: str | None = None,
    cc: str | None = None,
    stack: str | Stack | Mapping[str, Any] | None = None,
    cached_cwnd: str | None = None,
    seed: int | None = None,
    repeat: int = 1,
    uncertainty: bool = True,
    workers: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    allow_python: bool = False,
    time_limit: str | None = None,
    **limits: Unpack[LimitOptions],
) -> Comparison:
    """Runs the same traffic under each of `startups`, or of `variants` that say more than that.

    Changes are against the one that `baseline` names; slow start, or the first, where none is.
    On a Path, each of `sizes` is sent by `flows` connections together, `stagger` apart.
    In a scenario (or its file), the flows and web sessions that name no startup are under
    test, and the others are background. `repeat` runs all with as many seeds, or with one where
    nothing is drawn at random. `uncertainty` runs perturbed
    repeats of the path for the range of each change; without it each transfer runs once. A
    scenario's file may name startups written in Python only with `allow_python`.
    `progress(done, total)` is called a few times a second. A startup may also be a class
    derived from `Startup` or an instance of one; runs with such a startup go to up to `workers`
    processes, and stay on the calling thread with one worker. `limits` raise what all runs may be
    estimated to use (`max_packets=1e12`); after `time_limit` (`10s`) those that are finished
    are returned, and `interrupted` says so. Raises RequestError where anything asked for is wrong
    or above a limit, and what a startup written in Python raises.
    """
    common: dict[str, Any] = {"startups": startups, "variants": variants, "baseline": baseline}
    common |= {"seed": seed, "repeat": repeat}
    if isinstance(setting, Path):
        plan = Plan.of_path(
            setting,
            sizes=DEFAULT_SIZES if sizes is None else sizes,
            flows=flows,
            stagger=stagger,
            cc=cc,
            stack=stack,
            cached_cwnd=cached_cwnd,
            **common,
        )
        given = {"flows": flows, "stagger": stagger, "cached_cwnd": cached_cwnd}
        applicability.refuse_what_does_nothing(
            given, plan.begins, plan.custom, plan.base.get("stack")
        )
    else:
        extra = {
            "flows": flows,
            "stagger": stagger,
            "cc": cc,
            "stack": stack,
            "cached_cwnd": cached_cwnd,
        }
        named = [name for name, value in extra.items() if value is not None]
        if named:
            raise RequestError(f"`{named[0]}` belongs into the scenario, which describes it all")
        plan = Plan.of_scenario(setting, sizes=sizes, allow_python=allow_python, **common)
    with bounds.bounded(time_limit, **limits):
        return execute(plan, uncertainty=uncertainty, workers=workers, progress=progress)


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
    if not uncertainty or found.interrupted or not found.rows:
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
            rows=placed(batch, cases, plan),
            failures=[_failure(cases[run["run"]], run["error"]) for run in runs if run["error"]],
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
    if not randomness.drawn(resolved):
        plan = dataclasses.replace(plan, seeds=plan.seeds[:1])
    return Prepared(plan, asked - len(plan.seeds))


def with_intervals(
    found: Comparison,
    *,
    workers: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Comparison:
    """A comparison with how far its changes go over repeats of the path, which are run for it."""
    from flowstart.comparison.repeats import repeated  # loads numpy

    packets: Counter[str | None] = Counter()
    for row in found.rows:
        packets[row["size"]] += row["packets_sent"]
    beside = repeated(found.plan, found.summaries, packets, workers=workers, progress=progress)
    # A copy, since summaries that are made without intervals are remembered.
    return dataclasses.replace(found, intervals=beside)


def _failure(case: Case, error: str) -> str:
    size = f" with {case.size}" if case.size else ""
    return f"{case.startup}{size}, seed {case.seed}: {error}"
