"""Runs transfers in the simulator and in a real stack."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias, Unpack

from flowstart import _native
from flowstart.comparison.execute import execute as simulate
from flowstart.comparison.plan import DEFAULT_SIZES, Case
from flowstart.errors import SimulationError
from flowstart.live_runs.plan import REAL, LivePlan
from flowstart.live_runs.result import Live
from flowstart.live_runs.rows import Found
from flowstart.model.custom import StartupLike
from flowstart.model.path import Path
from flowstart.model.variants import VariantLike
from flowstart.simulation import bounds
from flowstart.simulation.limits import LimitOptions

Progress: TypeAlias = Callable[[int, int], object]


def live(
    path: Path,
    startups: Sequence[StartupLike] | None = None,
    *,
    stack: str = "noq",
    clock: str | None = None,
    kernel: Sequence[str] | None = None,
    variants: Sequence[VariantLike] = (),
    sizes: Sequence[str] | None = None,
    cc: str | None = None,
    cached_cwnd: str | None = None,
    seed: int | None = None,
    repeat: int | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    time_limit: str | None = None,
    **limits: Unpack[LimitOptions],
) -> Live:
    """Runs each of `sizes` under each of `startups` simulated, and in a real stack.

    The stack, `noq` where nothing else is said, sends over the simulator's links, in virtual time
    or, with `clock="real"`, through sockets of this machine as the time passes.
    `stack="noq:ecn=classic"` has it mark its packets. `stack="linux"` is the TCP of this machine's
    kernel, always in real time: under its own congestion controls, of which `kernel` names some
    (all of them where no startup is named), and driven by startups. `variants` may say startup
    and cc. A startup that the stack cannot run is marked so. `repeat` runs all with as many
    seeds, in the kernel 5 where nothing else is said; in virtual time with one where nothing is
    drawn at random. `progress(done, total)` is called a few times a second, `workers` is for what
    is simulated. `limits` and `time_limit` are those of `compare`. Raises RequestError where
    anything asked for is wrong, or this machine does not permit it.
    """
    plan = LivePlan.of_path(
        path,
        stack=stack,
        clock=clock,
        kernel=kernel,
        startups=startups,
        variants=variants,
        sizes=DEFAULT_SIZES if sizes is None else sizes,
        cc=cc,
        cached_cwnd=cached_cwnd,
        seed=seed,
        repeat=repeat,
    )
    with bounds.bounded(time_limit, **limits):
        return execute(plan, workers=workers, progress=progress)


def execute(
    plan: LivePlan, *, workers: int | None = None, progress: Progress | None = None
) -> Live:
    """Runs a plan; Ctrl-C keeps what is finished."""
    refused = plan.refusals()
    report = partial(_half, progress)
    simulated = simulate(plan.comparison, uncertainty=False, workers=workers, progress=report(0))
    # In real time nothing is ever quite the same, also where nothing is drawn.
    cases = (plan.comparison if plan.clock == REAL else simulated.plan).cases()
    found: dict[Case, Found] = {}
    interrupted = simulated.interrupted
    for done, case in enumerate(() if interrupted else cases):
        try:
            found[case] = _run(plan, case, refused.get(case.startup))
        except KeyboardInterrupt:
            interrupted = True
            break
        report(1)(done + 1, len(cases))
    return Live(plan, simulated, found, interrupted)


def _run(plan: LivePlan, case: Case, refused: str | None) -> Found:
    """One live run, where the stack can do it."""
    if refused:
        return Found(refused=refused)
    is_first = case.seed == plan.comparison.seeds[0]
    qlog = is_first and plan.clock == REAL
    try:
        with bounds.current().watched():
            scenario, control = plan.scenario(case), plan.controls.get(case.startup)
            outcome = _native.run_live(plan.stack, scenario, plan.clock, qlog, control)
    except SimulationError as error:
        return Found(failure=str(error))
    if not is_first:
        outcome["trace"] = {}  # which only pictures of the first seed need
    return Found(outcome)


def _half(progress: Progress | None, number: int) -> Progress:
    """Reports the first or second half of all runs."""

    def report(done: int, total: int) -> None:
        if progress:
            progress(number * total + done, 2 * total)

    return report
