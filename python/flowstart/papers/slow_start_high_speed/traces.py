"""The trace of a run as arrays."""

from typing import Any

from flowstart.simulation.run import Run

SEND, RETRANSMIT, ACK, TIMEOUT, SYN, OPEN, DROP = range(7)
"""What a sample is about."""


def samples(run: Run) -> dict[str, Any]:
    """The flow samples of a run that has a trace, by column."""
    trace = run.outcome["trace"]
    if trace is None:
        raise ValueError("the run has no trace")
    return trace["flow_samples"]
