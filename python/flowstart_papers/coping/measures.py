"""What is read from a run with starters and bystanders: how long they took and what they lost."""

from collections.abc import Sequence
from typing import Any

from flowstart.simulation.run import Run

INITIAL_WINDOW = 3
"""Packets; what is no larger starts alike everywhere."""
OBJECT = ("web", "session", "page", "object", "packets", "flow")

Groups = dict[str, Any]
"""Of `starters` and of `bystanders`: durations, packets lost in percent, timeouts of one flow."""


def of_flows(run: Run) -> Groups:
    """The flows of the first entry, and those of the second."""
    starters, bystanders = (entry["count"] for entry in run.document["flows"])
    return _groups(run, range(starters), range(starters, starters + bystanders))


def of_objects(run: Run) -> Groups:
    """The responses of the two entries of sessions that an initial window does not hold."""
    found = run.outcome["objects"].lists()
    columns = [found[name] for name in OBJECT]
    objects = sorted(zip(*columns, strict=True))
    large = [(web, flow) for web, _, _, _, packets, flow in objects if packets > INITIAL_WINDOW]
    starters, bystanders = ([flow for web, flow in large if web == entry] for entry in (0, 1))
    return _groups(run, starters, bystanders)


def _groups(run: Run, starters: Sequence[int], bystanders: Sequence[int]) -> Groups:
    """By columns: a web load has thousands of rows."""
    columns = run.outcome["flows"].lists()

    def group(flows: Sequence[int]) -> dict[str, Any]:
        sent, dropped, timeouts = (
            sum(columns[name][flow] for flow in flows)
            for name in ("packets_sent", "packets_dropped", "timeouts")
        )
        return {
            "durations": [columns["duration_s"][flow] for flow in flows],
            "loss": 100 * dropped / sent,
            "timeouts": timeouts / len(flows),
        }

    return {"starters": group(starters), "bystanders": group(bystanders)}
