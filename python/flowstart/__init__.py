"""flowstart: a laboratory for flow startup.

Startup is what a transport connection does between its handshake and the moment it knows its path.
flowstart simulates it packet by packet, for every startup algorithm of the catalog.

A quantity is text with its unit: `5Mbps`, `64ms`, `1.5MB`, `60pkt`, `1bdp`. A plain number is
accepted where its unit is clear: a rate is in bits per second, a time in seconds (or a
`datetime.timedelta`), a size in bytes. Buffers and windows may be in packets, bytes or BDPs, so
they need text.

Every result has its rows as `frame`, a polars DataFrame; `frame.to_pandas()` needs pandas and
pyarrow. It also has `plot()`, `to_dict()`, `summary()` and `report(folder)`.

Custom startup algorithms are classes derived from `Startup`. Importing the package is cheap:
polars and matplotlib are imported when they are first needed.

Example:
    >>> import flowstart as fs
    >>> path = fs.NetworkPath(rate="5Mbps", rtt="64ms", buffer="60pkt")
    >>> result = fs.compare(path, startups=["slow-start", "jump-start"], sizes=["100kB"])
    >>> result.frame["startup"].to_list()  # a polars DataFrame, one row per flow
    ['slow-start', 'jump-start']
    >>> figure = result.plot()  # a matplotlib figure
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flowstart import signals, spec
    from flowstart.captures.contents import Capture
    from flowstart.captures.reading import read_capture
    from flowstart.collection.collect import collect
    from flowstart.collection.result import Collection
    from flowstart.comparison.compare import compare
    from flowstart.comparison.live.load import LiveLoad, live_load
    from flowstart.comparison.live.result import LiveComparison
    from flowstart.comparison.result import Comparison
    from flowstart.deployment.kernel import (
        KernelStartup,
        kernel_load,
        kernel_status,
        kernel_unload,
    )
    from flowstart.errors import (
        FlowstartError,
        LimitExceeded,
        RequestError,
        SimulationError,
        Stopped,
        TimeLimitExceeded,
    )
    from flowstart.gate.base import GateBase
    from flowstart.gate.gate import gate_check, gate_record
    from flowstart.gate.result import GateResult
    from flowstart.maps.result import SweepMap
    from flowstart.maps.sweep_result import SweepResult, sweep
    from flowstart.model.catalog import Algorithm, Parameter, get_algorithm, list_algorithms
    from flowstart.model.document import json_schema
    from flowstart.model.fields import Endpoint, Flow, WebTraffic
    from flowstart.model.path import NetworkPath
    from flowstart.model.scenario import Scenario
    from flowstart.model.startup import Startup, Window
    from flowstart.model.variants import Variant
    from flowstart.replays.request import replay
    from flowstart.replays.result import Replay
    from flowstart.rollouts.result import Verification
    from flowstart.rollouts.verify import verify
    from flowstart.simulation.many import RunBatch, run_many
    from flowstart.simulation.run import Run, run
    from flowstart.simulation.streaming import StoredRun
    from flowstart.sweeps.cell import Cell
    from flowstart.sweeps.execution.execute import Estimate
    from flowstart.sweeps.language.sweep import Sweep
    from flowstart.worst_paths.result import WorstPaths
    from flowstart.worst_paths.search import find_worst_paths

    __version__: str

# Where each public name lives; imported on first use.
_HOMES = {
    "Algorithm": "model.catalog",
    "Parameter": "model.catalog",
    "get_algorithm": "model.catalog",
    "list_algorithms": "model.catalog",
    "Capture": "captures.contents",
    "read_capture": "captures.reading",
    "Collection": "collection.result",
    "collect": "collection.collect",
    "Comparison": "comparison.result",
    "compare": "comparison.compare",
    "LiveComparison": "comparison.live.result",
    "LiveLoad": "comparison.live.load",
    "live_load": "comparison.live.load",
    "KernelStartup": "deployment.kernel",
    "kernel_load": "deployment.kernel",
    "kernel_status": "deployment.kernel",
    "kernel_unload": "deployment.kernel",
    "FlowstartError": "errors",
    "LimitExceeded": "errors",
    "RequestError": "errors",
    "SimulationError": "errors",
    "Stopped": "errors",
    "TimeLimitExceeded": "errors",
    "GateBase": "gate.base",
    "GateResult": "gate.result",
    "gate_check": "gate.gate",
    "gate_record": "gate.gate",
    "Endpoint": "model.fields",
    "Flow": "model.fields",
    "NetworkPath": "model.path",
    "Scenario": "model.scenario",
    "WebTraffic": "model.fields",
    "json_schema": "model.document",
    "Replay": "replays.result",
    "replay": "replays.request",
    "Verification": "rollouts.result",
    "verify": "rollouts.verify",
    "RunBatch": "simulation.many",
    "run_many": "simulation.many",
    "Run": "simulation.run",
    "run": "simulation.run",
    "StoredRun": "simulation.streaming",
    "Cell": "sweeps.cell",
    "Estimate": "sweeps.execution.execute",
    "Sweep": "sweeps.language.sweep",
    "SweepMap": "maps.result",
    "SweepResult": "maps.sweep_result",
    "sweep": "maps.sweep_result",
    "WorstPaths": "worst_paths.result",
    "find_worst_paths": "worst_paths.search",
    "Variant": "model.variants",
    "Startup": "model.startup",
    "Window": "model.startup",
}
_MODULES = ("signals", "spec")

__all__ = [
    "Algorithm",
    "Capture",
    "Cell",
    "Collection",
    "Comparison",
    "Endpoint",
    "Estimate",
    "Flow",
    "FlowstartError",
    "GateBase",
    "GateResult",
    "KernelStartup",
    "LimitExceeded",
    "LiveComparison",
    "LiveLoad",
    "NetworkPath",
    "Parameter",
    "Replay",
    "RequestError",
    "Run",
    "RunBatch",
    "Scenario",
    "SimulationError",
    "Startup",
    "Stopped",
    "StoredRun",
    "Sweep",
    "SweepMap",
    "SweepResult",
    "TimeLimitExceeded",
    "Variant",
    "Verification",
    "WebTraffic",
    "Window",
    "WorstPaths",
    "__version__",
    "collect",
    "compare",
    "find_worst_paths",
    "gate_check",
    "gate_record",
    "get_algorithm",
    "json_schema",
    "kernel_load",
    "kernel_status",
    "kernel_unload",
    "list_algorithms",
    "live_load",
    "read_capture",
    "replay",
    "run",
    "run_many",
    "signals",
    "spec",
    "sweep",
    "verify",
]


def __getattr__(name: str) -> object:
    if name == "__version__":
        return import_module("flowstart._native").version()
    if name in _MODULES:
        return import_module(f"flowstart.{name}")
    if name in _HOMES:
        value = getattr(import_module(f"flowstart.{_HOMES[name]}"), name)
        value.__module__ = "flowstart"
        globals()[name] = value
        return value
    raise AttributeError(f"module 'flowstart' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
