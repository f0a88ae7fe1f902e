"""The files of a search for the worst: a table, scenarios, trajectories, and a page to read."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from flowstart.render import figure_files, html
from flowstart.render.files import columns, encoded
from flowstart.worst_paths.result import WorstPaths, score
from flowstart.worst_paths.summary import summary

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def files(found: WorstPaths) -> dict[str, bytes]:
    """Everything as JSON, the rows as a table, and the scenario of each finding."""
    written = {"worst.json": encoded(found.to_dict())}
    if found.failings:
        written |= columns(found.frame, "worst", "worst-rows")
    for number, one in enumerate(found.failings, 1):
        written[scenario_file(number)] = encoded(one.scenario)
    return written


def scenario_file(number: int) -> str:
    """The scenario of a finding, counted from 1."""
    return f"worst-{number}.json"


def pictures(found: WorstPaths, progress: Callable[[int, int], object]) -> dict[str, bytes]:
    """The trajectory of each finding, and the page that holds them."""
    written: dict[str, bytes] = {}
    parts = [*summary(found, scenario=scenario_file(1)).html(), html.heading("Details")]
    parts += [html.paragraph(found.headline), html.table(found.table)]
    for number, one in enumerate(found.failings, 1):
        progress(number - 1, len(found.failings))
        parts += [html.heading(f"{number}. {one.where}"), html.paragraph(one.why)]
        parts.append(html.code(one.again(scenario_file(number))))
        if not figure_files.wanting():
            title = f"{found.startup}, {score(found.measure, one.score)}: {one.where}"
            files = figure_files.of(f"worst-{number}", _drawn(found, number, title))
            written |= files.contents
            parts.append(html.picture(files.svg, title))
    parts += figure_files.apology()
    page = html.page(f"The worst of {found.startup}", [*parts, html.made_by()])
    return written | {"report.html": page.encode()}


def _drawn(found: WorstPaths, number: int, title: str) -> "Figure":
    from flowstart.simulation import figures  # loads matplotlib

    return figures.over_time(found.series(number - 1), figures.About(title))
