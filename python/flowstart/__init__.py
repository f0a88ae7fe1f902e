"""flowstart: a laboratory for flow startup.

What a transport connection does between its handshake and the moment it knows its path,
simulated packet by packet, for every startup algorithm of the catalog:

    import flowstart as fs

    path = fs.Path(rate="5Mbps", rtt="64ms", buffer="60pkt")
    result = fs.compare(path, startups=["slow-start", "jump-start"], sizes=["100kB"])
    result.frame  # a polars DataFrame, one row per flow
    result.plot()  # a matplotlib figure

A startup of one's own is a class derived from `fs.Startup`.

Quantities are text with their unit; `bps`, `seconds`, `packets`, `octets` and `bdp` make it of
numbers. Importing the package is cheap; polars and matplotlib
are imported when first needed.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flowstart.captures.contents import Capture
    from flowstart.captures.reading import capture
    from flowstart.comparison.execute import compare
    from flowstart.comparison.result import Comparison
    from flowstart.errors import FlowstartError, RequestError, SimulationError
    from flowstart.live_runs.execute import live
    from flowstart.live_runs.load import live_load
    from flowstart.live_runs.load_result import Load
    from flowstart.live_runs.result import Live
    from flowstart.maps.asking import read_map
    from flowstart.maps.result import Map
    from flowstart.model.catalog import Algorithm, Parameter, algorithm, algorithms
    from flowstart.model.document import schema
    from flowstart.model.fields import (
        After,
        AfterFlow,
        Flow,
        Hop,
        QuickStart,
        RateStep,
        Stack,
        Web,
        Write,
    )
    from flowstart.model.path import Path
    from flowstart.model.quantities import bdp, bps, octets, packets, seconds
    from flowstart.model.scenario import Scenario
    from flowstart.model.startup import (
        Ack,
        Delivery,
        Established,
        Feedback,
        Idle,
        Known,
        Loss,
        Marked,
        PeerGap,
        RateSample,
        Reason,
        Recovered,
        Sent,
        Startup,
        Syn,
        Timeout,
        Window,
    )
    from flowstart.model.variants import Variant
    from flowstart.replays.asking import replay
    from flowstart.replays.result import Replay
    from flowstart.simulation.many import Batch, run_many
    from flowstart.simulation.run import Run, run
    from flowstart.simulation.streaming import StoredRun, stream
    from flowstart.sweeps.asking import sweep
    from flowstart.sweeps.cell import Cell
    from flowstart.sweeps.execution.swept import Swept
    from flowstart.sweeps.language.sweep import Sweep
    from flowstart.worst_paths.asking import worst
    from flowstart.worst_paths.result import Worst

    __version__: str

# Where each public name lives; imported on first use.
_HOMES = {
    "Algorithm": "model.catalog",
    "Parameter": "model.catalog",
    "algorithm": "model.catalog",
    "algorithms": "model.catalog",
    "Capture": "captures.contents",
    "capture": "captures.reading",
    "Comparison": "comparison.result",
    "compare": "comparison.execute",
    "Live": "live_runs.result",
    "live": "live_runs.execute",
    "Load": "live_runs.load_result",
    "live_load": "live_runs.load",
    "Map": "maps.result",
    "read_map": "maps.asking",
    "FlowstartError": "errors",
    "RequestError": "errors",
    "SimulationError": "errors",
    "Flow": "model.fields",
    "Hop": "model.fields",
    "Path": "model.path",
    "QuickStart": "model.fields",
    "RateStep": "model.fields",
    "Scenario": "model.scenario",
    "Stack": "model.fields",
    "Web": "model.fields",
    "After": "model.fields",
    "AfterFlow": "model.fields",
    "Write": "model.fields",
    "schema": "model.document",
    "bdp": "model.quantities",
    "bps": "model.quantities",
    "octets": "model.quantities",
    "packets": "model.quantities",
    "seconds": "model.quantities",
    "Replay": "replays.result",
    "replay": "replays.asking",
    "Batch": "simulation.many",
    "run_many": "simulation.many",
    "Run": "simulation.run",
    "run": "simulation.run",
    "StoredRun": "simulation.streaming",
    "stream": "simulation.streaming",
    "Cell": "sweeps.cell",
    "Sweep": "sweeps.language.sweep",
    "sweep": "sweeps.asking",
    "Swept": "sweeps.execution.swept",
    "Worst": "worst_paths.result",
    "worst": "worst_paths.asking",
    "Variant": "model.variants",
    "Startup": "model.startup",
    "Window": "model.startup",
    # The signals that a startup's hooks are told.
    "Ack": "model.startup",
    "Delivery": "model.startup",
    "Established": "model.startup",
    "Feedback": "model.startup",
    "Idle": "model.startup",
    "Known": "model.startup",
    "Loss": "model.startup",
    "Marked": "model.startup",
    "PeerGap": "model.startup",
    "RateSample": "model.startup",
    "Reason": "model.startup",
    "Recovered": "model.startup",
    "Sent": "model.startup",
    "Syn": "model.startup",
    "Timeout": "model.startup",
}

__all__ = [
    "Ack",
    "After",
    "AfterFlow",
    "Algorithm",
    "Batch",
    "Capture",
    "Cell",
    "Comparison",
    "Delivery",
    "Established",
    "Feedback",
    "Flow",
    "FlowstartError",
    "Hop",
    "Idle",
    "Known",
    "Live",
    "Load",
    "Loss",
    "Map",
    "Marked",
    "Parameter",
    "Path",
    "PeerGap",
    "QuickStart",
    "RateSample",
    "RateStep",
    "Reason",
    "Recovered",
    "Replay",
    "RequestError",
    "Run",
    "Scenario",
    "Sent",
    "SimulationError",
    "Stack",
    "Startup",
    "StoredRun",
    "Sweep",
    "Swept",
    "Syn",
    "Timeout",
    "Variant",
    "Web",
    "Window",
    "Worst",
    "Write",
    "__version__",
    "algorithm",
    "algorithms",
    "bdp",
    "bps",
    "capture",
    "compare",
    "live",
    "live_load",
    "octets",
    "packets",
    "read_map",
    "replay",
    "run",
    "run_many",
    "schema",
    "seconds",
    "stream",
    "sweep",
    "worst",
]


def __getattr__(name: str) -> object:
    if name == "__version__":
        return import_module("flowstart._native").version()
    if name in _HOMES:
        value = getattr(import_module(f"flowstart.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'flowstart' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
