"""The files of a capture: its tables, figures and a page to read."""

from flowstart.captures import figures
from flowstart.captures import tables as grids
from flowstart.captures.contents import Capture
from flowstart.render import charts, html
from flowstart.render.files import columns, encoded


def tables(found: Capture, *, rows: bool = False) -> dict[str, bytes]:
    """The connections, demands and transfers as tables, and the counts as JSON.

    With `rows` JSON has them too, which takes several times the memory.
    """
    files = {"capture.json": encoded(found.document(rows=rows))}
    for name in ("connections", "demands", "transfers", "quic"):
        frame = getattr(found, name)
        if frame is not None and len(frame):
            files |= columns(frame, name, f"capture-{name}")
    return files


def pictures(found: Capture) -> dict[str, bytes]:
    """The figures, and the page that holds them."""
    files: dict[str, bytes] = {}
    parts = [html.paragraph(line) for line in (grids.headline(found), grids.quic(found)) if line]
    shown = (grids.summary(found.summary), grids.networks(found), grids.connections(found))
    parts += map(html.table, shown)
    for name, figure, caption in (
        (
            "needed-rates",
            figures.needed_rates(found.demands),
            "The rate that would carry each direction of more than 4380 bytes in one round trip.",
        ),
        (
            "window-reductions",
            figures.window_reductions(found.demands),
            "How much of that rate the receiver's advertised window takes away.",
        ),
    ):
        svg = charts.svg(figure)
        files |= {f"{name}.svg": svg.encode(), f"{name}.png": charts.png(figure)}
        parts.append(html.picture(svg, caption))
    parts += [html.paragraph(note) for note in (*found.warnings, *found.notes)]
    files["report.html"] = html.page(f"Capture {found.file}", [*parts, html.made_by()]).encode()
    return files
