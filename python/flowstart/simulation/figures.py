"""Figures of flows over time: windows, what is in flight and queued, sequence numbers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from flowstart.model import custom
from flowstart.render import text, thinning
from flowstart.render.charts import (
    MOST_LINES,
    PALE,
    STYLE,
    Chart,
    broken,
    legend,
    looks,
    panels_for,
)
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

CORNER: Any = {
    "xy": (0.98, 0.96),
    "xycoords": "axes fraction",
    "ha": "right",
    "va": "top",
    "fontsize": 7,
}
"""Where a panel says what of it is not seen."""


def over_time(series: Sequence[Series], about: str | None = None) -> Figure:
    """Window, bytes in flight and bottleneck queue over time, one line per series.

    Of many series the window alone, a panel for each. `about` says which series they are.
    """
    with mpl.rc_context(STYLE):
        if len(series) > MOST_LINES:
            return _windows(series)
        chart = Chart(figsize=(8, 6.5))
        panels = chart.subplots(3, 1, sharex=True)
        window, flight, queue = panels
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
            window.plot(*_held(line.end_s, line.time_s[kept], line.cwnd[kept]), **look)
            flight.plot(*_held(line.end_s, line.time_s[kept], line.flight[kept] / 1e3), **look)
            if first_of_queue:
                kept = line.queue_thinned(COLUMNS)
                shown = _held(line.end_s, line.queue_time_s[kept], line.queue_packets[kept])
                queue.plot(*shown, **look)
        _capacity(window, series)
        window.set_ylabel("window (packets)")
        flight.set_ylabel("in flight (kB)")
        queue.set_ylabel("bottleneck queue (packets)")
        queue.set_xlabel("time (s)")
        for axes in panels:
            axes.set_ylim(bottom=0)
        queue.set_xlim(left=0)
        chart.align_ylabels()
        legend(chart, window, about)
        return chart


def _windows(series: Sequence[Series]) -> Figure:
    """A panel per series with its window, that of the first one pale behind."""
    chart, panels = panels_for(len(series))
    for axes, line in zip(panels, series, strict=False):
        for drawn, colour in ((series[0], PALE), (line, "#0072B2")):
            kept = drawn.thinned(PANEL_COLUMNS)
            shown = _held(drawn.end_s, drawn.time_s[kept], drawn.cwnd[kept])
            axes.step(*shown, where="post", color=colour, linewidth=1.2)
        axes.axhline(line.bdp_pkts, color="0.5", linewidth=0.8, linestyle=(0, (4, 2)))
        axes.set_title(broken(line.label), fontsize=8)
    # A window far beyond the path would hide what the others do.
    ends = [float(np.nanmax(line.cwnd[line.at_sender])) for line in series]
    top = min(1.05 * max(ends), 6 * max(series[0].bdp_pkts, 10))
    panels[0].set_ylim(0, top)
    for axes, end in zip(panels, ends, strict=True):
        if end > top:
            axes.annotate(f"↑ up to {text.count(round(end))}", **CORNER)
    panels[0].set_xlim(left=0)
    chart.supylabel("window (packets); dashed: 1 BDP", fontsize=9)
    chart.supxlabel(f"time (s); pale: {custom.short(series[0].label)}", fontsize=9)
    return chart


def _held(
    end: float, times: "NDArray[Any]", values: "NDArray[Any]"
) -> "tuple[NDArray[Any], NDArray[Any]]":
    """A line that goes on to `end` with its last value."""
    if not len(times) or times[-1] >= end:
        return times, values
    return np.append(times, end), np.append(values, values[-1])


def _same_queue(one: Series, other: Series) -> bool:
    """Whether two flows of one run share the queue; then one line shows it."""
    return np.array_equal(one.queue_time_s, other.queue_time_s) and np.array_equal(
        one.queue_packets, other.queue_packets
    )


def _capacity(axes: "Axes", series: Sequence[Series]) -> None:
    """A line at one bandwidth-delay product."""
    bdp = series[0].bdp_pkts
    axes.axhline(bdp, color="0.5", linewidth=0.8)
    axes.annotate(
        "1 BDP", (1, bdp), xycoords=("axes fraction", "data"), ha="right", va="bottom", color="0.4"
    )


def sequence(series: Sequence[Series], about: str | None = None) -> Figure:
    """What was sent, sent again and acknowledged over time, one panel per series.

    `about` says which series they are.
    """
    with mpl.rc_context(STYLE):
        columns = min(len(series), 3)
        lines = -(-len(series) // columns)
        chart = Chart(figsize=(3.2 * columns + 0.8, 2.7 * lines + 0.6))
        panels = chart.subplots(lines, columns, sharex=True, sharey=True, squeeze=False)
        for axes, line in zip(panels.flat, series, strict=False):
            _sequence_panel(axes, line)
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
        legend(chart, panels[0, 0], about)
        return chart


def _sequence_panel(axes: "Axes", line: Series) -> None:
    acked = line.of("ack")
    acked = acked[thinning.thin(thinning.columns(line.time_s[acked], PANEL[0]), line.seq[acked])]
    axes.plot(
        line.time_s[acked],
        line.seq[acked] / 1e3,
        color="0.55",
        linewidth=1,
        drawstyle="steps-post",
        label="acknowledged",
    )
    events: tuple[tuple[str, str, dict[str, Any]], ...] = (
        ("send", "sent", {"color": "#0072B2", "marker": ".", "markersize": 2.5}),
        ("retransmit", "sent again", {"color": "#D55E00", "marker": "x", "markersize": 4}),
        ("drop", "dropped", {"color": "#000000", "marker": "v", "markersize": 3}),
        ("mark", "marked", {"color": "#CC79A7", "marker": "^", "markersize": 3}),
    )
    for event, label, look in events:
        at = line.of(event)
        at = at[thinning.apart(line.time_s[at], line.seq[at], *PANEL)]
        if event == "mark" and not len(at):
            continue
        axes.plot(
            line.time_s[at],
            line.seq[at] / 1e3,
            linestyle="",
            rasterized=True,
            label=label,
            **look,
        )
    axes.set_title(custom.short(line.label), fontsize=9)
