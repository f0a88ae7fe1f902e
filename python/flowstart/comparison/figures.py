"""Figures of a comparison: completion time over size."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

from flowstart import text
from flowstart.comparison.summary import Summary, average_slowdown
from flowstart.model import custom
from flowstart.render.charts import (
    MOST_LINES,
    STYLE,
    Chart,
    Scale,
    broken,
    legend,
    log_scale,
    logarithmic,
    looks,
    panels,
    state_absence,
    titled,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RANGE = "0.9"
"""What lies between the least and the most of all startups."""
BEST = "#009E73"
"""The bar of a row that the table marks."""


def completion(summaries: Sequence[Summary], startups: Sequence[str], about: str) -> Figure:
    """Completion time, and its multiple of the ideal, over size; bars for a single size.

    Of flows without an end it is the last of the measured rates.
    The startups are in the order of `startups`; `about` is what was compared. Of several requests
    on a connection it is the last.
    """
    summaries = _drawn(summaries)
    last = max(s.group.request for s in summaries)
    summaries = [s for s in summaries if s.group.request == last]
    about += f", request {last}" if last else ""
    with mpl.rc_context(STYLE):
        if len({s.size_bytes for s in summaries}) == 1:
            chart = Chart(figsize=(7, 1.2 + 0.35 * len(summaries)))
            _bars(chart.subplots(), summaries, startups)
        elif len(startups) > MOST_LINES:
            return _slowdowns(summaries, startups, about)
        else:
            chart = _lines(summaries, startups)
        titled(chart, about)
        return chart


def _drawn(summaries: Sequence[Summary]) -> list[Summary]:
    """Completion times; without any, the last of the measured rates."""
    timed = [s for s in summaries if not s.measure]
    last = max((s.place for s in summaries), default=0)
    return timed or [s for s in summaries if s.place == last]


def draw_times(axes: "Axes", summaries: Sequence[Summary], startups: Sequence[str]) -> None:
    """Completion time over size with a legend; bars for a single size, and of rates."""
    summaries = _drawn(summaries)
    with mpl.rc_context(STYLE):
        if len({s.size_bytes for s in summaries}) == 1:
            _bars(axes, summaries, startups)
        else:
            _times(axes, summaries, startups)
            axes.legend()


def _lines(summaries: Sequence[Summary], startups: Sequence[str]) -> Chart:
    """Completion time on the left, its multiple of the ideal on the right."""
    chart = Chart(figsize=(9, 4))
    left, right = chart.subplots(1, 2)
    _times(left, summaries, startups)
    _over_size(right, summaries, startups, "slowdown")
    right.set_ylabel("completion time / ideal")
    right.set_ylim(bottom=0.95)
    legend(chart, left)
    return chart


def _times(axes: "Axes", summaries: Sequence[Summary], startups: Sequence[str]) -> None:
    """Completion time over size, both logarithmic."""
    _over_size(axes, summaries, startups, "fct_s")
    log_scale(axes, "y", [s.fct_s or 0 for s in summaries], (1, 2, 5))
    axes.yaxis.set_major_formatter(
        FuncFormatter(lambda v, _: f"{v:g} s" if v >= 1 else f"{1e3 * v:g} ms")
    )
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_ylabel("completion time")


def _over_size(
    axes: "Axes", summaries: Sequence[Summary], startups: Sequence[str], measure: str
) -> None:
    """A line per startup."""
    done = [s.size_bytes for s in summaries if s.fct_s is not None]
    for name, look in looks(startups).items():
        mine = [s for s in summaries if s.startup == name and s.fct_s is not None]
        look = look | {"label": custom.short(name), "markersize": 4}
        axes.plot([s.size_bytes for s in mine], [getattr(s, measure) for s in mine], **look)
    if not done:
        axes.set_yticks([])
        state_absence(axes, "no transfer was completed")
    log_scale(axes, "x", done)
    _size_axis(axes, summaries)


def _slowdowns(summaries: Sequence[Summary], startups: Sequence[str], about: str) -> Figure:
    """A panel per startup with the multiple of the ideal, the others pale."""
    by_startup = {name: [s for s in summaries if s.startup == name] for name in startups}
    lines = {
        name: sorted((s.size_bytes, s.slowdown) for s in mine if s.slowdown is not None)
        for name, mine in by_startup.items()
    }
    titles = []
    for name, mine in by_startup.items():
        mean = f"on average × {text.ratio(average_slowdown(mine))}" if lines[name] else "not done"
        titles.append(f"{broken(name)}\n{mean}")
    known: dict[int, list[float]] = {}
    for size, slowdown in sorted(point for line in lines.values() for point in line):
        known.setdefault(size, []).append(slowdown)
    low, high = ([pick(values) for values in known.values()] for pick in (min, max))
    y = logarithmic("completion time / ideal; pale: from minimum to maximum of all", low + high)
    chart, axes = panels(titles, _sizes(summaries), y, about)
    for panel, own in zip(axes, lines.values(), strict=True):
        panel.fill_between(list(known), low, high, color=RANGE, linewidth=0, zorder=0)
        if own:
            panel.plot(*zip(*own, strict=True), color="black", marker="o", markersize=3)
    return chart


def _sizes(summaries: Sequence[Summary]) -> Scale:
    """The sizes as the scale of panels."""
    sizes = sorted({s.size_bytes for s in summaries})
    limits = (sizes[0] / 1.3, sizes[-1] * 1.3)
    words = [text.size(size) for size in sizes]
    return Scale("transfer size", limits, sizes, words, is_log=True, is_upright=len(sizes) > 4)


def _bars(axes: "Axes", summaries: Sequence[Summary], startups: Sequence[str]) -> None:
    summaries = sorted(summaries, key=lambda s: startups.index(s.startup))
    names = [s.startup for s in summaries]
    measure = summaries[0].measure
    is_rate = summaries[0].is_rate
    widths = [(s.goodput_bps or 0.0) / 1e6 if is_rate else s.fct_s or 0.0 for s in summaries]
    colours = [look["color"] for look in looks(names).values()]
    if len(summaries) > MOST_LINES:
        colours = [BEST if s.best else "0.6" for s in summaries]
    bars = axes.barh([custom.short(name) for name in names], widths, color=colours, height=0.65)
    labels = [text.rate(s.goodput_bps) if is_rate else text.seconds(s.fct_s) for s in summaries]
    axes.bar_label(bars, labels, padding=4)
    axes.invert_yaxis()
    axes.margins(x=0.14)
    axes.grid(visible=False, axis="y")
    completion = f"completion time of {text.size(summaries[0].size_bytes)} (s)"
    unit = "Mbit/s" if is_rate else "95th percentile, s"
    axes.set_xlabel(f"{measure} ({unit})" if measure else completion)


def _size_axis(axes: "Axes", summaries: Sequence[Summary]) -> None:
    sizes = sorted({s.size_bytes for s in summaries})
    few = len(sizes) <= 4
    axes.set_xticks(sizes, [text.size(size) for size in sizes], rotation=0 if few else 45)
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("transfer size")
