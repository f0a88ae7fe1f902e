"""The rows that the report of a comparison lists, and which of them its table is made of."""

import dataclasses
import shlex
from typing import TYPE_CHECKING, Any

from flowstart.comparison import tables as grids
from flowstart.comparison.plan import Plan
from flowstart.comparison.result import Comparison
from flowstart.comparison.summary import Summary
from flowstart.render.grid import Grid, Source
from flowstart.render.listed import MOST_ROWS, Chart, Command, Rows

if TYPE_CHECKING:
    import polars as pl

COLUMNS = (
    *("run", "variant", "size", "size_bytes", "seed", "flow", "tested", "complete", "fct_s"),
    *("duration_s", "slowdown", "packets_sent", "packets_dropped", "packets_retransmitted"),
    *(
        "timeouts",
        "startup_exit_reason",
        "startup_exit_s",
        "startup_exit_cwnd_segments",
        "bdp_pkts",
    ),
    *("max_cwnd_segments", "max_queue_pkts", "web"),
)
"""What a report lists of a row; all columns are in the files beside it."""
_VARYING = ("--startup", "--variant", "--baseline", "--size", "--seed", "--repeat")
"""Options of a command that are given anew for a row."""


def rows(result: Comparison) -> Rows:
    """The rows of a comparison; of too many, those of the first runs of each size."""
    frame = result.frame.select(name for name in COLUMNS if name in result.frame.columns)
    shown = _first_seeds(frame)
    left_out = ""
    if shown.height < frame.height:
        left_out = (
            f"These are {shown.height:,} of {frame.height:,} rows, those of the lowest seeds; "
            "rows.parquet and rows.csv next to this page have all."
        )
    y = ("slowdown", "fct_s", "packets_retransmitted", "packets_dropped", "max_queue_pkts")
    chart = Chart(
        "Over size",
        ("size_bytes", "seed"),
        y,
        "variant",
        {"tested": True},
        result.baseline,
    )
    plan = result.plan
    sized = len(set(plan.sizes)) > 1 or len(plan.seeds) > 1
    charts = [chart] if sized else []
    return Rows(shown, "comparison-rows", frame.height, left_out, _command(plan), charts)


def _first_seeds(frame: "pl.DataFrame") -> "pl.DataFrame":
    """All rows, or those of the lowest seeds where all are too many: seeds are alike."""
    import polars as pl

    if frame.height <= MOST_ROWS:
        return frame
    seeds = sorted(frame["seed"].unique())
    kept = max(1, len(seeds) * MOST_ROWS // frame.height)
    return frame.filter(pl.col("seed") < seeds[0] + kept).head(MOST_ROWS)


def traced(result: Comparison) -> Grid:
    """The table, which says what each of its rows is made of."""
    asked = {
        (row.get("object") is not None, row["size_bytes"]): row["size"]
        for row in result.records
        if row["tested"]
    }
    found = grids.arranged(result.summaries, result.order)
    sources = [_source(s, asked, result) for s in found]
    return dataclasses.replace(result.table, sources=sources)


def _source(s: Summary, asked: dict[tuple[bool, int], str | None], result: Comparison) -> Source:
    where: dict[str, Any] = {"variant": s.startup, "tested": True}
    if s.web:
        where["web"] = list(result.plan.tested_web)
    else:
        where |= {"size_bytes": s.size_bytes, "web": [None]}  # no object of a session
    size = asked.get((s.web, s.size_bytes))
    where |= {"size": size} if size is not None else {}
    return Source(where, {"variant": result.baseline})


def _command(plan: Plan) -> Command | None:
    """The plan's command with one variant, size and seed; None where it has none."""
    if plan.command is None:
        return None
    words = shlex.split(plan.command)
    kept = [
        word
        for place, word in enumerate(words)
        if word not in _VARYING and (place == 0 or words[place - 1] not in _VARYING)
    ]
    variants = {
        v.name: shlex.join(
            ["--startup", v.name] if v.name == v.startup else ["--variant", v.written]
        )
        for v in plan.variants
    }
    sizes = {size: f"--size {shlex.quote(size)}" for size in plan.sizes if size}
    seeds = {str(seed): f"--seed {seed}" for seed in plan.seeds}
    return Command(shlex.join(kept), {"variant": variants, "size": sizes, "seed": seeds})
