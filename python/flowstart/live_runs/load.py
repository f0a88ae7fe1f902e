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
    """Runs a scenario's transfers in the simulator, and `repeat` times in this machine's kernel.

    The transfers are flows whose receiver opens the connection (`opener = "receiver"`) and web
    sessions with `single_connection`: clients ask one HTTP server at the times, and for the sizes,
    that the scenario has or draws, each time on a connection of its own. `kernel` names a
    congestion control of the kernel's own (`cubic`, `reno`, `bbr`) in place of the startups of the
    scenario; without it these drive the kernel. A run in which the path was late by more than 2 ms
    is run again, at most twice. Raises RequestError where the scenario is no such load, or this
    machine does not permit it.
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
