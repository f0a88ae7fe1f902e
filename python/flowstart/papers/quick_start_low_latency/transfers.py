"""Transfers under slow start and under Quick-Start, side by side."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypedDict

from flowstart.papers import measures
from flowstart.papers.lab import Lab
from flowstart.papers.quick_start_low_latency.setups import SLOW_START, Setting, transfer
from flowstart.simulation.run import Run

Cell = tuple[Setting, str, float]
"""A setting, a rate and a delay in milliseconds."""


class Ending(TypedDict):
    """How a transfer ended."""

    seconds: float
    """From the SYN to the last acknowledgement."""
    dropped: int
    timeouts: int


@dataclass(frozen=True)
class Pair:
    """The same transfer twice."""

    slow: Ending
    quick: Ending

    @property
    def improvement(self) -> float:
        """The paper's measure, in percent."""
        return measures.improvement(self.slow["seconds"], self.quick["seconds"])

    @property
    def loss_free(self) -> bool:
        """Whether no packet of either was dropped."""
        return not (self.slow["dropped"] or self.quick["dropped"])


def ending(run: Run) -> Ending:
    """How the only transfer of a run ended."""
    row = measures.first(run)
    return {
        "seconds": row["duration_s"],
        "dropped": row["packets_dropped"],
        "timeouts": row["timeouts"],
    }


def pairs(lab: Lab, cells: Iterable[Cell]) -> list[Pair]:
    """Runs each cell with both start-ups."""
    documents = [
        transfer(setting, rate, delay, startup)
        for setting, rate, delay in cells
        for startup in (SLOW_START, setting.quick_start)
    ]
    ends = lab.runs(documents, ending)
    return [Pair(slow, quick) for slow, quick in zip(ends[::2], ends[1::2], strict=True)]
