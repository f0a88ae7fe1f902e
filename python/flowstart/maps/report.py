"""The report of a map: tables, figures, scenarios of the worst cells, and a page."""

import dataclasses
import pathlib
import re
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from flowstart.maps import tables, worst_cells
from flowstart.maps.outcomes import OVERALL, Numbers
from flowstart.maps.plane import Axis
from flowstart.maps.summary import summary
from flowstart.model import custom
from flowstart.render import figure_files, html, interactive
from flowstart.render.columns import Column
from flowstart.render.files import columns, encoded
from flowstart.render.grid import Grid, RowSource
from flowstart.render.listed import MOST_ROWS, Chart, HeatMaps, ListedRows, MapSide, Panel

if TYPE_CHECKING:
    import polars as pl

    from flowstart.maps.result import SweepMap


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


def rows(sweep_map: "SweepMap") -> ListedRows:
    """A row for each cell and startup; of too many, those of every so manieth cell."""
    cells = len(sweep_map.outcomes.cells)
    total = cells * len(sweep_map.startups)
    step = max(1, -(-total // MOST_ROWS))
    kept = np.arange(0, cells, step)
    left_out = ""
    if step > 1:
        left_out = (
            f"These are the rows of {len(kept):,} of {cells:,} cells, one in {step}; tables and "
            f"maps are made of all {total:,} rows, which are in the sweep's own folder."
        )
    frame = _frame(sweep_map, kept)
    by = [name for name in ("rate_bps", "rtt_s", "size_bytes") if frame[name].n_unique() > 1]
    y = ("regret", "fct_s", "retransmitted_share", "harm")
    charts = [Chart("Over the path", by, y, "startup")] if by else []
    kinds = [d.name for d in sweep_map.dimensions if d.name != OVERALL]
    by_kind = (Column(_kind(k), "string", f"The kind of cell by {k}.") for k in kinds)
    more = (*MORE, *by_kind)
    return ListedRows(
        frame, "sweep-rows", total, left_out, charts=charts, heat=_heat(sweep_map), more=more
    )


def _kind(dimension: str) -> str:
    """The column that says of which kind a cell is."""
    return f"by_{dimension.replace('-', '_').replace(' ', '_')}"


def _frame(sweep_map: "SweepMap", kept: Numbers) -> "pl.DataFrame":
    import polars as pl

    outcomes = sweep_map.outcomes
    startups = len(sweep_map.startups)
    cells = outcomes.cells.select(CELL)[kept.tolist()]
    kinds = {
        _kind(d.name): np.array(d.kinds)[d.places[kept]].tolist()
        for d in sweep_map.dimensions
        if d.name != OVERALL
    }
    tiles = _tiles(sweep_map)
    cells = cells.with_columns(
        *(pl.Series(name, values) for name, values in kinds.items()),
        pl.Series("tile", [tiles[cell] for cell in kept.tolist()]),
    )
    places = np.repeat(np.arange(len(kept)), startups)
    told: dict[str, NDArray[Any]] = {
        "fct_s": outcomes.times,
        "regret": outcomes.raw_regret,
        "retransmitted_share": outcomes.retransmitted,
        "harm": outcomes.harm,
    }
    frame: pl.DataFrame = cells[places.tolist()]
    return frame.with_columns(
        pl.Series("startup", list(sweep_map.startups) * len(kept)),
        *(pl.Series(n, matrix[kept].ravel().astype(float)) for n, matrix in told.items()),
    )


def _tiles(sweep_map: "SweepMap") -> list[str]:
    """For each cell the name of its tile."""
    plane = sweep_map.plane
    parts = (plane.across.places, plane.down.places, plane.x.places, plane.y.places)
    return ["-".join(map(str, tile)) for tile in zip(*(p.tolist() for p in parts), strict=True)]


def _heat(sweep_map: "SweepMap") -> HeatMaps:
    plane = sweep_map.plane
    panels = []
    for column, row in plane.panels():
        tiles = plane.tiles(sweep_map.outcomes, sweep_map.margin, column, row)
        across, down = plane.across.kinds[column], plane.down.kinds[row]
        named = [(f"{column}-{row}-{t.x}-{t.y}", t) for t in tiles]
        panel = [
            (name, t.x, t.y, t.cells, [float(f"{mean:.{DIGITS}g}") for mean in t.means])
            for name, t in named
        ]
        panels.append(Panel(f"{plane.across.name} {across}, {plane.down.name} {down}", panel))
    names = [custom.short(name) for name in sweep_map.startups]
    return HeatMaps(
        title="Map",
        x=_side(plane.x),
        y=_side(plane.y),
        names=names,
        panels=panels,
        column="tile",
        by="startup",
        measure="mean regret",
        margin=sweep_map.margin,
    )


def _side(axis: Axis) -> MapSide:
    return MapSide(axis.title, axis.count, axis.ticks)


def traced(sweep_map: "SweepMap") -> tuple[Grid, Grid, Grid]:
    """The three tables of a map, which say what each of their rows is made of."""
    overall = [
        RowSource({"startup": sweep_map.startups[index]}) for index in sweep_map.order.tolist()
    ]
    worst = sorted(sweep_map.worst_cells, key=tables.badness)
    return (
        dataclasses.replace(sweep_map.table, sources=overall),
        dataclasses.replace(sweep_map.kinds_table, sources=_kinds(sweep_map)),
        dataclasses.replace(
            tables.worst(sweep_map.worst_cells),
            sources=[RowSource({"startup": cell.startup, "cell": cell.cell}) for cell in worst],
        ),
    )


def _kinds(sweep_map: "SweepMap") -> list[RowSource]:
    sources = []
    for dimension, of_kinds in sweep_map.regrets:
        for of_kind in of_kinds if dimension.name != OVERALL else ():
            best: Any = sweep_map.startups[int(of_kind.order[0])]
            sources.append(RowSource({"startup": best, _kind(dimension.name): of_kind.kind}))
    return sources


def files(sweep_map: "SweepMap") -> dict[str, bytes]:
    """The tables, everything as JSON, and the scenarios that no command can give."""
    written = {"map.json": encoded(sweep_map.to_dict())}
    for name in ("winners", "regret", "worst", "dominance", "pareto", "cells"):
        table = sweep_map.frame if name == "cells" else getattr(sweep_map, name)
        written |= columns(table, name, f"map-{name}")
    for worst_cell in sweep_map.worst_cells:
        if worst_cell.command is None:
            written[scenario_file(worst_cell.startup)] = encoded(worst_cell.scenario)
    return written


def scenario_file(startup: str) -> str:
    """The file of the scenario in which a startup does worst."""
    return f"worst-{re.sub('[^A-Za-z0-9.=-]+', '-', startup)}.json"


def pictures(
    sweep_map: "SweepMap", progress: figure_files.Progress | None = None
) -> dict[str, bytes]:
    """The figures, and the page that holds them."""
    written: dict[str, bytes] = {}
    grids = traced(sweep_map)
    parts = [
        *summary(sweep_map).html(),
        html.heading("Details"),
        html.paragraph(sweep_map.headline),
    ]
    parts += map(html.table, grids)
    parts += [html.paragraph(note) for note in sweep_map.notes]
    parts.append(interactive.CHARTS)
    drawn = {} if figure_files.wanting() else _drawn(sweep_map)
    for files in figure_files.drawn(drawn, progress):
        written |= files.contents
        name, charted = f"{files.name}.svg", files.name == "map"
        parts.append(interactive.picture(files.svg, files.caption, name, charted=charted))
    parts += figure_files.apology()
    parts += _again(sweep_map)
    title = f"Map of {pathlib.Path(sweep_map.folder).name}"
    written["report.html"] = interactive.page(title, parts, rows(sweep_map)).encode()
    return written


def _drawn(sweep_map: "SweepMap") -> dict[str, figure_files.Draw]:
    """What draws each figure, by file name."""
    from flowstart.maps import figures  # loads matplotlib

    outcomes, order = sweep_map.outcomes, sweep_map.order
    about = tables.about(outcomes, sweep_map.dimensions)
    return {
        "regret-heatmap": lambda: (
            figures.heatmap(outcomes, order, about),
            "Mean regret of every startup on every kind of path.",
        ),
        "map": lambda: (
            figures.winners(outcomes, sweep_map.plane, sweep_map.margin, about),
            "Which startup is best where.",
        ),
        "regret": lambda: (
            figures.regret(outcomes, order, about),
            "How regret is spread over cells.",
        ),
        "pareto": lambda: (
            figures.costs(sweep_map.front, sweep_map.startups, about),
            "Completion against retransmissions and harm.",
        ),
    }


def _again(sweep_map: "SweepMap") -> list[str]:
    """The commands that repeat the worst cells."""
    commands = [
        worst_cell.command
        or worst_cells.from_file(scenario_file(worst_cell.startup), worst_cell.compared)
        for worst_cell in sweep_map.worst_cells
    ]
    return [html.heading("The worst cells again"), html.code("\n".join(commands))]
