"""What is read from a run of a startup that tells expansion from reduction."""

from typing import TypedDict

import numpy as np

from flowstart.papers.slow_start_high_speed import measures, telling_start
from flowstart.simulation.run import Run

EXPANDS, SHRINKS = telling_start.EXPANDS, telling_start.SHRINKS


class Told(TypedDict):
    """A transfer, and what its startup made of the path."""

    seconds: float
    again: int
    told: float
    """`EXPANDS`, `SHRINKS`, or 0 where it told nothing."""


def told(run: Run) -> Told:
    """What became of the first flow, and what its startup had told at the end."""
    samples = measures.samples(run)
    (first, *_) = measures.transfers(run)
    said = samples["told"][samples["flow"] == 0] if "told" in samples else np.zeros(1)
    # A startup has told nothing where the trace has no number.
    return {
        "seconds": first["seconds"],
        "again": first["again"],
        "told": float(np.nan_to_num(said[-1])),
    }
