"""The page of a sweep: every startup over all its cells, by size, and the rows."""

import pathlib
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from flowstart import text
from flowstart.model import custom
from flowstart.model.variants import Variant
from flowstart.render import html, interactive, listed
from flowstart.render.columns import CLASSES
from flowstart.render.columns import Column as Definition
from flowstart.render.grid import Column, Grid, RowSource
from flowstart.sweeps.execution.store import Swept
from flowstart.sweeps.runs.table import TABLE

if TYPE_CHECKING:
    import polars as pl

COLUMNS = (
    *("cell", "startup", "competing", "seed", "rate_bps", "rtt_s", "buffer_pkts", "queue", "loss"),
    *("impairments", "size_bytes", "complete", "fct_s", "slowdown", "packets_retransmitted"),
    *("timeouts", "startup_exit_reason", "startup_exit_cwnd_segments", "max_queue_pkts", "harm"),
    *("error", "scenario"),
)
"""What the page lists of a row; all columns are in the parts."""
CLASS = Definition("sizes", "string", "The size, or the class of sizes.")
FEW = 6
"""So many sizes are groups of their own."""
LEGEND = (
    "× ideal: completion time as a multiple of an unhindered transfer on an empty path, of the "
    "transfers that were completed; harm: to the competing flows. A cell counts once; "
    "`flowstart map` applies weights."
)


def write(swept: Swept) -> None:
    """Writes the page into the sweep's folder."""
    if not swept.height:
        return
    store = swept.store
    sizes = size_names(swept)
    parts = [
        html.paragraph(headline(swept)),
        html.table(summary(swept, sizes)),
        html.paragraph(LEGEND),
        interactive.CHARTS,
        html.heading("Next"),
        html.code(f"flowstart map {shlex.quote(str(store.place))}"),
    ]
    title = f"Sweep {pathlib.Path(store.place).name}"
    store.put_report(interactive.page(title, parts, rows(swept, sizes)))


def headline(swept: Swept) -> str:
    """The numbers of rows, startups and cells, and what failed."""
    names = len(_variants(swept))
    counts = f"{swept.height:,} rows: {names} startups in {swept.cells:,} cells"
    errors = swept.errors.height
    failed = f"; {errors:,} failed" if errors else ""
    missing = "; batches are missing" if swept.failures else ""
    return f"{counts}{failed}{missing}."


def _variants(swept: Swept) -> list[Variant]:
    return [Variant(**fields) for fields in swept.store.said["variants"]]


def size_names(swept: Swept) -> "pl.Expr":
    """What says of which sizes a row is: of few its own, else its class."""
    import polars as pl

    own = swept.scan().select(pl.col("size_bytes").unique().sort()).head(FEW + 1).collect()
    known = own["size_bytes"].drop_nulls().to_list()
    size = pl.col("size_bytes")
    if len(known) <= FEW:
        names = [text.size(value) for value in known]
        return size.replace_strict(known, names, default=None, return_dtype=pl.String).alias(
            CLASS.name
        )
    name: pl.Expr = pl.lit(None, dtype=pl.String)
    for label, least, _ in CLASSES:
        name = pl.when(size >= least).then(pl.lit(label)).otherwise(name)
    return name.alias(CLASS.name)


def summary(swept: Swept, sizes: "pl.Expr") -> Grid:
    """A group per size, a row per startup in the sweep's order."""
    import polars as pl

    done = pl.col("complete").fill_null(value=False)
    times = pl.col("slowdown").filter(done)
    rows = (
        swept.scan()
        .with_columns(sizes)
        .group_by(CLASS.name, "startup")
        .agg(
            least=pl.col("size_bytes").min(),
            cells=pl.len(),
            done=done.sum(),
            p50=times.quantile(0.5),
            p95=times.quantile(0.95),
            retransmitted=pl.col("retransmitted_share").mean(),
            timeouts=pl.col("timeouts").mean(),
            harm=pl.col("harm").mean(),
        )
        .collect(engine="streaming")
    )
    names = [variant.name for variant in _variants(swept)]
    records = sorted(
        rows.to_dicts(), key=lambda record: (record["least"] or 0, names.index(record["startup"]))
    )
    return _grid(records)


def _grid(records: Sequence[dict[str, Any]]) -> Grid:
    harmed = any(record["harm"] is not None for record in records)
    of_done = "of slowdown where complete"
    columns = [Column("startup", number=False), Column("cells", of="rows")]
    columns += [Column("done", of="rows where complete")]
    columns += [Column("× ideal p50", of=f"median {of_done}")]
    columns += [Column("p95", of=f"95th percentile {of_done}")]
    columns += [Column("retrans.", of="mean of packets_retransmitted / packets_sent")]
    columns += [Column("RTOs", of="mean of timeouts")]
    columns += [Column("harm", of="mean of harm")] if harmed else []
    grid = Grid(columns)
    last = object()
    for record in records:
        if record[CLASS.name] != last:
            last = record[CLASS.name]
            grid.groups[len(grid.rows)] = record[CLASS.name] or "no size: the cell failed"
        grid.rows.append(_cells(record, harmed=harmed))
        grid.sources.append(RowSource({"startup": record["startup"], CLASS.name: [last]}))
    return grid


def _cells(row: dict[str, Any], *, harmed: bool) -> list[str]:
    cells = [custom.short(row["startup"]), text.count(row["cells"]), text.count(row["done"])]
    cells += [text.ratio(row["p50"]), text.ratio(row["p95"])]
    cells += [_share(row["retransmitted"]), text.count(row["timeouts"])]
    return cells + ([_share(row["harm"])] if harmed else [])


def _share(value: float | None) -> str:
    return text.ABSENT if value is None else f"{100 * value:.1f} %"


def rows(swept: Swept, sizes: "pl.Expr") -> listed.ListedRows:
    """The rows; of too many, those of every so manieth cell, with all startups."""
    import polars as pl

    total = swept.height
    stored = swept.scan()
    left_out = ""
    if total > listed.MOST_ROWS:
        cells = stored.select(pl.col("cell").unique().sort()).collect()["cell"]
        step = -(-total // listed.MOST_ROWS)
        kept = cells.gather_every(step)
        stored = stored.filter(pl.col("cell").is_in(kept.implode()))
        left_out = (
            f"These are the rows of {len(kept):,} of {len(cells):,} cells, one in {step}, with all "
            f"startups; the table is made of all {total:,} rows, which are in the folder `parts` "
            "next to this page."
        )
    frame = stored.select(*COLUMNS, sizes).collect()
    frame = frame.select(name for name in frame.columns if frame[name].null_count() < frame.height)
    command = listed.RowCommand(
        "flowstart compare scenario.json",
        {"startup": {v.name: _option(v) for v in _variants(swept)}},
        "The command that runs it again, with this scenario in the file `scenario.json`:",
        "scenario",
    )
    axes = [
        name
        for name in ("rate_bps", "rtt_s", "size_bytes", "buffer_pkts", "loss")
        if name in frame.columns and frame[name].n_unique() > 1
    ]
    measures = ("slowdown", "fct_s", "packets_retransmitted", "harm")
    y = [name for name in measures if name in frame.columns]
    charts = [listed.Chart("Over the path", axes, y, "startup")] if axes and y else []
    return listed.ListedRows(frame, TABLE, total, left_out, command, charts, more=[CLASS])


def _option(variant: Variant) -> str:
    known = variant == Variant(variant.name, variant.name, stack={})
    return shlex.join(["--startup", variant.name] if known else ["--variant", variant.written])
