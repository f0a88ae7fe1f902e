"""What is read from a run, and how two transfers compare."""

import math
from dataclasses import dataclass
from typing import TypedDict

import numpy as np

from flowstart.simulation.run import Run
from flowstart.simulation.series import EVENTS
from flowstart_papers.measures import first, improvement

PACKET_BITS = 1500 * 8
CODES = [40_000 << n for n in range(1, 16)]
"""The rates that a request can name, in bit/s."""


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
        return improvement(self.slow["seconds"], self.quick["seconds"])

    @property
    def loss_free(self) -> bool:
        """Whether no packet of either was dropped."""
        return not (self.slow["dropped"] or self.quick["dropped"])


def ending(run: Run) -> Ending:
    """How the only transfer of a run ended."""
    row = first(run)
    return {
        "seconds": row["duration_s"],
        "dropped": row["packets_dropped"],
        "timeouts": row["timeouts"],
    }


class Look(TypedDict):
    """What a trace shows of a transfer."""

    seconds: float
    dropped: int
    handshake: float
    """In seconds."""
    window: float
    """What the connection opens with, in packets."""
    flights: int
    """Bursts of data with more than half a round trip between them."""


def look(run: Run) -> Look:
    """Reads the opening and the flights of the only transfer from its trace."""
    row = first(run)
    samples = (run.outcome["trace"] or {})["flow_samples"]
    opened = np.flatnonzero(samples["event"] == EVENTS.index("open"))[0]
    handshake = samples["time_ns"][opened].item() / 1e9
    sends = samples["time_ns"][samples["event"] == EVENTS.index("send")] / 1e9
    return {
        "seconds": row["duration_s"],
        "dropped": row["packets_dropped"],
        "handshake": handshake,
        "window": samples["cwnd"][opened].item(),
        "flights": 1 + int(np.count_nonzero(np.diff(sends) > handshake / 2)),
    }


def granted(window: float, handshake: float) -> int:
    """The only rate that opens such a window after such a handshake, in bit/s."""
    windows = {math.floor(code * handshake / PACKET_BITS): code for code in CODES}
    return windows[round(window)]
