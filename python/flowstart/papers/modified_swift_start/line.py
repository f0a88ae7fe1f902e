"""When the line transmits and when it is idle, from when each packet began."""

from collections.abc import Mapping
from typing import Any

from flowstart.papers.modified_swift_start.setups import HEADER, MSS, Line

PAUSE_S = 1e-6
"""A shorter time between two packets is rounding."""


def pauses(flight: Mapping[str, Any], line: Line) -> list[tuple[float, float]]:
    """From when to when the line was idle between two packets."""
    takes_s = 8 * (MSS + HEADER) / line.bps
    began = flight["began_s"]
    ended = [at + takes_s for at in began]
    return [
        (end, begin)
        for end, begin in zip(ended[:-1], began[1:], strict=True)
        if begin - end > PAUSE_S
    ]


def busy_from_s(flight: Mapping[str, Any], line: Line) -> float:
    """From when on the line was never idle again."""
    return pauses(flight, line)[-1][1]


def idle_s(flight: Mapping[str, Any], line: Line, since_s: float, until_s: float) -> float:
    """How long the line was idle from one moment to another."""
    return sum(
        max(0.0, min(end, until_s) - max(begin, since_s)) for begin, end in pauses(flight, line)
    )
