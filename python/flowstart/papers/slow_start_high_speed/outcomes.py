"""What the experiments read from a run: how long each transfer took and what it sent again."""

from typing import TypedDict

from flowstart.simulation.run import Run


class Transfer(TypedDict):
    """One object's way to the client."""

    seconds: float
    """From the SYN to the last byte."""
    again: int
    """Packets sent again."""
    lost: int
    """Packets dropped on the way."""
    timeouts: int
    reset: bool
    """Whether it was given up after eight timeouts in a row."""


def transfers(run: Run) -> list[Transfer]:
    """The transfers of a run in the order of their flows."""
    return [
        {
            "seconds": row["fct_s"] if row["complete"] else row["duration_s"],
            "again": row["packets_retransmitted"],
            "lost": row["packets_dropped"],
            "timeouts": row["timeouts"],
            "reset": row["reset"],
        }
        for row in run.rows
    ]


def mean_seconds(found: list[Transfer]) -> float:
    """How long the transfers took on average."""
    return sum(one["seconds"] for one in found) / len(found)


def again(found: list[Transfer]) -> int:
    """What the transfers sent again together."""
    return sum(one["again"] for one in found)


def spread(values: list[float]) -> float:
    """By how much the largest exceeds the smallest, in percent of the smallest."""
    return 100 * (max(values) - min(values)) / min(values) if min(values) else float("inf")
