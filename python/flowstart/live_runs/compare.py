"""The same traffic under one startup algorithm after another, simulated or also in a real stack."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Unpack, overload

from flowstart import _native
from flowstart.comparison import execute as simulated
from flowstart.comparison import request
from flowstart.comparison.execute import execute as simulate
from flowstart.comparison.plan import DEFAULT_SIZES, Case, Plan
from flowstart.comparison.result import Comparison
from flowstart.errors import RequestError, SimulationError
from flowstart.live_runs.plan import REAL, LivePlan
from flowstart.live_runs.result import LiveComparison
from flowstart.live_runs.rows import Found
from flowstart.model.custom import StartupLike
from flowstart.model.fields import Endpoint
from flowstart.model.path import NetworkPath
from flowstart.model.quantities import Size, Time, size_texts, time_text
from flowstart.model.scenario import ScenarioLike
from flowstart.model.variants import VariantLike
from flowstart.simulation import bounds
from flowstart.simulation.batch import Progress
from flowstart.simulation.limits import LimitOptions


def execute(
    plan: LivePlan, *, workers: int | None = None, progress: Progress | None = None
) -> LiveComparison:
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
    return LiveComparison(plan, simulated, found, interrupted)


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


@overload
def compare(
    setting: NetworkPath | ScenarioLike,
    *,
    on: None = None,
    startups: Sequence[StartupLike] | None = None,
    variants: Sequence[VariantLike] = (),
    baseline: str | None = None,
    sizes: Sequence[Size] | None = None,
    flows: int | None = None,
    stagger: Time | None = None,
    requests: int | None = None,
    idle: Time | None = None,
    cc: str | None = None,
    stack: str | Endpoint | Mapping[str, Any] | None = None,
    cached_cwnd: str | None = None,
    landing: str | None = None,
    available_rate: str | None = None,
    seed: int | None = None,
    repeat: int | None = None,
    uncertainty: bool = True,
    workers: int | None = None,
    progress: Progress | None = None,
    allow_python: bool = False,
    time_limit: Time | None = None,
    **limits: Unpack[LimitOptions],
) -> Comparison: ...


@overload
def compare(
    setting: NetworkPath,
    *,
    on: str,
    clock: str | None = None,
    kernel: Sequence[str] | None = None,
    native: bool = False,
    startups: Sequence[StartupLike] | None = None,
    variants: Sequence[VariantLike] = (),
    sizes: Sequence[Size] | None = None,
    cc: str | None = None,
    cached_cwnd: str | None = None,
    seed: int | None = None,
    repeat: int | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    time_limit: Time | None = None,
    **limits: Unpack[LimitOptions],
) -> LiveComparison: ...


def compare(
    setting: NetworkPath | ScenarioLike,
    *,
    on: str | None = None,
    clock: str | None = None,
    kernel: Sequence[str] | None = None,
    native: bool = False,
    startups: Sequence[StartupLike] | None = None,
    variants: Sequence[VariantLike] = (),
    baseline: str | None = None,
    sizes: Sequence[Size] | None = None,
    flows: int | None = None,
    stagger: Time | None = None,
    requests: int | None = None,
    idle: Time | None = None,
    cc: str | None = None,
    stack: str | Endpoint | Mapping[str, Any] | None = None,
    cached_cwnd: str | None = None,
    landing: str | None = None,
    available_rate: str | None = None,
    seed: int | None = None,
    repeat: int | None = None,
    uncertainty: bool = True,
    workers: int | None = None,
    progress: Progress | None = None,
    allow_python: bool = False,
    time_limit: Time | None = None,
    **limits: Unpack[LimitOptions],
) -> Comparison | LiveComparison:
    """Runs the same traffic under each startup algorithm.

    On a path, each size is sent by `flows` connections. In a scenario, the flows and web sessions
    without a startup algorithm are under test, and the others are background traffic. With `on`,
    each transfer runs in the simulator and in a real stack over the same links.

    Args:
        setting: A path, a scenario, or the name of a scenario file.
        on: The real stack: `noq`, `quinn`, `s2n`, or `linux` for this machine's kernel; with fields
            as in `noq:ecn=classic`, or the stack's own congestion control alone, as in
            `quinn-native:cc=cubic,iw=14720` (initial window in bytes). Needs a path, and takes
            neither `baseline`, `flows`, `stagger`, `requests`, `idle` nor `stack`.
        clock: `virtual`, or `real` for sockets of this machine; only with `on`.
        kernel: The kernel's congestion controls to run as they are; only with `on="linux"`.
        native: Whether the QUIC stack's own congestion controls and pacer run too; only with `on`.
        startups: Startup algorithms: names in the catalog, classes derived from `Startup`, or
            instances of such classes.
        variants: Sender settings under a name, with more than a startup algorithm.
        baseline: The variant that changes are relative to; slow start, or else the first.
        sizes: Sizes of transfers, in bytes or as text.
        flows: Number of connections that send each size at the same time.
        stagger: Time from the start of one connection to the next, in seconds or as text.
        requests: Number of transfers that a client requests on one connection, each after the last.
        idle: Idle time before each further request, in seconds or as text.
        cc: Congestion control after startup.
        stack: A preset of the endpoints, or their fields.
        cached_cwnd: Congestion window that an earlier connection left, such as `1bdp`.
        landing: Window at the end of startup, such as `0.5`, `0.7delivered` or `bdp`.
        available_rate: Rate available to each flow, such as `10Mbps`; adds columns on what follows
            the end of startup.
        seed: The first seed.
        repeat: Number of seeds on a random path; unless given, as many as a verdict needs.
        uncertainty: Whether to repeat the runs for a verdict and the interval of each change.
        workers: Number of threads and processes; all cores unless given.
        progress: Called as `progress(done, total)` a few times a second.
        allow_python: Whether a scenario file may name startup algorithms written in Python.
        time_limit: Time after which the finished runs are returned, in seconds or as text.
        **limits: `max_packets`, `max_flows`, `max_memory`, `max_time` and `no_limits`, which raise
            the limits of the estimated use.

    Returns:
        A `Comparison`; with `on`, a `LiveComparison`.

    Raises:
        RequestError: An argument is wrong or exceeds a limit, or this machine lacks what the stack
            needs.
        TimeLimitExceeded: The time limit ended the runs before any result.

    Example:
        >>> import flowstart as fs
        >>> path = fs.NetworkPath(rate="5Mbps", rtt="64ms", buffer="60pkt")
        >>> result = fs.compare(path, startups=["slow-start", "jump-start"], sizes=["100kB"])
        >>> result.frame.select("startup", "fct_s").height
        2
    """
    live_only: dict[str, Any] = {"clock": clock, "kernel": kernel, "native": native}
    simulated_only = {"baseline": baseline, "flows": flows, "stagger": stagger, "stack": stack}
    simulated_only |= {"requests": requests, "idle": idle, "landing": landing}
    simulated_only |= {"available_rate": available_rate}
    given = [name for name, value in (simulated_only if on else live_only).items() if value]
    if given:
        where = f"a real stack (`on={on!r}`)" if on else "the simulator; name a stack with `on`"
        raise RequestError(f"`{given[0]}` has no meaning in {where}")
    common: dict[str, Any] = {"startups": startups, "variants": variants, "seed": seed}
    texts = size_texts("sizes", sizes)
    if on is not None:
        if not isinstance(setting, NetworkPath):
            raise RequestError(
                "a real stack needs a NetworkPath, and not a scenario", ("on",), repr(on)
            )
        common |= {"cc": cc, "cached_cwnd": cached_cwnd, "repeat": repeat}
        common |= {"sizes": DEFAULT_SIZES if texts is None else texts}
        with bounds.bounded(time_limit, **limits):
            try:
                plan = LivePlan.of_path(setting, stack=on, **live_only, **common)
                return execute(plan, workers=workers, progress=progress)
            except RequestError as error:
                if error.location[:1] == ("stack",):
                    raise error.at(("on", *error.location[1:])) from None
                raise
    common |= {"baseline": baseline, "repeat": repeat}
    of_path: dict[str, Any] = {"flows": flows, "stagger": time_text("stagger", stagger)}
    of_path |= {"requests": requests, "idle": time_text("idle", idle)}
    of_path |= {"cc": cc, "stack": stack, "cached_cwnd": cached_cwnd, "landing": landing}
    of_path |= {"available_rate": available_rate}
    planned = _plan(setting, of_path, texts, common, allow_python=allow_python)
    with bounds.bounded(time_limit, **limits):
        return simulated.execute(
            planned, uncertainty=uncertainty, workers=workers, progress=progress
        )


def _plan(
    setting: NetworkPath | ScenarioLike,
    of_path: Mapping[str, Any],
    sizes: Sequence[str] | None,
    common: Mapping[str, Any],
    *,
    allow_python: bool,
) -> Plan:
    """The plan of a comparison in the simulator."""
    if isinstance(setting, NetworkPath):
        plan = Plan.of_path(
            setting, sizes=DEFAULT_SIZES if sizes is None else sizes, **of_path, **common
        )
        names = ("flows", "stagger", "requests", "idle", "cached_cwnd")
        given = {name: of_path[name] for name in names}
        stack = plan.base.get("stack")
        request.refuse_what_does_nothing(given, plan.begins, plan.custom, stack)
        return plan
    named = [name for name, value in of_path.items() if value is not None]
    if named:
        raise RequestError(f"`{named[0]}` belongs into the scenario, which describes it all")
    return Plan.of_scenario(setting, sizes=sizes, allow_python=allow_python, **common)
