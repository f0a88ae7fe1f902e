"""The files of one run: tables, its trace, figures and a page to read."""

from typing import TYPE_CHECKING

from flowstart.render import figure_files, html
from flowstart.render.files import columns, encoded
from flowstart.simulation.run import Run
from flowstart.simulation.series import Series, shown
from flowstart.simulation.tables import of_run

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def tables(result: Run) -> dict[str, bytes]:
    """The tables, the trace where there is one, and everything else as JSON."""
    frames = {"rows": result.frame, "links": result.links}
    if result.transfers.height:
        frames["transfers"] = result.transfers
    if result.objects.height:
        frames["objects"] = result.objects
    if result.startups.height:
        frames["startups"] = result.startups
    traced = {
        "flow-samples": result.flow_samples,
        "queue-samples": result.queue_samples,
        "queue-departures": result.queue_departures,
    }
    frames |= {name: frame for name, frame in traced.items() if frame is not None}
    found = {"result.json": encoded(result.to_dict())}
    for name, frame in frames.items():
        found |= columns(frame, name, "flows" if name == "rows" else name)
    return found


def pictures(result: Run, title: str) -> dict[str, bytes]:
    """The page, and the figures over time where the run has a trace."""
    found: dict[str, bytes] = {}
    parts = [html.table(grid) for grid in of_run(result.outcome)]
    if result.notes:
        parts.append(html.paragraph("\n".join(result.notes)))
    series = result.series()
    if series:
        parts += figure_files.apology()
    drawn = {} if figure_files.wanting() else _drawn(result, series)
    for name, (figure, caption) in drawn.items():
        files = figure_files.of(name, figure)
        found |= files.contents
        parts.append(html.picture(files.svg, caption))
    found["report.html"] = html.page(title, [*parts, html.made_by()]).encode()
    return found


def _drawn(result: Run, series: "list[Series]") -> "dict[str, tuple[Figure, str]]":
    """The figures and their captions by name; none without series."""
    if not series:
        return {}
    from flowstart.simulation.figures import About, over_time, sequence  # loads matplotlib

    some = shown(result.outcome)
    of = f", of {some}" if some else ""
    about = About(result.headline, which=some)
    return {
        "over-time": (
            over_time(series, about),
            f"Window, bytes in flight{of}; bottleneck queue.",
        ),
        "sequence": (
            sequence(series, about),
            f"What was sent, sent again and acknowledged{of}.",
        ),
    }
