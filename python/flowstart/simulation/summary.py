"""The summary of a run on one screen: completed flows, the bottleneck, and a table of flows."""

from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

from flowstart.render import summary as screen
from flowstart.render import text
from flowstart.simulation import frames
from flowstart.simulation.tables import of_run

if TYPE_CHECKING:
    from flowstart.simulation.run import Run


def summary(run: "Run", command: str = "") -> screen.Summary:
    """What was simulated, how many flows completed, and what was lost."""
    shown = next((replace(grid, title="") for grid in of_run(run.outcome)), None)
    hint = "All flows, links and notes: --details. Figures and traces: -o DIR"
    return screen.Summary(
        f"{run.headline}.", [_flows(run), _loss(run)], shown, run.notes, command, hint=hint
    )


def _flows(run: "Run") -> str:
    done = [row["fct_s"] for row in run.records if row["complete"]]
    count = f"{len(done)} of {text.counted(len(run.records), 'flow', 'flows')} completed"
    silent = sum(not row["complete"] and not row["bytes_delivered"] for row in run.records)
    nothing = f"; {silent} delivered nothing" if silent else ""
    middle = f", in {text.short_seconds(median(done))} (median)" if done else ""
    return f"{count}{middle}{nothing}."


def _loss(run: "Run") -> str:
    """The link with most drops, or the busiest one."""
    links = frames.rows(run.outcome["links"])
    first = max(links, key=lambda row: (row["dropped"], row["utilisation"]))
    return (
        f"Link {first['name']}: {first['utilisation']:.0%} used, {text.count(first['dropped'])} of "
        f"{text.count(first['packets'])} packets dropped, queue at most "
        f"{text.count(first['max_queue_pkts'])} packets."
    )
