"""What is read from a run: each user's times and packets.

A user is a flow that the scenario lists, by its place, or a web session; what web sessions add
beside flows under test is the load.
"""

from typing import Any, TypedDict

from flowstart.simulation import frames
from flowstart.simulation.run import Run

LOAD = -1
"""The user of the transfers that are load."""
SHORT = 3
"""Packets that an initial window covers: there no startup has anything to do."""
MEGABYTE = 1e6
SETTLED_S = 10.0
"""Of a run that is cut: what is asked for so late is not counted, as it may not be done."""


class Reading(TypedDict):
    """A run's transfers, by column."""

    user: list[int]
    seconds: list[float | None]
    """From SYN to last byte, or for a megabyte of what has no end. None where it was not done."""
    sent: list[int]
    again: list[int]
    """Packets sent again."""
    dropped: list[int]
    timeouts: list[int]


def flows(run: Run) -> Reading:
    """The flows that the scenario lists, and what web sessions add as load."""
    users = list(enumerate(_listed(run)))
    return _columns([*users, *_load(run)])


def sessions(run: Run) -> Reading:
    """The responses of web sessions, by session, those that an initial window does not cover."""
    rows = run.records
    return _columns([(each["web"], rows[each["flow"]]) for each in _objects(run)])


def shares(run: Run) -> Reading:
    """Flows without end as one user: how long they take together for a megabyte."""
    rows = _listed(run)
    open_s = run.about["simulated_s"] - min(row["opened_s"] for row in rows)
    arrived = sum(row["bytes_delivered"] for row in rows)
    counts = ("packets_sent", "packets_retransmitted", "packets_dropped", "timeouts")
    together: dict[str, Any] = {name: sum(row[name] for row in rows) for name in counts}
    took = {"complete": arrived > 0, "duration_s": open_s * MEGABYTE / max(arrived, 1)}
    return _columns([(0, together | took), *_load(run)])


def _listed(run: Run) -> list[dict[str, Any]]:
    return run.records[: sum(flow.get("count", 1) for flow in run.document["flows"])]


def _load(run: Run) -> list[tuple[int, dict[str, Any]]]:
    """What goes the way of the flows under test, early enough to be done in a run that is cut."""
    if not run.document.get("web"):
        return []
    rows, end = run.records, run.about["simulated_s"] - SETTLED_S
    early = (rows[each["flow"]] for each in _objects(run) if each["requested_s"] <= end)
    return [(LOAD, row) for row in early if row["direction"] == "forward"]


def _objects(run: Run) -> list[dict[str, Any]]:
    return [each for each in frames.rows(run.outcome["objects"]) if each["packets"] > SHORT]


def _columns(rows: list[tuple[int, dict[str, Any]]]) -> Reading:
    return {
        "user": [user for user, _ in rows],
        "seconds": [round(row["duration_s"], 9) if row["complete"] else None for _, row in rows],
        "sent": [row["packets_sent"] for _, row in rows],
        "again": [row["packets_retransmitted"] for _, row in rows],
        "dropped": [row["packets_dropped"] for _, row in rows],
        "timeouts": [row["timeouts"] for _, row in rows],
    }
