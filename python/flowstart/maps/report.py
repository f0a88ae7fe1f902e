"""The files of a map: tables, figures, the scenarios of the worst cells, and a page to read."""

import pathlib
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from flowstart.maps import (
    again,
    heatmap,
    listed,
    pareto_figure,
    regret_figure,
    tables,
    winners_figure,
)
from flowstart.maps.result import Map
from flowstart.render import charts, html, interactive
from flowstart.render.files import columns, encoded

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Draw: TypeAlias = "Callable[[Map, str], Figure]"

FIGURES: dict[str, tuple[Draw, str]] = {
    "regret-heatmap": (
        lambda found, about: heatmap.heatmap(found.outcomes, found.order, about),
        "Mean regret of every start-up on every kind of path.",
    ),
    "map": (
        lambda found, about: winners_figure.winners(
            found.outcomes, found.plane, found.margin, about
        ),
        "Which start-up is best where.",
    ),
    "regret": (
        lambda found, about: regret_figure.regret(found.outcomes, found.order, about),
        "How regret is spread over cells.",
    ),
    "pareto": (
        lambda found, about: pareto_figure.costs(found.front, found.startups, about),
        "Completion against retransmissions and harm.",
    ),
}
"""The figures by the name of their file: how each is drawn, and its caption."""


def files(found: Map) -> dict[str, bytes]:
    """The tables, everything as JSON, and the scenarios that no command can give."""
    written = {"map.json": encoded(found.result())}
    for name in ("winners", "regret", "worst", "dominance", "pareto", "cells"):
        written |= columns(getattr(found, name), name, f"map-{name}")
    for one in found.worst_cells:
        if one.command is None:
            written[scenario_file(one.startup)] = encoded(one.scenario)
    return written


def scenario_file(startup: str) -> str:
    """The file of the scenario in which a start-up does worst."""
    return f"worst-{re.sub('[^A-Za-z0-9.=-]+', '-', startup)}.json"


def pictures(found: Map, progress: Callable[[int, int], object] | None = None) -> dict[str, bytes]:
    """The figures, and the page that holds them.

    `progress(done, total)` is called with the number of figures before each of them is drawn.
    """
    written: dict[str, bytes] = {}
    about = tables.about(found.outcomes, found.dimensions)
    grids = listed.traced(found)
    parts = [html.paragraph(found.headline), *map(html.table, grids)]
    parts += [html.paragraph(note) for note in found.notes]
    parts.append(interactive.CHARTS)
    for done, (name, (draw, caption)) in enumerate(FIGURES.items()):
        if progress:
            progress(done, len(FIGURES))
        figure = draw(found, about)
        svg = charts.svg(figure)
        written |= {f"{name}.svg": svg.encode(), f"{name}.png": charts.png(figure)}
        figure.clear()  # what is left of it refers to itself, and would stay for long
        parts.append(interactive.picture(svg, caption, f"{name}.svg", charted=name == "map"))
    parts += _again(found)
    title = f"Map of {pathlib.Path(found.folder).name}"
    written["report.html"] = interactive.page(title, parts, listed.rows(found)).encode()
    return written


def _again(found: Map) -> list[str]:
    """The commands that repeat the worst cells."""
    commands = [
        one.command or again.from_file(scenario_file(one.startup), one.compared)
        for one in found.worst_cells
    ]
    return [html.heading("The worst cells again"), html.code("\n".join(commands))]
