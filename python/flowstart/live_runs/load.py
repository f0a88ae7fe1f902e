"""Several transfers at a time over one path: in the simulator, and over HTTP in the kernel."""

from typing import Any

from flowstart import _native
from flowstart.errors import RequestError
from flowstart.live_runs.load_result import LiveLoad
from flowstart.live_runs.load_rows import live, simulated
from flowstart.live_runs.plan import KERNEL, LINUX, OWN
from flowstart.model import scenario
from flowstart.model.document import Document, encode
from flowstart.model.scenario import ScenarioLike
from flowstart.simulation.run import run

REPEATS = 3
"""How often a load is run in the kernel where nothing else is said."""
ALWAYS = ("preset", *OWN[LINUX])
"""The fields of a stack that a load may have."""


def live_load(
    scenario_like: ScenarioLike, *, kernel: str | None = None, repeat: int = REPEATS
) -> LiveLoad:
    """Runs a scenario's transfers in the simulator, and over HTTP in this machine's kernel.

    The transfers are flows whose receiver opens the connection (`opener = "receiver"`) and web
    sessions with `single_connection`. Clients request them from one HTTP server, each on a separate
    connection. A run in which the path was late by more than 2 ms is repeated, at most twice.

    Args:
        scenario_like: The scenario, as for `run`.
        kernel: A congestion control of the kernel (`cubic`, `reno`, `bbr`) in place of the
            scenario's startup algorithms; these drive the kernel unless it is given.
        repeat: Number of runs in the kernel.

    Returns:
        The requests in the simulator and in the kernel.

    Raises:
        RequestError: The scenario is no such load, or this machine does not permit it.

    Example:
        >>> import flowstart as fs
        >>> path = fs.NetworkPath(rate="20Mbps", rtt="60ms")
        >>> flow = fs.Flow(size="30kB", opener="receiver", start="10ms")
        >>> scenario = fs.Scenario(path=path, flows=[flow], stack="linux")
        >>> load = fs.live_load(scenario, kernel="cubic", repeat=1)  # doctest: +SKIP
    """
    document = prepared(scenario.document(scenario_like), kernel)
    if repeat < 1:
        raise RequestError(f"repeat: `{repeat}`: a load is run once at least")
    missing = _native.live_prohibition(LINUX, kernel is None)
    if missing:
        raise RequestError(f"stack: `{LINUX}`: {missing}")
    ours = run(document)
    outcomes = []
    interrupted = False
    for _ in range(repeat):
        try:
            outcomes.append(_native.run_live_load(encode(document), kernel))
        except KeyboardInterrupt:
            interrupted = True
            break
    rows = simulated(ours.outcome)
    dropped = sum(flow["packets_dropped"] for flow in ours.records)
    flows = sum(1 for row in rows if row["flow"] is not None)
    for number, outcome in enumerate(outcomes):
        rows += live(outcome, number, flows)
    return LiveLoad(document, kernel, rows, ours.headline, dropped, tuple(outcomes), interrupted)


def prepared(document: Document, kernel: str | None) -> Document:
    """A scenario on the simulated `linux` stack, with what `kernel` is in the simulator.

    Raises RequestError where the kernel has none of that name, or the stack is another.
    """
    if kernel is not None and kernel not in KERNEL:
        raise RequestError(f"kernel: `{kernel}`: the kernel's own are {', '.join(KERNEL)}")
    stack: dict[str, Any] = {"preset": LINUX, **document.get("stack", {})}
    for field, value in stack.items():
        if field not in ALWAYS or (field == "preset" and value != LINUX):
            can = ", ".join(OWN[LINUX])
            raise RequestError(
                f"stack: `{field}={value}`: the kernel has its own; of a load {can} can be set"
            )
    own = KERNEL[kernel] if kernel else {}
    entries = {
        kind: [{**entry, **own} for entry in document[kind]]
        for kind in ("flows", "web")
        if document.get(kind)
    }
    return {**document, "stack": stack, **entries}
