"""The files of a capture: its tables, figures and a page to read."""

from flowstart.capture import figures
from flowstart.capture import tables as grids
from flowstart.capture.reading import Capture
from flowstart.render import charts, html
from flowstart.render.files import columns, encoded


def tables(found: Capture) -> dict[str, bytes]:
    """The connections, directions and transfers, and everything as JSON."""
    files = {"capture.json": encoded(found.document)}
    for name in ("connections", "directions", "transfers"):
        frame = getattr(found, name)
        if len(frame):
            files |= columns(frame, name)
    return files


def pictures(found: Capture) -> dict[str, bytes]:
    """The figures, and the page that holds them."""
    document = found.document
    files: dict[str, bytes] = {}
    parts = [html.paragraph(grids.headline(found.file, document))]
    shown = (grids.summary(document), grids.networks(document), grids.connections(document))
    parts += map(html.table, shown)
    for name, figure, caption in (
        (
            "needed-rates",
            figures.needed_rates(document),
            "The rate that would carry each direction of more than 4380 bytes in one round trip.",
        ),
        (
            "window-reductions",
            figures.window_reductions(document),
            "How much of that rate the receiver's advertised window takes away.",
        ),
    ):
        svg = charts.svg(figure)
        files |= {f"{name}.svg": svg.encode(), f"{name}.png": charts.png(figure)}
        parts.append(html.picture(svg, caption))
    parts += [html.paragraph(note) for note in (*found.warnings, *found.notes)]
    files["report.html"] = html.page(f"Capture {found.file}", [*parts, html.made_by()]).encode()
    return files
