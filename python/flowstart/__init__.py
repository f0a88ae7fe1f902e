"""flowstart: a laboratory for flow start-up.

What a transport connection does between its handshake and the moment it knows its path,
simulated packet by packet, for every published start-up algorithm:

    import flowstart as fs

    path = fs.Path(rate="5Mbps", rtt="64ms", buffer="60pkt")
    result = fs.compare(path, startups=["slow-start", "jump-start"], sizes=["100kB"])
    result.frame  # a polars DataFrame, one row per flow
    result.plot()  # a matplotlib figure

A start-up of one's own is a class derived from `fs.Startup`.

Quantities are text with their unit. Importing the package is cheap; polars and matplotlib
are imported when first needed.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flowstart.catalog import Algorithm, Parameter, algorithm, algorithms
    from flowstart.comparison import Comparison, compare
    from flowstart.errors import FlowstartError, RequestError, SimulationError
    from flowstart.scenario import Flow, Hop, Path, RateStep, Scenario, Web, Write, schema
    from flowstart.simulation import Run, run
    from flowstart.startup import (
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

    __version__: str

# Where each public name lives; imported on first use.
_HOMES = {
    "Algorithm": "catalog",
    "Parameter": "catalog",
    "algorithm": "catalog",
    "algorithms": "catalog",
    "Comparison": "comparison",
    "compare": "comparison",
    "FlowstartError": "errors",
    "RequestError": "errors",
    "SimulationError": "errors",
    "Flow": "scenario",
    "Hop": "scenario",
    "Path": "scenario",
    "RateStep": "scenario",
    "Scenario": "scenario",
    "Web": "scenario",
    "Write": "scenario",
    "schema": "scenario",
    "Run": "simulation",
    "run": "simulation",
    "Startup": "startup",
    "Window": "startup",
    # The signals that a start-up's hooks are told.
    "Ack": "startup",
    "Delivery": "startup",
    "Established": "startup",
    "Feedback": "startup",
    "Idle": "startup",
    "Known": "startup",
    "Loss": "startup",
    "Marked": "startup",
    "PeerGap": "startup",
    "RateSample": "startup",
    "Reason": "startup",
    "Recovered": "startup",
    "Sent": "startup",
    "Syn": "startup",
    "Timeout": "startup",
}

__all__ = [
    "Ack",
    "Algorithm",
    "Comparison",
    "Delivery",
    "Established",
    "Feedback",
    "Flow",
    "FlowstartError",
    "Hop",
    "Idle",
    "Known",
    "Loss",
    "Marked",
    "Parameter",
    "Path",
    "PeerGap",
    "RateSample",
    "RateStep",
    "Reason",
    "Recovered",
    "RequestError",
    "Run",
    "Scenario",
    "Sent",
    "SimulationError",
    "Startup",
    "Syn",
    "Timeout",
    "Web",
    "Window",
    "Write",
    "__version__",
    "algorithm",
    "algorithms",
    "compare",
    "run",
    "schema",
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
