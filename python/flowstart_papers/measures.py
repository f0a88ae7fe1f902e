"""What experiments commonly read from a run, and how they sum it up over seeds."""

from typing import Any

from flowstart.inference.bootstrap import bootstrap_interval as interval
from flowstart.simulation.run import Run

__all__ = ["first", "flows", "improvement", "interval"]


def flows(run: Run) -> list[dict[str, Any]]:
    """All rows of all flows."""
    return run.records


def first(run: Run) -> dict[str, Any]:
    """The row of the first flow."""
    return run.records[0]


def improvement(slow_start: float, other: float) -> float:
    """How much sooner the other is done, in percent of slow start's time."""
    return 100 * (slow_start - other) / slow_start
