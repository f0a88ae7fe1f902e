"""Figures as the papers draw them: ours as lines, what is published as hollow points."""

import textwrap
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import matplotlib as mpl
from matplotlib.figure import Figure

from flowstart.render.charts import COLOURS, CORNER, DASHES, MARKERS, STYLE, Chart

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LONGEST_ROW = 60
"""Letters of a row's name in a grid of marks; what is longer is cut."""

Points = tuple[Sequence[float], Sequence[float | None]]
"""Abscissae and ordinates."""


@dataclass(frozen=True)
class Axis:
    """One axis of a figure."""

    label: str
    scale: Literal["linear", "log"] = "linear"
    limits: tuple[float | None, float | None] = (None, None)
    ticks: Sequence[float] | None = None
    """Where a logarithmic axis is marked; the numbers themselves are written."""


@dataclass(frozen=True)
class Panel:
    """One pair of axes with its curves."""

    x: Axis
    y: Axis
    curves: Mapping[str, Points]
    """By name, in the paper's order."""
    published: Mapping[str, Points] | None = None
    """Published points by the name of their curve."""
    title: str = ""
    steps: bool = False
    """Whether values hold until the next one, as a window over time does."""
    marks: bool = True
    """Whether the points of a curve are marked; not for curves of many points."""
    bands: Mapping[str, tuple[Sequence[float], Sequence[float], Sequence[float]]] | None = None
    """Confidence: abscissae, lower and upper ends by curve."""
    level: Mapping[str, float] | None = None
    """Horizontal lines with their names, such as the BDP."""


def style() -> AbstractContextManager[object]:
    """How all figures look."""
    return mpl.rc_context(STYLE)


def panels(*drawn: Panel, width: float = 9.0, height: float = 3.8) -> Figure:
    """Panels side by side; a legend for all where they show the same curves."""
    with style():
        chart = Chart(figsize=(width if len(drawn) > 1 else min(width, 6.4), height))
        axes = chart.subplots(1, len(drawn), squeeze=False)[0]
        alike = len({tuple(panel.curves) for panel in drawn}) == 1
        for i, (axis, panel) in enumerate(zip(axes, drawn, strict=True)):
            _draw(axis, panel)
            if (i == 0 or not alike) and len(panel.curves) > 1:
                axis.legend(fontsize=8)
        return chart


def single(x: Axis, y: Axis, curves: Mapping[str, Points], **more: object) -> Figure:
    """One panel; `more` are its other fields."""
    return panels(Panel(x, y, curves, **more))  # type: ignore[arg-type]


def bars(y: Axis, groups: Sequence[str], values: Mapping[str, Sequence[float | None]]) -> Figure:
    """Bars in groups: one bar of each of `values` in every group."""
    with style():
        chart = Chart(figsize=(max(5.0, 1.1 * len(groups) + 2), 3.8))
        axis = chart.subplots()
        width = 0.8 / len(values)
        for i, (name, heights) in enumerate(values.items()):
            places = [g + (i - (len(values) - 1) / 2) * width for g in range(len(groups))]
            tall = [0.0 if h is None else h for h in heights]
            axis.bar(places, tall, width, label=name, color=COLOURS[i % len(COLOURS)])
        axis.set_xticks(range(len(groups)), groups)
        _set(axis.set_ylabel, axis.set_yscale, axis.set_ylim, y)
        axis.legend(fontsize=8)
        return chart


def marks(rows: Sequence[str], columns: Sequence[str], filled: Sequence[Sequence[bool]]) -> Figure:
    """A grid of marks: filled where something holds, hollow where it does not."""
    with style():
        names = [textwrap.shorten(row, LONGEST_ROW, placeholder=" …") for row in rows]
        left = 0.065 * max(map(len, names))
        chart = Chart(figsize=(left + 0.42 * len(columns) + 0.6, 0.2 * len(rows) + 1.8))
        axis = chart.subplots()
        for held, face in ((True, COLOURS[2]), (False, "none")):
            places = [
                (x, y) for y, row in enumerate(filled) for x, it in enumerate(row) if it is held
            ]
            axis.scatter(
                [x for x, _ in places],
                [y for _, y in places],
                s=42,
                marker="o" if held else "s",
                facecolors=face,
                edgecolors=COLOURS[2] if held else "0.6",
                label="holds" if held else "does not hold",
            )
        axis.set_yticks(range(len(rows)), names)
        axis.set_xticks(range(len(columns)), columns, rotation=90)
        axis.xaxis.tick_top()
        axis.set_xlim(-0.6, len(columns) - 0.4)
        axis.set_ylim(len(rows) - 0.4, -0.6)
        chart.legend(loc="outside lower right", ncols=2, fontsize=8)
        return chart


def _draw(axis: "Axes", panel: Panel) -> None:
    for i, (name, (xs, ys)) in enumerate(panel.curves.items()):
        colour = COLOURS[i % len(COLOURS)]
        kept = [(x, y) for x, y in zip(xs, ys, strict=True) if y is not None]
        axis.plot(
            [x for x, _ in kept],
            [y for _, y in kept],
            color=colour,
            linestyle=DASHES[i % len(DASHES)],
            marker=MARKERS[i % len(MARKERS)] if panel.marks else None,
            markersize=4,
            drawstyle="steps-post" if panel.steps else "default",
            label=name,
        )
        _beside(axis, panel, name, colour)
    _say_what_is_cut(axis, panel)
    for name, height in (panel.level or {}).items():
        axis.axhline(height, color="0.5", linewidth=1, linestyle=(0, (2, 2)))
        axis.annotate(name, (1, height), xycoords=("axes fraction", "data"), ha="right",
                      va="bottom", fontsize=7, color="0.4")  # fmt: skip
    axis.set_title(panel.title, fontsize=9)
    _set(axis.set_xlabel, axis.set_xscale, axis.set_xlim, panel.x)
    _set(axis.set_ylabel, axis.set_yscale, axis.set_ylim, panel.y)
    if panel.x.ticks is not None:
        axis.set_xticks(list(panel.x.ticks), [f"{tick:g}" for tick in panel.x.ticks])
        axis.minorticks_off()


def _say_what_is_cut(axis: "Axes", panel: Panel) -> None:
    """How far the curves reach beyond the panel's upper end."""
    drawn = [*panel.curves.values(), *(panel.published or {}).values()]
    highest = max((y for _, ys in drawn for y in ys if y is not None), default=0.0)
    top = panel.y.limits[1]
    if top is not None and highest > top:
        axis.annotate(f"↑ up to {highest:,.4g}", **CORNER)


def _beside(axis: "Axes", panel: Panel, name: str, colour: str) -> None:
    """The confidence band of a curve and its published points."""
    if panel.bands and name in panel.bands:
        xs, low, high = panel.bands[name]
        axis.fill_between(xs, low, high, color=colour, alpha=0.15, linewidth=0)
    if panel.published and name in panel.published:
        xs, ys = panel.published[name]
        kept = [(x, y) for x, y in zip(xs, ys, strict=True) if y is not None]
        axis.plot(
            [x for x, _ in kept],
            [y for _, y in kept],
            color=colour,
            linestyle="none",
            marker="o",
            markersize=8,
            markerfacecolor="none",
            label=f"{name}, published",
        )


def _set(
    label: Callable[[str], object],
    scale: Callable[[str], object],
    limits: Callable[[float | None, float | None], object],
    axis: Axis,
) -> None:
    label(axis.label)
    scale(axis.scale)
    limits(*axis.limits)
