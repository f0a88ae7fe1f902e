"""The files of a comparison: rows, figures and a page to read."""

import dataclasses
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from flowstart.comparison import listed
from flowstart.comparison.over_time import over_time as over_time_of
from flowstart.comparison.overview import overview
from flowstart.comparison.result import Comparison
from flowstart.render import figure_files, html, interactive, text
from flowstart.render.files import columns, encoded
from flowstart.render.listed import Rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flowstart.simulation.figures import About
    from flowstart.simulation.series import Series

Progress: TypeAlias = Callable[[int, int], object]
Draw: TypeAlias = Callable[[], "tuple[Figure, str]"]
"""Draws a figure; returns it with its caption."""

LARGEST_TRACE_BYTES = 500_000_000
"""Larger transfers get no figures over time: their traces would fill the memory."""


def tables(result: Comparison) -> dict[str, bytes]:
    """The rows, and everything as JSON."""
    files = {"result.json": encoded(result.to_dict())}
    files |= columns(result.frame, "rows", "comparison-rows")
    if result.intervals:
        files |= columns(result.interval_frame, "intervals", "comparison-intervals")
    return files


def pictures(result: Comparison, progress: Progress | None = None) -> dict[str, bytes]:
    """The figures, and the page that holds them; over time only where nothing is missing.

    `progress(done, total)` is called with the number of figures before each of them is drawn.
    """
    if not result.records:
        return {}
    found: dict[str, bytes] = {}
    parts = [html.first_page(overview(result).html())]
    parts += [html.heading("All columns"), html.paragraph(result.headline)]
    parts += [html.table(listed.traced(result))]
    parts += [html.paragraph(line) for line in (result.legend, *result.verdict)]
    rows = _rows(result)
    parts.append(interactive.CHARTS)
    parts += figure_files.apology()
    drawn = {} if figure_files.wanting() else _drawn(result)
    for done, (name, draw) in enumerate(drawn.items()):
        if progress:
            progress(done, len(drawn))
        figure, caption = draw()
        files = figure_files.of(name, figure)
        found |= files.contents
        charted = bool(rows.charts if name == "completion" else rows.over_time)
        parts.append(interactive.picture(files.svg, caption, f"{name}.svg", charted=charted))
    if result.command:
        parts += [html.heading("Again"), html.code(result.command)]
    page = interactive.page("Startups compared", parts, rows)
    found["report.html"] = page.encode()
    return found


def _rows(result: Comparison) -> Rows:
    """What the page's script shows: the rows, and flows over time where these are drawn too."""
    rows = listed.rows(result)
    if not interactive.is_built() or result.interrupted or result.failures:
        return rows
    return dataclasses.replace(rows, over_time=over_time_of(result, _traceable(result)))


def _drawn(result: Comparison) -> dict[str, Draw]:
    """What draws each figure, by file name: one at a time, for they are large."""
    found: dict[str, Draw] = {"completion": lambda: _completion(result)}
    if result.interrupted or result.failures:
        return found
    for size, count in _traceable(result):
        suffix = f"-{size}" if size else ""
        traces = _Traces(result, size, count)
        found[f"over-time{suffix}"] = traces.over_time
        found[f"sequence{suffix}"] = traces.sequence
    return found


def _completion(result: Comparison) -> "tuple[Figure, str]":
    from flowstart.render.charts import MOST_LINES  # loads matplotlib

    caption = "Completion time, and as a multiple of an unhindered transfer on an empty path."
    if len(result.plan.startups) > MOST_LINES and len({s.size_bytes for s in result.summaries}) > 1:
        caption = (
            "Completion time as a multiple of an unhindered transfer on an empty path, in the "
            "order of the averages over sizes."
        )
    return result.plot(), caption


@dataclass
class _Traces:
    """The figures over time of one size."""

    result: Comparison
    size: str | None
    count: int
    """Its bytes."""

    def over_time(self) -> "tuple[Figure, str]":
        from flowstart.render.charts import MOST_LINES  # loads matplotlib
        from flowstart.simulation.figures import over_time

        many = len(self.result.plan.startups) > MOST_LINES
        shown = "window" if many else "window, bytes in flight, bottleneck queue"
        caption = f"The first flow under test{self._of}: {shown}."
        return over_time(self._series, self._about), caption

    def sequence(self) -> "tuple[Figure, str]":
        from flowstart.simulation.figures import sequence  # loads matplotlib

        caption = f"The same flow{self._of}: what was sent, sent again and acknowledged."
        figure = sequence(self._series, self._about)
        del self._series  # the last figure of them
        return figure, caption

    @functools.cached_property
    def _series(self) -> "list[Series]":
        return self.result.series(self.size)

    @property
    def _of(self) -> str:
        return f" of {text.size(self.count)}" if self.size else ""

    @property
    def _about(self) -> "About":
        from flowstart.simulation.figures import About  # loads matplotlib

        title = f"{self.result.headline}; the first flow under test{self._of}"
        return About(title, baseline=self.result.baseline)


def _traceable(result: Comparison) -> list[tuple[str | None, int]]:
    """The sizes whose runs are small enough to be traced, in bytes for all flows together."""
    sizes = []
    for size in result.plan.sizes:
        rows = [row for row in result.records if row["size"] == size and row["tested"]]
        first = [row for row in rows if row["run"] == rows[0]["run"]]
        if rows and sum(row["size_bytes"] for row in first) <= LARGEST_TRACE_BYTES:
            sizes.append((size, first[0]["size_bytes"]))
    return sizes
