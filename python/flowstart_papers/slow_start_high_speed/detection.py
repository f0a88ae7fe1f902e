"""What is read from a run of a startup that detects expansion or reduction."""

from typing import TypedDict

import numpy as np

from flowstart.simulation.run import Run
from flowstart_papers.slow_start_high_speed import detecting_start, measures

EXPANDS, SHRINKS = detecting_start.EXPANDS, detecting_start.SHRINKS


class Detection(TypedDict):
    """A transfer, and what its startup made of the path."""

    seconds: float
    again: int
    detected: float
    """`EXPANDS`, `SHRINKS`, or 0 where it detected neither."""


def detection(run: Run) -> Detection:
    """What became of the first flow, and what its startup had detected at the end."""
    samples = measures.samples(run)
    (first, *_) = measures.transfers(run)
    values = samples["detected"][samples["flow"] == 0] if "detected" in samples else np.zeros(1)
    # The trace has no number where a startup has detected nothing.
    return {
        "seconds": first["seconds"],
        "again": first["again"],
        "detected": float(np.nan_to_num(values[-1])),
    }
