"""The files of a comparison: rows, figures and a page to read."""

import io
import json
from typing import TYPE_CHECKING

from flowstart import grids, plots, report, text

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

    from flowstart.comparison import Comparison

LARGEST_TRACE_BYTES = 500_000_000
"""Larger transfers get no figures over time: their traces would fill the memory."""


def tables(result: "Comparison") -> dict[str, bytes]:
    """The rows, and everything as JSON."""
    return {"result.json": encoded(result.result())} | columns(result.frame, "rows")


def pictures(result: "Comparison") -> dict[str, bytes]:
    """The figures, and the page that holds them; over time only where nothing is missing."""
    if not result.rows:
        return {}
    found: dict[str, bytes] = {}
    parts = [report.paragraph(grids.headline(result)), report.table(grids.comparison(result))]
    parts.append(report.paragraph(grids.legend(result)))
    for name, (figure, caption) in _pictures(result).items():
        svg = plots.svg(figure)
        found |= {f"{name}.svg": svg.encode(), f"{name}.png": plots.png(figure)}
        parts.append(report.picture(svg, caption))
    if result.plan.command:
        parts += [report.heading("Again"), report.code(result.plan.command)]
    found["report.html"] = report.page("Start-ups compared", [*parts, report.made_by()]).encode()
    return found


def columns(frame: "pl.DataFrame", name: str) -> dict[str, bytes]:
    """A frame as Parquet and as CSV."""
    parquet = io.BytesIO()
    frame.write_parquet(parquet)
    return {f"{name}.parquet": parquet.getvalue(), f"{name}.csv": frame.write_csv().encode()}


def encoded(document: object) -> bytes:
    """A document as JSON text."""
    return json.dumps(document, indent=1, allow_nan=False, ensure_ascii=False).encode() + b"\n"


def _pictures(result: "Comparison") -> "dict[str, tuple[Figure, str]]":
    """Figures by file name, each with its caption."""
    caption = "Completion time, and as a multiple of an unhindered transfer on an empty path."
    if (
        len(result.plan.startups) > plots.MOST_LINES
        and len({r["size_bytes"] for r in result.rows}) > 1
    ):
        caption = (
            "Completion time as a multiple of an unhindered transfer on an empty path, in the "
            "order of the averages over sizes."
        )
    pictures = {"completion": (result.plot(), caption)}
    if result.interrupted or result.failures:
        return pictures
    many = len(result.plan.startups) > plots.MOST_LINES
    shown = "window" if many else "window, bytes in flight, bottleneck queue"
    for size, count in _traceable(result):
        series = result.series(size)
        suffix = f"-{size}" if size else ""
        of = f" of {text.size(count)}" if size else ""
        pictures[f"over-time{suffix}"] = (
            plots.over_time(series),
            f"The first flow under test{of}: {shown}.",
        )
        pictures[f"sequence{suffix}"] = (
            plots.sequence(series),
            f"The same flow{of}: what was sent, sent again and acknowledged.",
        )
    return pictures


def _traceable(result: "Comparison") -> list[tuple[str | None, int]]:
    """The sizes whose runs are small enough to be traced, in bytes for all flows together."""
    sizes = []
    for size in result.plan.sizes:
        rows = [row for row in result.rows if row["size"] == size and row["tested"]]
        first = [row for row in rows if row["run"] == rows[0]["run"]]
        if rows and sum(row["size_bytes"] for row in first) <= LARGEST_TRACE_BYTES:
            sizes.append((size, first[0]["size_bytes"]))
    return sizes
