"""What experiments commonly read from a run."""

from typing import Any

from flowstart.simulation.run import Run


def first(run: Run) -> dict[str, Any]:
    """The row of the first flow."""
    return run.records[0]
