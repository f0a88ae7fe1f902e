"""Runs the same transfers in the simulator and in a real stack."""

from functools import partial

from flowstart import _native
from flowstart.comparison.execute import execute as simulate
from flowstart.comparison.live.plan import REAL, LivePlan
from flowstart.comparison.live.result import LiveComparison
from flowstart.comparison.live.rows import Found
from flowstart.comparison.plan import Case
from flowstart.errors import SimulationError
from flowstart.simulation import bounds
from flowstart.simulation.batch import Progress


def execute(
    plan: LivePlan, *, workers: int | None = None, progress: Progress | None = None
) -> LiveComparison:
    """Runs a plan; Ctrl-C keeps what is finished."""
    refused = plan.refusals()
    report = partial(_half, progress)
    simulated = simulate(plan.comparison, uncertainty=False, workers=workers, progress=report(0))
    # In real time nothing is ever quite the same, also where nothing is drawn.
    cases = (plan.comparison if plan.clock == REAL else simulated.plan).cases()
    runs: dict[Case, Found] = {}
    interrupted = simulated.interrupted
    for done, case in enumerate(() if interrupted else cases):
        try:
            runs[case] = _run(plan, case, refused.get(case.startup))
        except KeyboardInterrupt:
            interrupted = True
            break
        report(1)(done + 1, len(cases))
    return LiveComparison(plan, simulated, runs, interrupted)


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
