"""Figures of a comparison: completion time over size."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from flowstart.comparison.summary import Summary
from flowstart.model import custom
from flowstart.render import text
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

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BEST = "#009E73"
"""The bar of a row that the table marks."""


def completion(found: Sequence[Summary]) -> Figure:
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
            look = look | {"label": custom.short(name), "markersize": 4}
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
        legend(chart, left)
        return chart


def _slowdowns(found: Sequence[Summary], names: Sequence[str]) -> Figure:
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


def _bars(found: Sequence[Summary]) -> Figure:
    if len(found) > MOST_LINES:
        found = sorted(found, key=lambda s: (s.complete < s.flows, s.fct_s or 0.0))
    chart = Chart(figsize=(7, 0.9 + 0.35 * len(found)))
    axes = chart.subplots()
    names = [s.startup for s in found]
    times = [s.fct_s or 0.0 for s in found]
    colours = [look["color"] for look in looks(names).values()]
    if len(found) > MOST_LINES:
        colours = [BEST if s.best else "0.6" for s in found]
    bars = axes.barh([custom.short(name) for name in names], times, color=colours, height=0.65)
    axes.bar_label(bars, [text.seconds(s.fct_s) for s in found], padding=4)
    axes.invert_yaxis()
    axes.margins(x=0.14)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel(f"completion time of {text.size(found[0].size_bytes)} (s)")
    return chart


def _size_axis(axes: "Axes", found: Sequence[Summary], *, label: bool = True) -> None:
    sizes = sorted({s.size_bytes for s in found})
    axes.set_xscale("log")
    few = len(sizes) <= 4
    axes.set_xticks(sizes, [text.size(size) for size in sizes], rotation=0 if few else 45)
    axes.xaxis.set_minor_formatter(NullFormatter())
    if label:
        axes.set_xlabel("transfer size")
