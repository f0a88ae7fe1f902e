"""The rows that the report of a map lists, which of them its tables are made of, and its tiles."""

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from flowstart.maps import tables
from flowstart.maps.kinds import OVERALL
from flowstart.maps.outcomes import Numbers
from flowstart.maps.plane import Axis
from flowstart.maps.result import SweepMap
from flowstart.model import custom
from flowstart.render.columns import Column
from flowstart.render.grid import Grid, Source
from flowstart.render.listed import MOST_ROWS, Chart, HeatMaps, Panel, Rows, Side

if TYPE_CHECKING:
    import polars as pl

CELL = (
    *("cell", "competing", "seed", "rate_bps", "rtt_s", "buffer_pkts", "queue", "loss"),
    *("impairments", "size_bytes"),
)
"""What a report lists of a cell."""
MORE = (
    Column(
        "regret", "number", "Completion time over the minimum of its cell.", "ratio", "not done"
    ),
    Column("tile", "string", "The tile of the map: column and row of the panel, x and y in it."),
)
DIGITS = 4


def rows(found: SweepMap) -> Rows:
    """A row for each cell and startup; of too many, those of every so manieth cell."""
    cells = len(found.outcomes.cells)
    total = cells * len(found.startups)
    step = max(1, -(-total // MOST_ROWS))
    kept = np.arange(0, cells, step)
    left_out = ""
    if step > 1:
        left_out = (
            f"These are the rows of {len(kept):,} of {cells:,} cells, one in {step}; tables and "
            f"maps are made of all {total:,} rows, which are in the sweep's own folder."
        )
    frame = _frame(found, kept)
    by = [name for name in ("rate_bps", "rtt_s", "size_bytes") if frame[name].n_unique() > 1]
    y = ("regret", "fct_s", "retransmitted_share", "harm")
    charts = [Chart("Over the path", by, y, "startup")] if by else []
    more = (*MORE, *_of_kinds(found))
    return Rows(frame, "sweep-rows", total, left_out, charts=charts, heat=_heat(found), more=more)


def _of_kinds(found: SweepMap) -> list[Column]:
    return [
        Column(_kind(d.name), "string", f"The kind of cell by {d.name}.")
        for d in found.dimensions
        if d.name != OVERALL
    ]


def _kind(dimension: str) -> str:
    """The column that says of which kind a cell is."""
    return f"by_{dimension.replace('-', '_').replace(' ', '_')}"


def _frame(found: SweepMap, kept: Numbers) -> "pl.DataFrame":
    import polars as pl

    outcomes = found.outcomes
    startups = len(found.startups)
    cells = outcomes.cells.select(CELL)[kept.tolist()]
    kinds = {
        _kind(d.name): np.array(d.kinds)[d.places[kept]].tolist()
        for d in found.dimensions
        if d.name != OVERALL
    }
    tiles = _tiles(found)
    cells = cells.with_columns(
        *(pl.Series(name, values) for name, values in kinds.items()),
        pl.Series("tile", [tiles[place] for place in kept.tolist()]),
    )
    places = np.repeat(np.arange(len(kept)), startups)
    told: dict[str, NDArray[Any]] = {
        "fct_s": outcomes.times,
        "regret": outcomes.raw_regret,
        "retransmitted_share": outcomes.retransmitted,
        "harm": outcomes.harm,
    }
    found_rows: pl.DataFrame = cells[places.tolist()]
    return found_rows.with_columns(
        pl.Series("startup", list(found.startups) * len(kept)),
        *(pl.Series(n, matrix[kept].ravel().astype(float)) for n, matrix in told.items()),
    )


def _tiles(found: SweepMap) -> list[str]:
    """For each cell the name of its tile."""
    plane = found.plane
    parts = (plane.across.places, plane.down.places, plane.x.places, plane.y.places)
    return ["-".join(map(str, one)) for one in zip(*(p.tolist() for p in parts), strict=True)]


def _heat(found: SweepMap) -> HeatMaps:
    plane = found.plane
    panels = []
    for column, row in plane.panels():
        tiles = plane.tiles(found.outcomes, found.margin, column, row)
        across, down = plane.across.kinds[column], plane.down.kinds[row]
        named = [(f"{column}-{row}-{t.x}-{t.y}", t) for t in tiles]
        panel = [
            (name, t.x, t.y, t.cells, [float(f"{mean:.{DIGITS}g}") for mean in t.means])
            for name, t in named
        ]
        panels.append(Panel(f"{plane.across.name} {across}, {plane.down.name} {down}", panel))
    names = [custom.short(name) for name in found.startups]
    return HeatMaps(
        title="Map",
        x=_side(plane.x),
        y=_side(plane.y),
        names=names,
        panels=panels,
        column="tile",
        by="startup",
        measure="mean regret",
        margin=found.margin,
    )


def _side(axis: Axis) -> Side:
    return Side(axis.title, axis.count, axis.ticks)


def traced(found: SweepMap) -> tuple[Grid, Grid, Grid]:
    """The three tables of a map, which say what each of their rows is made of."""
    overall = [Source({"startup": found.startups[place]}) for place in found.order.tolist()]
    worst = sorted(found.worst_cells, key=tables.badness)
    return (
        dataclasses.replace(found.table, sources=overall),
        dataclasses.replace(found.kinds_table, sources=_kinds(found)),
        dataclasses.replace(
            tables.worst(found.worst_cells),
            sources=[Source({"startup": one.startup, "cell": one.cell}) for one in worst],
        ),
    )


def _kinds(found: SweepMap) -> list[Source]:
    sources = []
    for dimension, of_kinds in found.regrets:
        for of_kind in of_kinds if dimension.name != OVERALL else ():
            best: Any = found.startups[int(of_kind.order[0])]
            sources.append(Source({"startup": best, _kind(dimension.name): of_kind.kind}))
    return sources
