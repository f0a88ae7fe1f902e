"""Figures: completion over size, and flows over time.

Every start-up keeps its colour, dash and marker through all figures; the colours are
Okabe and Ito's, which colour-blind readers tell apart, and the dashes carry the figure
where there is no colour at all.
"""

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from flowstart import guests, text, thinning

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from flowstart.series import Series
    from flowstart.summary import Summary

COLOURS = ("#000000", "#E69F00", "#0072B2", "#009E73", "#D55E00", "#CC79A7", "#56B4E9")
DASHES = (
    "-",
    (0, (5, 1.5)),
    (0, (1, 1)),
    (0, (5, 1.5, 1, 1.5)),
    (0, (8, 2)),
    (0, (3, 1, 1, 1, 1, 1)),
)
MARKERS = "osDPX<>"
"""None that points up or down: with a line to it, it would read as an arrow."""
# The default start-ups look the same in every comparison; others take what is left.
FIXED = ("slow-start", "limited-slow-start", "hystart", "hystart-plus-plus", "jump-start")
MOST_LINES = 8
"""More lines than these are not told apart in one panel: each gets a panel of its own."""
PALE = "0.8"
"""The others' lines behind it."""
BEST = "#009E73"
"""The bar of a row that the table marks."""
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

STYLE: Any = {
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.constrained_layout.use": True,
    "font.size": 9,
    "grid.alpha": 0.3,
    "grid.linewidth": 0.5,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "svg.fonttype": "none",
    "svg.hashsalt": "flowstart",  # the same figure is the same file
}


class Chart(Figure):
    """A figure that a notebook shows whether or not pyplot was imported."""

    def _repr_svg_(self) -> str:
        return svg(self)


