"""What loads came to."""

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flowstart.live_runs import load_rows, tables
from flowstart.live_runs.rows import Row
from flowstart.live_runs.spread import STALL_S
from flowstart.model.document import Document
from flowstart.render import columns, html, text
from flowstart.render.grid import Column, Grid

if TYPE_CHECKING:
    import polars as pl

    from flowstart._native import LoadOutcome


@dataclass(frozen=True, repr=False)
class LiveLoad:
    """Requests in the simulator, and in the kernel over the same links."""

    document: Document
    """The scenario as it was simulated."""
    kernel: str | None
    """The kernel's own congestion control; None where the scenario's startups drove it."""
    records: list[Row]
    """The rows of `frame` as dictionaries; those of the simulator first."""
    headline: str
    """One line on what was run: path, capacity, buffer, endpoints, seed."""
    simulated_dropped: int
    """Packets that the path dropped, in the simulator."""
    outcomes: "tuple[LoadOutcome, ...]"
    """What each run in the kernel told."""
    interrupted: bool
    """Whether Ctrl-C ended it; the rows are those of the finished runs."""

    @functools.cached_property
    def frame(self) -> "pl.DataFrame":
        """One row per request and run; column `transport` says where."""
        return columns.frame(self.records, "load-rows")

    @functools.cached_property
    def summary(self) -> "list[Row]":
        """A dictionary for each class of sizes: median and p95 of the completion times of both."""
        return load_rows.summary(self.records)

    @property
    def failures(self) -> list[str]:
        """Why runs or requests have no end, where any have none."""
        runs = [outcome["failure"] for outcome in self.outcomes if outcome["failure"]]
        return [*runs, *dict.fromkeys(row["failure"] for row in self.records if row["failure"])]

    @property
    def dropped(self) -> list[int]:
        """Packets that the path dropped in each run in the kernel."""
        return [outcome["packets_dropped"] for outcome in self.outcomes]

    @property
    def late_s(self) -> float:
        """By how much the path was late at most, in the worst of the runs."""
        return max((outcome["lateness"]["most_s"] for outcome in self.outcomes), default=0.0)

    @property
    def verdict(self) -> str:
        """How late the path was, and how many runs that spoilt."""
        if not self.outcomes:
            return ""
        worst = max((o["lateness"] for o in self.outcomes), key=lambda late: late["most_s"])
        lines = [tables.late(worst)]
        stalls = sum(outcome["stalls"] for outcome in self.outcomes)
        kept = sum(outcome["lateness"]["most_s"] > STALL_S for outcome in self.outcomes)
        if stalls:
            lines.append(
                f"{stalls} runs were late by more than 2 ms and were run again;"
                f" {kept} of the {len(self.outcomes)} shown are late all the same."
            )
        return "\n".join([*lines, *self.failures])

    @property
    def table(self) -> Grid:
        """A row per class of sizes: median and p95 of both, and how far apart."""
        grid = Grid([Column("size", number=False), Column("requests")])
        for name in ("median", "p95"):
            grid.columns += [Column(name), Column("in linux"), Column("difference")]
        grid.columns += [Column("retransmitted"), Column("in linux")]
        for row in self.summary:
            times = [
                cell
                for name in ("median", "p95")
                for cell in (
                    text.seconds(row[f"simulated_{name}_s"]),
                    text.seconds(row[f"live_{name}_s"]),
                    tables.percent(row[f"{name}_difference"]),
                )
            ]
            again = [text.count(row[f"{of}_retransmitted"]) for of in ("simulated", "live")]
            size = f"up to {text.size(row['up_to_bytes'])}"
            grid.rows.append([size, text.count(row["requests"]), *times, *again])
        return grid

    def to_dict(self) -> dict[str, Any]:
        """Everything as one JSON document."""
        return {
            "scenario": self.document,
            "kernel": self.kernel,
            "interrupted": self.interrupted,
            "failures": self.failures,
            "late_s": self.late_s,
            "stalls": sum(outcome["stalls"] for outcome in self.outcomes),
            "simulated_dropped": self.simulated_dropped,
            "dropped": self.dropped,
            "summary": self.summary,
            "rows": self.records,
        }

    def __str__(self) -> str:
        from flowstart.render.terminal import screen  # loads rich

        return screen(self.headline, self.table, "one row per request and run in `.frame`")

    def __repr__(self) -> str:
        return f"<LiveLoad of {len({load_rows.key(row) for row in self.records})} requests>"

    def _repr_html_(self) -> str:
        return html.table(self.table) + html.paragraph(self.verdict)
