"""Runs the cases of a gate in the virtual time of a real stack."""

import os
from collections.abc import Iterator, Sequence
from concurrent import futures
from functools import partial
from typing import TYPE_CHECKING

from flowstart import _native
from flowstart.comparison.live.plan import NATIVE_SUFFIX, VIRTUAL, LivePlan
from flowstart.errors import RequestError, SimulationError
from flowstart.gate.beginning import Beginning
from flowstart.gate.cases import Cases
from flowstart.gate.runs import CaseRuns
from flowstart.model.document import encode
from flowstart.model.path import NetworkPath
from flowstart.questions.live import Live
from flowstart.simulation import bounds
from flowstart.sweeps.cell import Cell
from flowstart.sweeps.runs.table import Planned

if TYPE_CHECKING:
    from flowstart._native import LiveOutcome


def live(cases: Cases, cells: dict[str, Cell], workers: int | None) -> Iterator[CaseRuns]:
    """The runs of each cell and variant. Raises KeyboardInterrupt where Ctrl-C ended them."""
    stack = str(cases.live)
    threads = futures.ThreadPoolExecutor(workers or os.cpu_count())
    try:
        for name, cell in cells.items():
            plans = [_plan(cases, each, stack) for each in cases.repeats(cell)]
            refused = plans[0].refusals()
            for variant in plans[0].comparison.variants:
                if why := refused.get(variant.name):
                    yield CaseRuns(name, variant.name, (), (), (), None, why)
                    continue
                rtt_s = Planned.of(cell, [variant], cases.sweep.custom).facts.rtt_s
                with bounds.current().watched():
                    outcomes = list(threads.map(partial(_run, variant=variant.name), plans))
                yield _of_outcomes(name, variant.name, outcomes, rtt_s)
    finally:
        threads.shutdown(cancel_futures=True)


def _plan(cases: Cases, cell: Cell, stack: str) -> LivePlan:
    """What a stack runs on a cell."""
    if {*cell.flow} != {"size"} or cell.competing != "alone":
        raise RequestError(
            f"`{stack}`: a case is a path and a size there, without competing flows or other "
            "fields of a flow",
            ("live",),
        )
    is_own = stack.partition(":")[0].endswith(NATIVE_SUFFIX)
    try:
        plan = LivePlan.of(
            Live(
                NetworkPath(**cell.path),
                on=stack,
                variants=() if is_own else cases.sweep.variants,
                sizes=[cell.flow["size"]],
                cc=cell.cc,
                seed=cell.seed,
            )
        )
    except RequestError as error:
        raise error.at(("live",)) if error.location == ("stack",) else error from None
    if plan.clock != VIRTUAL:
        raise RequestError(f"`{stack}`: runs in real time; a gate needs virtual time", ("live",))
    return plan


def _run(plan: LivePlan, variant: str) -> "LiveOutcome | str":
    """One run, or why there is none."""
    case = next(each for each in plan.comparison.cases() if each.startup == variant)
    scenario, control = encode(plan.comparison.scenario(case)), plan.controls.get(variant)
    try:
        return _native.run_live(plan.stack, scenario, VIRTUAL, False, control)
    except SimulationError as error:
        return str(error)


def _of_outcomes(
    name: str, variant: str, outcomes: Sequence["LiveOutcome | str"], rtt_s: float
) -> CaseRuns:
    done = [each for each in outcomes if not isinstance(each, str)]
    if len(done) < len(outcomes):
        error = next(each for each in outcomes if isinstance(each, str))
        return CaseRuns(name, variant, (), (), (), None, error)
    trace, end = done[0]["trace"], done[0]["exit"]
    beginning = Beginning.of(
        trace["time_ns"] / 1e9,
        trace["cwnd"],
        trace["flight"],
        rtt_s,
        (end["reason"], end["at_s"], end["cwnd_segments"]) if end else (None, None, None),
    )
    return CaseRuns(
        name,
        variant,
        tuple(each["fct_s"] for each in done),
        tuple(each["packets_dropped"] / max(each["packets_sent"], 1) for each in done),
        (None,) * len(done),
        beginning,
        None,
    )
