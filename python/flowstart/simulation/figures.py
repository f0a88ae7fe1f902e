"""Figures of flows over time: windows, what is in flight and queued, sequence numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from flowstart import text
from flowstart.model import custom
from flowstart.render import thinning
from flowstart.render.charts import (
    CORNER,
    MOST_LINES,
    PALE,
    STYLE,
    Chart,
    broken,
    key_of_panels,
    legend,
    linear,
    looks,
    panels,
    titled,
)
from flowstart.simulation import limit_band
from flowstart.simulation.series import Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

COLUMNS = 1200
"""Pixels that a figure over time is wide, at least; longer traces are thinned to them."""
PANEL_COLUMNS = 400
"""The same for a panel among many."""
PANEL = (600, 600)
"""Pixels of a panel of marks, at most."""
SMALL_PANEL = (160, 100)
"""The same among many."""
MARKS = 1.5
"""What lies below is drawn as pixels in an SVG picture: there may be thousands of marks."""


@dataclass(frozen=True)
class FigureFacts:
    """What a figure says of itself."""

    title: str
    """Of what path, endpoints and seed it is."""
    which: str | None = None
    """Which flows it shows, where not all."""
    baseline: str | None = None
    """The label of the series that stands pale behind each of many others; else the first."""


def over_time(series: Sequence[Series], about: FigureFacts) -> Figure:
    """Window, bytes in flight and bottleneck queue over time, and the band of what limits each.

    Of many series the window alone, a panel for each.
    """
    with mpl.rc_context(STYLE):
        if len(series) > MOST_LINES:
            return _windows(series, about)
        band_height = 0.35 + 0.17 * len(series)
        chart = Chart(figsize=(8, 6.8 + band_height))
        heights = (2, 2, 2, band_height)
        window, flight, queue, band = chart.subplots(4, 1, sharex=True, height_ratios=heights)
        drawn: list[Series] = []
        for line, look in zip(series, looks([s.label for s in series]).values(), strict=True):
            first_of_queue = not any(_same_queue(line, other) for other in drawn)
            drawn.append(line)
            look = look | {
                "label": custom.short(line.label),
                "marker": "",
                "drawstyle": "steps-post",
            }
            kept = line.thinned(COLUMNS)
            flight.plot(
                *_held(line.end_s, line.time_s[kept], line.flight_bytes[kept] / 1e3), **look
            )
            if first_of_queue:
                kept = line.queue_thinned(COLUMNS)
                shown = _held(line.end_s, line.queue_time_s[kept], line.queue_packets[kept])
                queue.plot(*shown, **look)
        _cwnd(window, series)
        flight.set_ylabel("in flight (kB)")
        queue.set_ylabel("bottleneck queue (packets)")
        limit_band.draw(band, series, PANEL_COLUMNS)
        band.set_xlabel("time (s)")
        for axes in (window, flight, queue):
            axes.set_ylim(bottom=0)
        queue.set_xlim(left=0)
        chart.align_ylabels()
        legend(chart, window, about.which)
        titled(chart, about.title)
        return chart


def draw_cwnd(axes: "Axes", series: Sequence[Series]) -> None:
    """The cwnd over time with a legend, one line per series."""
    with mpl.rc_context(STYLE):
        _cwnd(axes, series)
        axes.set_ylim(bottom=0)
        axes.set_xlim(left=0)
        axes.set_xlabel("time (s)")
        axes.legend()


def _cwnd(axes: "Axes", series: Sequence[Series]) -> None:
    for line, look in zip(series, looks([s.label for s in series]).values(), strict=True):
        kept = line.thinned(COLUMNS)
        look = look | {"label": custom.short(line.label), "marker": "", "drawstyle": "steps-post"}
        axes.plot(*_held(line.end_s, line.time_s[kept], line.cwnd[kept]), **look)
    _capacity(axes, series)
    axes.set_ylabel("window (packets)")


def _windows(series: Sequence[Series], about: FigureFacts) -> Figure:
    """A panel per series with its window, that of the baseline pale behind."""
    behind = next((line for line in series if line.label == about.baseline), series[0])
    # A window far beyond the path would hide what the others do.
    ends = [float(np.nanmax(line.cwnd[line.at_sender])) for line in series]
    top = min(1.05 * max(ends), 6 * max(series[0].bdp_pkts, 10))
    x = linear(f"time (s); pale: {custom.short(behind.label)}", _end(series))
    y = linear("window (packets); dashed: 1 BDP", top)
    chart, panel_axes = panels([broken(line.label) for line in series], x, y, about.title)
    for axes, line, end in zip(panel_axes, series, ends, strict=True):
        for drawn, colour in ((behind, PALE), (line, "#0072B2")):
            kept = drawn.thinned(PANEL_COLUMNS)
            shown = _held(drawn.end_s, drawn.time_s[kept], drawn.cwnd[kept])
            axes.step(*shown, where="post", color=colour, linewidth=1.2)
        axes.axhline(line.bdp_pkts, color="0.5", linewidth=0.8, linestyle=(0, (4, 2)))
        if end > top:
            axes.annotate(f"↑ up to {text.count(round(end))}", **CORNER)
    return chart


def _end(series: Sequence[Series]) -> float:
    """When the last of them ends."""
    return max(max(line.end_s, float(line.time_s[-1])) for line in series)


def _held(
    end: float, times: "NDArray[Any]", values: "NDArray[Any]"
) -> "tuple[NDArray[Any], NDArray[Any]]":
    """A line that goes on to `end` with its last value."""
    if not len(times) or times[-1] >= end:
        return times, values
    return np.append(times, end), np.append(values, values[-1])


def _same_queue(series: Series, other: Series) -> bool:
    """Whether two flows of one run share the queue; then one line shows it."""
    return np.array_equal(series.queue_time_s, other.queue_time_s) and np.array_equal(
        series.queue_packets, other.queue_packets
    )


def _capacity(axes: "Axes", series: Sequence[Series]) -> None:
    """A line at one bandwidth-delay product."""
    bdp = series[0].bdp_pkts
    axes.axhline(bdp, color="0.5", linewidth=0.8)
    axes.annotate(
        "1 BDP", (1, bdp), xycoords=("axes fraction", "data"), ha="right", va="bottom", color="0.4"
    )


def sequence(series: Sequence[Series], about: FigureFacts) -> Figure:
    """What was sent, sent again and acknowledged over time, one panel per series."""
    with mpl.rc_context(STYLE):
        if len(series) > MOST_LINES:
            return _small_sequences(series, about)
        columns = min(len(series), 3)
        lines = -(-len(series) // columns)
        chart = Chart(figsize=(3.2 * columns + 0.8, 2.7 * lines + 0.9))
        panels = chart.subplots(lines, columns, sharex=True, sharey=True, squeeze=False)
        for axes, line in zip(panels.flat, series, strict=False):
            axes.set_rasterization_zorder(MARKS)
            _acknowledged(axes, line, COLUMNS)
            for event in LOOKS:
                _marks(axes, line, event, PANEL)
            axes.set_title(custom.short(line.label), fontsize=9)
        # All panels share these, so only the last one knows how far they reach.
        panels[0, 0].set_xlim(left=0)
        panels[0, 0].set_ylim(bottom=0)
        for above, axes in zip(
            panels.flat[len(series) - columns :], panels.flat[len(series) :], strict=False
        ):
            axes.set_visible(False)
            above.tick_params(labelbottom=True)
            above.set_xlabel("time (s)")
        for axes in panels[:, 0]:
            axes.set_ylabel("sequence number (kB)")
        for axes in panels[-1, :]:
            axes.set_xlabel("time (s)")
        legend(chart, panels[0, 0], about.which)
        titled(chart, about.title)
        return chart


def _small_sequences(series: Sequence[Series], about: FigureFacts) -> Figure:
    """A small panel per series; what was sent is a line in them."""
    highest = max(float(line.seq_bytes.max()) for line in series) / 1e3
    x, y = linear("time (s)", _end(series)), linear("sequence number (kB)", 1.05 * highest)
    titles = [broken(line.label) for line in series]
    chart, panel_axes = panels(titles, x, y, about.title, legend=True)
    for axes, line in zip(panel_axes, series, strict=True):
        _acknowledged(axes, line, PANEL_COLUMNS)
        sent = _stepped(line, "send", PANEL_COLUMNS)
        axes.step(*sent, where="post", color=LOOKS["send"]["color"], linewidth=1.2, label="sent")
        for event in ("retransmit", "drop", "mark"):
            at = line.of(event)
            wide = _pixels(line.time_s[at], x.limits[1], SMALL_PANEL[0])
            _marks(
                axes,
                line,
                event,
                (wide, _pixels(line.seq_bytes[at] / 1e3, y.limits[1], SMALL_PANEL[1])),
            )
    key_of_panels(chart, panel_axes)
    return chart


LOOKS: dict[str, dict[str, Any]] = {
    "send": {"label": "sent", "color": "#0072B2", "marker": ".", "markersize": 2.5},
    "retransmit": {"label": "sent again", "color": "#D55E00", "marker": "x", "markersize": 4},
    "drop": {"label": "dropped", "color": "#000000", "marker": "v", "markersize": 3},
    "mark": {"label": "marked", "color": "#CC79A7", "marker": "^", "markersize": 3},
}


def _acknowledged(axes: "Axes", line: Series, columns: int) -> None:
    acked = _stepped(line, "ack", columns)
    axes.step(*acked, where="post", color="0.55", linewidth=1, label="acknowledged")


def _stepped(line: Series, event: str, columns: int) -> "tuple[NDArray[Any], NDArray[Any]]":
    """Times and sequence numbers (kB) of events whose numbers do not go down."""
    at = line.of(event)
    at = at[thinning.thin(thinning.columns(line.time_s[at], columns), line.seq_bytes[at])]
    return line.time_s[at], line.seq_bytes[at] / 1e3


def _marks(axes: "Axes", line: Series, event: str, pixels: tuple[int, int]) -> None:
    """A mark for each event, those that fall on the same of so many pixels once."""
    at = line.of(event)
    at = at[thinning.apart(line.time_s[at], line.seq_bytes[at], *pixels)]
    if len(at) or event != "mark":
        axes.plot(line.time_s[at], line.seq_bytes[at] / 1e3, linestyle="", zorder=1, **LOOKS[event])


def _pixels(values: "NDArray[Any]", whole: float, count: int) -> int:
    """How many of the `count` pixels that a panel has for 0 to `whole` these values take."""
    return max(1, round(count * np.ptp(values) / whole)) if len(values) else 1
