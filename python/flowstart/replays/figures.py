"""Figures of a replay."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, StrMethodFormatter

from flowstart import text
from flowstart.model.custom import short
from flowstart.render.charts import (
    COLOURS,
    MARKERS,
    PALE,
    STYLE,
    Chart,
    Scale,
    broken,
    log_scale,
    logarithmic,
    looks,
    panels,
    titled,
)
from flowstart.replays.summary import ClassSummary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

OVER_A_CLASS: Any = {
    "xycoords": ("data", "axes fraction"),
    "ha": "center",
    "va": "top",
    "fontsize": 6,
}
"""Where the number of a class stands in a panel."""


def by_class(summaries: Sequence[ClassSummary], reference: str, about: str = "") -> Figure:
    """Slowdown by size class (median and 95th percentile), and the share that is harmed.

    With more variants than markers, a panel for each. `reference` is the baseline, `about` what was
    replayed.
    """
    variants = list(dict.fromkeys(s.variant for s in summaries))
    with mpl.rc_context(STYLE):
        if len(variants) > len(MARKERS):
            return _panels(summaries, variants, reference, about)
        chart = _rows(summaries)
        titled(chart, about)
        return chart


def changes(summaries: Sequence[ClassSummary], reference: str, about: str = "") -> Figure:
    """The change of the geometric mean of every variant by size class, with its interval.

    Hollow where the interval decides nothing; black where a variant is recommended.
    """
    classes = list(dict.fromkeys(s.size_class for s in summaries))
    names = [name for name in dict.fromkeys(s.variant for s in summaries) if name != reference]
    with mpl.rc_context(STYLE):
        chart = Chart(figsize=(2.2 * len(classes) + 1.5, 0.28 * len(names) + 1.8))
        shown = chart.subplots(1, len(classes), sharey=True, squeeze=False)[0]
        for axes, size_class in zip(shown, classes, strict=True):
            mine = {s.variant: s for s in summaries if s.size_class == size_class}
            for y, name in enumerate(names):
                _change(axes, y, mine[name])
            axes.axvline(0, color=PALE, linewidth=1, zorder=0)
            axes.set_title(f"{size_class}\n{mine[reference].transfers} transfers", fontsize=8)
            axes.tick_params(axis="x", labelsize=7)
            axes.grid(visible=False, axis="y")
        shown[0].set_yticks(range(len(names)), [short(name) for name in names], fontsize=8)
        shown[0].set_ylim(len(names) - 0.5, -0.5)
        chart.supxlabel(
            f"change of the geometric mean against {short(reference)} in %, 95 % CI; "
            "hollow: inconclusive; black: recommended",
            fontsize=8,
        )
        titled(chart, about)
        return chart


def _change(axes: "Axes", y: int, s: ClassSummary) -> None:
    row = s.geomean_ratio
    if row is None or s.change is None:
        return
    colour = "black" if s.best else "0.6"
    fill = "none"
    if row.low is not None and row.high is not None and not text.too_wide(row.low, row.high):
        fill = colour
        axes.hlines(y, 100 * row.low, 100 * row.high, color=colour, linewidth=1.4)
    axes.plot(100 * s.change, y, marker="o", markersize=4, color=colour, markerfacecolor=fill)


def draw_slowdowns(axes: "Axes", summaries: Sequence[ClassSummary]) -> None:
    """Slowdown by size class with a legend."""
    with mpl.rc_context(STYLE):
        for placed in _placed(summaries):
            _slowdowns(axes, placed)
        _slowdown_axis(axes, summaries)
        _class_axis(axes, summaries)
        axes.legend()


def _rows(summaries: Sequence[ClassSummary]) -> Chart:
    """Slowdown above, the share that is harmed below; the variants side by side in each class."""
    chart = Chart(figsize=(9, 5.8))
    above, below = chart.subplots(2, 1, sharex=True, height_ratios=[2, 1])
    for placed in _placed(summaries):
        _slowdowns(above, placed)
        harmed = [100 * (s.harmed or 0) if s else 0 for s in placed.classes]
        below.bar(placed.x, harmed, width=0.9 * placed.width, color=placed.look["color"])
    _slowdown_axis(above, summaries)
    below.set_ylabel("harmed (% of transfers)")
    below.set_ylim(bottom=0)
    _class_axis(below, summaries)
    above.grid(visible=False, axis="x")
    chart.align_ylabels()
    handles, labels = above.get_legend_handles_labels()
    chart.legend(handles, labels, loc="outside lower center", ncols=min(len(labels), 5))
    return chart


@dataclass(frozen=True)
class Placed:
    """A variant with its places among the others in each size class."""

    name: str
    look: dict[str, Any]
    x: "NDArray[Any]"
    width: float
    classes: list[ClassSummary | None]


def _placed(summaries: Sequence[ClassSummary]) -> list[Placed]:
    classes = list(dict.fromkeys(s.size_class for s in summaries))
    variants = list(dict.fromkeys(s.variant for s in summaries))
    width = 0.8 / len(variants)
    placed = []
    for index, (name, look) in enumerate(looks(variants).items()):
        at = {s.size_class: s for s in summaries if s.variant == name}
        x = np.arange(len(classes)) + (index - (len(variants) - 1) / 2) * width
        placed.append(Placed(name, look, x, width, [at.get(c) for c in classes]))
    return placed


def _slowdowns(axes: "Axes", placed: Placed) -> None:
    """A mark at the median of each class, and a line to its 95th percentile."""
    middle = _values(s.slowdown_median if s else None for s in placed.classes)
    high = _values(s.slowdown_p95 if s else None for s in placed.classes)
    colour = placed.look["color"]
    axes.vlines(placed.x, middle, high, color=colour, linewidth=1.2)
    mark: Any = {"marker": placed.look["marker"], "linestyle": "", "label": short(placed.name)}
    axes.plot(placed.x, middle, color=colour, **mark)


def _class_axis(axes: "Axes", summaries: Sequence[ClassSummary]) -> None:
    """The size classes with the number of their transfers."""
    counts = {s.size_class: s.transfers for s in summaries}
    axes.set_xticks(range(len(counts)), [f"{c}\n{n} transfers" for c, n in counts.items()])
    axes.grid(visible=False, axis="x")


def _panels(
    summaries: Sequence[ClassSummary], variants: Sequence[str], reference: str, about: str
) -> Figure:
    """A panel per variant with its slowdown, that of the baseline pale behind.

    Over each class is the share that is harmed.
    """
    classes = list(dict.fromkeys(s.size_class for s in summaries))
    known = [v for s in summaries for v in (s.slowdown_median, s.slowdown_p95) if v is not None]
    y = logarithmic("completion time / ideal (mark: median, line: to p95)", known)
    low, high = y.limits
    y = replace(y, limits=(low, high * (high / low) ** 0.2))  # room for the numbers on top
    titles = [broken(name) for name in variants]
    chart, panel_axes = panels(titles, _classes(summaries, classes, reference), y, about)
    for axes, name in zip(panel_axes, variants, strict=True):
        for shown, colour in ((reference, PALE), (name, COLOURS[0])):
            mine = [s for s in summaries if s.variant == shown]
            x = [classes.index(s.size_class) for s in mine]
            middle = _values(s.slowdown_median for s in mine)
            high_end = _values(s.slowdown_p95 for s in mine)
            axes.vlines(x, middle, high_end, color=colour, linewidth=1.2)
            axes.plot(x, middle, marker="o", markersize=4, linestyle="", color=colour)
        harmed = {s.size_class: s.harmed for s in summaries if s.variant == name}
        for index, size_class in enumerate(classes):
            share = harmed.get(size_class)
            shown = text.ABSENT if share is None else f"{100 * share:.0f}%"
            axes.annotate(shown, (index, 0.97), **OVER_A_CLASS)
    return chart


def _classes(summaries: Sequence[ClassSummary], classes: Sequence[str], reference: str) -> Scale:
    """The size classes as the scale of panels."""
    counts = {s.size_class: s.transfers for s in summaries}
    return Scale(
        f"size class (transfers); pale: {short(reference)}; numbers on top: share that is harmed",
        limits=(-0.6, len(classes) - 0.4),
        ticks=range(len(classes)),
        words=[f"{c} ({counts[c]})" for c in classes],
        is_upright=True,
    )


def _values(values: Iterable[float | None]) -> "NDArray[Any]":
    """What is not known is not drawn."""
    return np.array([value or np.nan for value in values])


def _slowdown_axis(axes: "Axes", summaries: Sequence[ClassSummary]) -> None:
    axes.set_ylabel("completion time / ideal\n(mark: median, line: to p95)")
    log_scale(axes, "y", [s.slowdown_median or 0 for s in summaries], (1, 2, 5))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
