"""What is read of each connection of a run: how long it took and what it lost."""

from typing import Any

from flowstart.simulation import frames
from flowstart.simulation.run import Run

SHORT = 3
"""Packets that the initial window of three covers: there no startup has anything to do."""


def of_flows(run: Run) -> dict[str, list[Any]]:
    """The flows that the scenario lists, each a user of its own; what web sessions add is load."""
    listed = len(run.document["flows"])
    return _columns(list(enumerate(run.records[:listed])))


def of_objects(run: Run) -> dict[str, list[Any]]:
    """The responses of more than three packets, by session and request."""
    flows = run.records
    objects = [each for each in frames.rows(run.outcome["objects"]) if each["packets"] > SHORT]
    objects.sort(key=lambda each: (each["web"], each["page"], each["object"]))
    return _columns([(each["web"], flows[each["flow"]]) for each in objects])


def _columns(rows: list[tuple[int, dict[str, Any]]]) -> dict[str, list[Any]]:
    return {
        "user": [user for user, _ in rows],
        "duration": [round(row["duration_s"], 6) for _, row in rows],
        "sent": [row["packets_sent"] for _, row in rows],
        "dropped": [row["packets_dropped"] for _, row in rows],
        "timeouts": [row["timeouts"] for _, row in rows],
        "approved": [row["startup_exit_reason"] == "router" for _, row in rows],
    }