def looks(names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Colour, dash, marker and width by start-up."""
    places = {name: FIXED.index(name) for name in names if name in FIXED}
    free = (i for i in range(len(FIXED) + len(names)) if i not in places.values())
    for name in names:
        if name not in places:
            places[name] = next(free)
    return {
        name: {
            "color": COLOURS[place % len(COLOURS)],
            "linestyle": DASHES[place % len(DASHES)],
            "marker": MARKERS[place % len(MARKERS)],
            # Lines that coincide show below each other.
            "linewidth": max(1.2, 2.6 - 0.3 * place),
        }
        for name, place in places.items()
    }


def completion(found: "Sequence[Summary]") -> Figure:
    """Completion time, and its multiple of the ideal, over size; bars for a single size."""
    with mpl.rc_context(STYLE):
        if len({s.size_bytes for s in found}) == 1:
            return _bars(found)
        names = list(dict.fromkeys(s.startup for s in found))
        if len(names) > MOST_LINES:
            return _slowdowns(found, names)
        chart = Chart(figsize=(9, 3.8))
        left, right = chart.subplots(1, 2)
        for name, look in looks(names).items():
            mine = [s for s in found if s.startup == name and s.fct_s is not None]
            sizes = [s.size_bytes for s in mine]
            look = look | {"label": guests.short(name), "markersize": 4}
            left.plot(sizes, [s.fct_s for s in mine], **look)
            right.plot(sizes, [s.slowdown for s in mine], **look)
        _size_axis(left, found)
        _size_axis(right, found)
        left.set_yscale("log")
        left.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        left.yaxis.set_major_formatter(
            FuncFormatter(lambda v, _: f"{v:g} s" if v >= 1 else f"{1e3 * v:g} ms")
        )
        left.yaxis.set_minor_formatter(NullFormatter())
        left.set_ylabel("completion time")
        right.set_ylabel("completion time / ideal")
        right.set_ylim(bottom=0.95)
        _legend(chart, left)
        return chart


def _slowdowns(found: "Sequence[Summary]", names: Sequence[str]) -> Figure:
    """A panel per start-up with the multiple of the ideal, the others pale.

    In the order of their averages over sizes, which name no best.
    """
    lines = {
        name: sorted(
            (s.size_bytes, s.slowdown)
            for s in found
            if s.startup == name and s.slowdown is not None
        )
        for name in names
    }
    marks = {name: _mean_of_ratios([v for _, v in line]) for name, line in lines.items()}
    sizes = len({s.size_bytes for s in found})
    # One that did not finish every size is no match for those that did.
    ranked = sorted(names, key=lambda name: (len(lines[name]) < sizes, marks[name]))
    chart, panels = panels_for(len(ranked))
    for axes, name in zip(panels, ranked, strict=False):
        for line in lines.values():
            axes.plot(*zip(*line, strict=True), color=PALE, linewidth=0.8) if line else None
        if lines[name]:
            axes.plot(*zip(*lines[name], strict=True), color="black", marker="o", markersize=3)
        mean = f"on average × {text.ratio(marks[name])}" if lines[name] else "not done"
        axes.set_title(f"{broken(name)}\n{mean}", fontsize=8)
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
        axes.yaxis.set_minor_formatter(NullFormatter())
        _size_axis(axes, found, label=False)
    chart.supylabel("completion time / ideal", fontsize=9)
    chart.supxlabel("transfer size", fontsize=9)
    return chart


def _mean_of_ratios(values: Sequence[float]) -> float:
    return float(np.exp(np.mean(np.log(values)))) if values else float("inf")


def broken(name: str) -> str:
    """A start-up's name for a narrow panel: its parameters below it where they are long."""
    name = guests.short(name)
    return name if len(name) <= 32 else name.replace(":", ":\n", 1)


def panels_for(count: int, columns: int = 4) -> "tuple[Chart, list[Axes]]":
    """A grid of small panels on common axes; those left over are not shown."""
    lines = -(-count // columns)
    chart = Chart(figsize=(2.6 * columns, 1.85 * lines + 0.5))
    panels = chart.subplots(lines, columns, sharex=True, sharey=True, squeeze=False)
    for above, axes in zip(panels.flat[count - columns :], panels.flat[count:], strict=False):
        axes.set_visible(False)
        above.tick_params(labelbottom=True)
    return chart, list(panels.flat[:count])


def _bars(found: "Sequence[Summary]") -> Figure:
    if len(found) > MOST_LINES:
        found = sorted(found, key=lambda s: (s.complete < s.flows, s.fct_s or 0.0))
    chart = Chart(figsize=(7, 0.9 + 0.35 * len(found)))
    axes = chart.subplots()
    names = [s.startup for s in found]
    times = [s.fct_s or 0.0 for s in found]
    colours = [look["color"] for look in looks(names).values()]
    if len(found) > MOST_LINES:
        colours = [BEST if s.best else "0.6" for s in found]
    bars = axes.barh([guests.short(name) for name in names], times, color=colours, height=0.65)
    axes.bar_label(bars, [text.seconds(s.fct_s) for s in found], padding=4)
    axes.invert_yaxis()
    axes.margins(x=0.14)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel(f"completion time of {text.size(found[0].size_bytes)} (s)")
    return chart


def _size_axis(axes: "Axes", found: "Sequence[Summary]", *, label: bool = True) -> None:
    sizes = sorted({s.size_bytes for s in found})
    axes.set_xscale("log")
    few = len(sizes) <= 4
    axes.set_xticks(sizes, [text.size(size) for size in sizes], rotation=0 if few else 45)
    axes.xaxis.set_minor_formatter(NullFormatter())
    if label:
        axes.set_xlabel("transfer size")


def _legend(chart: Figure, axes: "Axes", title: str | None = None) -> None:
    handles, labels = axes.get_legend_handles_labels()
    chart.legend(
        handles,
        labels,
        loc="outside upper center",
        ncols=min(len(labels), 5),
        handlelength=3,
        title=title,
    )


def over_time(series: "Sequence[Series]", about: str | None = None) -> Figure:
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
                "label": guests.short(line.label),
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
        _legend(chart, window, about)
        return chart


def _windows(series: "Sequence[Series]") -> Figure:
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
    chart.supxlabel(f"time (s); pale: {guests.short(series[0].label)}", fontsize=9)
    return chart


def _held(
    end: float, times: "NDArray[Any]", values: "NDArray[Any]"
) -> "tuple[NDArray[Any], NDArray[Any]]":
    """A line that goes on to `end` with its last value."""
    if not len(times) or times[-1] >= end:
        return times, values
    return np.append(times, end), np.append(values, values[-1])


def _same_queue(one: "Series", other: "Series") -> bool:
    """Whether two flows of one run share the queue; then one line shows it."""
    return np.array_equal(one.queue_time_s, other.queue_time_s) and np.array_equal(
        one.queue_packets, other.queue_packets
    )


def _capacity(axes: "Axes", series: "Sequence[Series]") -> None:
    """A line at one bandwidth-delay product."""
    bdp = series[0].bdp_pkts
    axes.axhline(bdp, color="0.5", linewidth=0.8)
    axes.annotate(
        "1 BDP", (1, bdp), xycoords=("axes fraction", "data"), ha="right", va="bottom", color="0.4"
    )


def sequence(series: "Sequence[Series]", about: str | None = None) -> Figure:
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
        _legend(chart, panels[0, 0], about)
        return chart


def _sequence_panel(axes: "Axes", line: "Series") -> None:
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
    axes.set_title(guests.short(line.label), fontsize=9)


def svg(figure: Figure) -> str:
    """A figure as the text of an SVG picture."""
    with mpl.rc_context(STYLE):
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", dpi=200, metadata={"Date": None})
    # What stands where is settled, and takes as long as drawing: another format needs it not.
    figure.set_layout_engine("none")
    found = buffer.getvalue()
    return found[found.index("<svg") :]


def png(figure: Figure, about: Mapping[str, str] | None = None) -> bytes:
    """A figure as a PNG picture, with what `about` says in its text."""
    with mpl.rc_context(STYLE):
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", dpi=150, metadata=about)
    return buffer.getvalue()
