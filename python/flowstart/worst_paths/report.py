"""The files of a search for the worst: a table, scenarios, trajectories, and a page to read."""

from collections.abc import Callable

from flowstart.render import charts, html
from flowstart.render.files import columns, encoded
from flowstart.simulation import figures
from flowstart.worst_paths.result import Worst, score


def files(found: Worst) -> dict[str, bytes]:
    """Everything as JSON, the rows as a table, and the scenario of each finding."""
    written = {"worst.json": encoded(found.result())}
    if found.failings:
        written |= columns(found.frame, "worst", "worst-rows")
    for number, one in enumerate(found.failings, 1):
        written[scenario_file(number)] = encoded(one.scenario)
    return written


def scenario_file(number: int) -> str:
    """The scenario of a finding, counted from 1."""
    return f"worst-{number}.json"


def pictures(found: Worst, progress: Callable[[int, int], object]) -> dict[str, bytes]:
    """The trajectory of each finding, and the page that holds them."""
    written: dict[str, bytes] = {}
    parts = [html.paragraph(found.headline), html.table(found.table)]
    for number, one in enumerate(found.failings, 1):
        progress(number - 1, len(found.failings))
        title = f"{found.startup}, {score(found.measure, one.score)}: {one.where}"
        figure = figures.over_time(found.series(number - 1), figures.About(title))
        svg = charts.svg(figure)
        written |= {f"worst-{number}.svg": svg.encode(), f"worst-{number}.png": charts.png(figure)}
        figure.clear()
        parts += [html.heading(f"{number}. {one.where}"), html.paragraph(one.why)]
        parts += [html.code(one.again(scenario_file(number))), html.picture(svg, title)]
    page = html.page(f"The worst of {found.startup}", [*parts, html.made_by()])
    return written | {"report.html": page.encode()}
