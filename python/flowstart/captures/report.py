"""The files of a capture: its tables, figures and a page to read."""

from typing import TYPE_CHECKING

from flowstart.captures import tables as grids
from flowstart.captures.contents import Capture
from flowstart.render import figure_files, html
from flowstart.render.files import columns, encoded

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def tables(found: Capture, *, rows: bool = False) -> dict[str, bytes]:
    """The connections, demands and transfers as tables, and the counts as JSON.

    With `rows` JSON has them too, which takes several times the memory.
    """
    files = {"capture.json": encoded(found.to_dict(rows=rows))}
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
    for name, figure, caption in () if figure_files.wanting() else _drawn(found):
        drawn = figure_files.of(name, figure)
        files |= drawn.contents
        parts.append(html.picture(drawn.svg, caption))
    parts += figure_files.apology()
    parts += [html.paragraph(note) for note in (*found.warnings, *found.notes)]
    files["report.html"] = html.page(f"Capture {found.file}", [*parts, html.made_by()]).encode()
    return files


def _drawn(found: Capture) -> "list[tuple[str, Figure, str]]":
    """Names of files, figures and captions."""
    from flowstart.captures import figures  # loads matplotlib

    return [
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
    ]
