"""A map with its summary and its report: tables, figures, scenarios of the worst cells, a page."""

import dataclasses
import pathlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from flowstart.maps import tables, worst_cells
from flowstart.maps.data import MapData
from flowstart.maps.outcomes import OVERALL, Numbers
from flowstart.maps.plane import Axis
from flowstart.maps.summary import summary
from flowstart.model import custom
from flowstart.render import figure_files, html, interactive
from flowstart.render.columns import Column
from flowstart.render.files import columns, encoded
from flowstart.render.grid import Grid, Source
from flowstart.render.listed import MOST_ROWS, Chart, HeatMaps, Panel, Rows, Side
from flowstart.render.summary import Summary

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


def rows(found: MapData) -> Rows:
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


def _of_kinds(found: MapData) -> list[Column]:
    return [
        Column(_kind(d.name), "string", f"The kind of cell by {d.name}.")
        for d in found.dimensions
        if d.name != OVERALL
    ]


def _kind(dimension: str) -> str:
    """The column that says of which kind a cell is."""
    return f"by_{dimension.replace('-', '_').replace(' ', '_')}"


def _frame(found: MapData, kept: Numbers) -> "pl.DataFrame":
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


def _tiles(found: MapData) -> list[str]:
    """For each cell the name of its tile."""
    plane = found.plane
    parts = (plane.across.places, plane.down.places, plane.x.places, plane.y.places)
    return ["-".join(map(str, one)) for one in zip(*(p.tolist() for p in parts), strict=True)]


def _heat(found: MapData) -> HeatMaps:
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


def traced(found: MapData) -> tuple[Grid, Grid, Grid]:
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


def _kinds(found: MapData) -> list[Source]:
    sources = []
    for dimension, of_kinds in found.regrets:
        for of_kind in of_kinds if dimension.name != OVERALL else ():
            best: Any = found.startups[int(of_kind.order[0])]
            sources.append(Source({"startup": best, _kind(dimension.name): of_kind.kind}))
    return sources


def files(found: MapData) -> dict[str, bytes]:
    """The tables, everything as JSON, and the scenarios that no command can give."""
    written = {"map.json": encoded(found.to_dict())}
    for name in ("winners", "regret", "worst", "dominance", "pareto", "cells"):
        table = found.frame if name == "cells" else getattr(found, name)
        written |= columns(table, name, f"map-{name}")
    for one in found.worst_cells:
        if one.command is None:
            written[scenario_file(one.startup)] = encoded(one.scenario)
    return written


def scenario_file(startup: str) -> str:
    """The file of the scenario in which a startup does worst."""
    return f"worst-{re.sub('[^A-Za-z0-9.=-]+', '-', startup)}.json"


def pictures(found: MapData, progress: figure_files.Progress | None = None) -> dict[str, bytes]:
    """The figures, and the page that holds them."""
    written: dict[str, bytes] = {}
    grids = traced(found)
    parts = [*summary(found).html(), html.heading("Details"), html.paragraph(found.headline)]
    parts += map(html.table, grids)
    parts += [html.paragraph(note) for note in found.notes]
    parts.append(interactive.CHARTS)
    drawn = {} if figure_files.wanting() else _drawn(found)
    for files in figure_files.drawn(drawn, progress):
        written |= files.contents
        name, charted = f"{files.name}.svg", files.name == "map"
        parts.append(interactive.picture(files.svg, files.caption, name, charted=charted))
    parts += figure_files.apology()
    parts += _again(found)
    title = f"Map of {pathlib.Path(found.folder).name}"
    written["report.html"] = interactive.page(title, parts, rows(found)).encode()
    return written


def _drawn(found: MapData) -> dict[str, figure_files.Draw]:
    """What draws each figure, by file name."""
    from flowstart.maps import figures  # loads matplotlib

    outcomes, order = found.outcomes, found.order
    about = tables.about(outcomes, found.dimensions)
    return {
        "regret-heatmap": lambda: (
            figures.heatmap(outcomes, order, about),
            "Mean regret of every startup on every kind of path.",
        ),
        "map": lambda: (
            figures.winners(outcomes, found.plane, found.margin, about),
            "Which startup is best where.",
        ),
        "regret": lambda: (
            figures.regret(outcomes, order, about),
            "How regret is spread over cells.",
        ),
        "pareto": lambda: (
            figures.costs(found.front, found.startups, about),
            "Completion against retransmissions and harm.",
        ),
    }


def _again(found: MapData) -> list[str]:
    """The commands that repeat the worst cells."""
    commands = [
        one.command or worst_cells.from_file(scenario_file(one.startup), one.compared)
        for one in found.worst_cells
    ]
    return [html.heading("The worst cells again"), html.code("\n".join(commands))]


@dataclass(frozen=True, repr=False, eq=False)
class SweepMap(MapData):
    """Regret, harm and the fastest startups of a sweep; `docs/guides/maps.md` defines every number.

    Example:
        >>> import flowstart as fs, tempfile
        >>> names = ["slow-start", "hystart"]
        >>> question = {"path": {"rate": "5Mbps", "rtt": "50ms"}, "startups": names}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     found = fs.sweep(question | {"flow": {"size": "20kB"}}, folder, workers=1).map()
        >>> found.startups
        ('slow-start', 'hystart')
    """

    def summary(self, command: str = "") -> Summary:
        """The startup with the smallest regret and how the others compare, on one screen."""
        return summary(self, command)

    def files(self, progress: figure_files.Progress | None = None) -> Iterator[Mapping[str, bytes]]:
        """Tables and scenarios, then figures and the page."""
        yield files(self)
        yield pictures(self, progress)
