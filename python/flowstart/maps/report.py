"""The files of a map: tables, figures, the scenarios of the worst cells, and a page to read."""

import pathlib
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from flowstart.maps import again, listed, tables
from flowstart.maps.result import SweepMap
from flowstart.maps.summary import summary
from flowstart.render import figure_files, html, interactive
from flowstart.render.files import columns, encoded

if TYPE_CHECKING:
    from flowstart.maps.figures import Draw


def files(found: SweepMap) -> dict[str, bytes]:
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


def pictures(
    found: SweepMap, progress: Callable[[int, int], object] | None = None
) -> dict[str, bytes]:
    """The figures, and the page that holds them.

    `progress(done, total)` is called with the number of figures before each of them is drawn.
    """
    written: dict[str, bytes] = {}
    about = tables.about(found.outcomes, found.dimensions)
    grids = listed.traced(found)
    parts = [*summary(found).html(), html.heading("Details"), html.paragraph(found.headline)]
    parts += map(html.table, grids)
    parts += [html.paragraph(note) for note in found.notes]
    parts.append(interactive.CHARTS)
    figures = {} if figure_files.wanting() else _figures()
    for done, (name, (draw, caption)) in enumerate(figures.items()):
        if progress:
            progress(done, len(figures))
        files = figure_files.of(name, draw(found, about))
        written |= files.contents
        parts.append(interactive.picture(files.svg, caption, f"{name}.svg", charted=name == "map"))
    parts += figure_files.apology()
    parts += _again(found)
    title = f"Map of {pathlib.Path(found.folder).name}"
    written["report.html"] = interactive.page(title, parts, listed.rows(found)).encode()
    return written


def _figures() -> "Mapping[str, tuple[Draw, str]]":
    from flowstart.maps.figures import FIGURES  # loads matplotlib

    return FIGURES


def _again(found: SweepMap) -> list[str]:
    """The commands that repeat the worst cells."""
    commands = [
        one.command or again.from_file(scenario_file(one.startup), one.compared)
        for one in found.worst_cells
    ]
    return [html.heading("The worst cells again"), html.code("\n".join(commands))]
