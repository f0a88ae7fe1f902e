"""The made capture of figures 3 and 5: what its law says, and what the tool reads in it."""

import pathlib
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flowstart.captures.contents import Capture
from flowstart.captures.reading import read_capture
from flowstart_papers.jump_start import synthetic


@dataclass(frozen=True)
class Direction:
    """What the law says of one direction of a connection."""

    size: int
    rtt_s: float
    window: int

    @property
    def over(self) -> bool:
        """Whether it is one of the figures'."""
        return self.size > synthetic.OPENING

    @property
    def rate(self) -> float:
        """Bytes per second that would carry it in one round trip."""
        return self.size / self.rtt_s

    @property
    def reduction(self) -> float:
        """What the receiver's window takes from that."""
        return max(0, self.size - self.window) / self.rtt_s


Key = tuple[int, int]
"""A connection's number; 0 for what its client sends, 1 for its server."""


def law(conversations: Sequence[synthetic.Conversation]) -> dict[Key, Direction]:
    """What every direction with data must come to."""
    return {
        (one.number, to): Direction(one.sizes[to], one.rtt_us / 1e6, one.advertised(to))
        for one in conversations
        for to in (0, 1)
        if one.sizes[to]
    }


def found(read: Capture) -> dict[Key, dict[str, Any]]:
    """The tool's rows; the client's port tells the number of the connection."""
    ports = read.connections["client_port"]
    return {
        (
            ports[row["connection"]] - synthetic.FIRST_PORT,
            int(row["direction"] == "s2c"),
        ): row
        for row in read.demands.iter_rows(named=True)
    }


def captured(conversations: list[synthetic.Conversation]) -> Capture:
    """What the tool makes of their capture."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "synthetic.pcap"
        synthetic.write(file, conversations)
        return read_capture(file)


def close(a: float, b: float) -> bool:
    """Whether they differ by rounding alone."""
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b))
