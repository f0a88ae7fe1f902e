"""The files of a comparison: rows, figures and a page to read."""

from typing import TYPE_CHECKING

from flowstart.comparison import sentences
from flowstart.comparison.result import Comparison
from flowstart.render import charts, html, text
from flowstart.render.charts import MOST_LINES
from flowstart.render.files import columns, encoded
from flowstart.simulation.figures import over_time, sequence

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LARGEST_TRACE_BYTES = 500_000_000
"""Larger transfers get no figures over time: their traces would fill the memory."""


def tables(result: Comparison) -> dict[str, bytes]:
    """The rows, and everything as JSON."""
    return {"result.json": encoded(result.result())} | columns(result.frame, "rows")


def pictures(result: Comparison) -> dict[str, bytes]:
    """The figures, and the page that holds them; over time only where nothing is missing."""
    if not result.rows:
        return {}
    found: dict[str, bytes] = {}
    parts = [html.paragraph(sentences.headline(result)), html.table(result.table)]
    parts.append(html.paragraph(sentences.legend(result)))
    for name, (figure, caption) in _pictures(result).items():
        svg = charts.svg(figure)
        found |= {f"{name}.svg": svg.encode(), f"{name}.png": charts.png(figure)}
        parts.append(html.picture(svg, caption))
    if result.plan.command:
        parts += [html.heading("Again"), html.code(result.plan.command)]
    found["report.html"] = html.page("Start-ups compared", [*parts, html.made_by()]).encode()
    return found


def _pictures(result: Comparison) -> "dict[str, tuple[Figure, str]]":
    """Figures by file name, each with its caption."""
    caption = "Completion time, and as a multiple of an unhindered transfer on an empty path."
    if len(result.plan.startups) > MOST_LINES and len({r["size_bytes"] for r in result.rows}) > 1:
        caption = (
            "Completion time as a multiple of an unhindered transfer on an empty path, in the "
            "order of the averages over sizes."
        )
    pictures = {"completion": (result.plot(), caption)}
    if result.interrupted or result.failures:
        return pictures
    many = len(result.plan.startups) > MOST_LINES
    shown = "window" if many else "window, bytes in flight, bottleneck queue"
    for size, count in _traceable(result):
        series = result.series(size)
        suffix = f"-{size}" if size else ""
        of = f" of {text.size(count)}" if size else ""
        pictures[f"over-time{suffix}"] = (
            over_time(series),
            f"The first flow under test{of}: {shown}.",
        )
        pictures[f"sequence{suffix}"] = (
            sequence(series),
            f"The same flow{of}: what was sent, sent again and acknowledged.",
        )
    return pictures


def _traceable(result: Comparison) -> list[tuple[str | None, int]]:
    """The sizes whose runs are small enough to be traced, in bytes for all flows together."""
    sizes = []
    for size in result.plan.sizes:
        rows = [row for row in result.rows if row["size"] == size and row["tested"]]
        first = [row for row in rows if row["run"] == rows[0]["run"]]
        if rows and sum(row["size_bytes"] for row in first) <= LARGEST_TRACE_BYTES:
            sizes.append((size, first[0]["size_bytes"]))
    return sizes
