"""Figures as the papers draw them: ours as lines, what is published as hollow points."""

import textwrap
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.figure import Figure

from flowstart.render.charts import COLOURS, CORNER, DASHES, MARKERS, STYLE, Chart
from flowstart_papers.axes import Axis, Panel
from flowstart_papers.counting import Tally

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

PANELS_IN_A_ROW = 2
"""More would need type that nobody reads."""
PANEL_WIDTH = 4.6
PANEL_HEIGHT = 3.5
SINGLE_WIDTH = 6.4
"""Of a panel that stands alone, in inches."""
MOST_COLUMNS = 4
"""Of a legend below the panels."""
RING: Any = {"linestyle": "none", "marker": "o", "markersize": 8, "markerfacecolor": "none"}
"""How published points look."""
BACKED: Any = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1}
"""Behind a line's name, so that no curve runs through it."""
LONGEST_LINE = 60
"""Letters of a line of a row's name in a grid of marks."""


def style() -> AbstractContextManager[object]:
    """How all figures look."""
    return mpl.rc_context(STYLE)


def panels(*drawn: Panel, width: float = PANEL_WIDTH, height: float = PANEL_HEIGHT) -> Figure:
    """Panels, two in a row, each of `width` by `height` inches.

    One legend below them where all show the same curves, else one in each.
    """
    with style():
        columns = min(len(drawn), PANELS_IN_A_ROW)
        rows = -(-len(drawn) // columns)
        wide = width if columns > 1 else SINGLE_WIDTH
        chart = Chart(figsize=(columns * wide, rows * height))
        axes = list(chart.subplots(rows, columns, squeeze=False).flat)
        for axis, panel in zip(axes, drawn, strict=False):
            _draw(axis, panel)
        for axis in axes[len(drawn) :]:
            axis.remove()
        _legends(chart, axes, drawn)
        return chart


def _legends(chart: Figure, axes: Sequence["Axes"], drawn: Sequence[Panel]) -> None:
    """What curves and rings mean: below all panels where these are alike, else in each."""
    alike = len({tuple(panel.curves) for panel in drawn}) == 1
    ringed = any(panel.published for panel in drawn)
    if alike and len(drawn) > 1:
        handles = _handles(axes[0], ringed=ringed)
        if len(handles) > 1:
            chart.legend(
                handles=handles, loc="outside lower center", ncols=min(len(handles), MOST_COLUMNS)
            )
        return
    for axis, panel in zip(axes, drawn, strict=False):
        handles = _handles(axis, ringed=bool(panel.published))
        if len(handles) > 1:
            axis.legend(handles=handles)


def _handles(axis: "Axes", *, ringed: bool) -> list["Artist"]:
    """The curves of a panel, and a ring for all published points."""
    from matplotlib.lines import Line2D

    lines: list[Artist] = list(axis.get_legend_handles_labels()[0])
    if ringed:
        lines.append(Line2D([], [], color="0.3", label="published", **RING))
    return lines


def bars(
    y: Axis,
    groups: Sequence[str],
    values: Mapping[str, Sequence[float | None]],
    ends: Mapping[str, Sequence[tuple[float, float]]] | None = None,
) -> Figure:
    """Bars in groups: one bar of each of `values` in every group, with a line between its ends."""
    with style():
        chart = Chart(figsize=(max(5.0, 1.1 * len(groups) + 2), 3.8))
        axis = chart.subplots()
        width = 0.8 / len(values)
        for i, (name, heights) in enumerate(values.items()):
            places = [g + (i - (len(values) - 1) / 2) * width for g in range(len(groups))]
            tall = [0.0 if h is None else h for h in heights]
            axis.bar(places, tall, width, label=name, color=COLOURS[i % len(COLOURS)])
            for place, (low, high) in zip(places, (ends or {}).get(name, ()), strict=False):
                axis.plot([place, place], [low, high], color="0.2", linewidth=1)
        axis.set_xticks(range(len(groups)), groups)
        _set(axis.set_ylabel, axis.set_yscale, axis.set_ylim, y)
        axis.legend(fontsize=8)
        return chart


def marks(rows: Sequence[str], columns: Sequence[str], filled: Sequence[Sequence[bool]]) -> Figure:
    """A grid of marks: filled where something holds, hollow where it does not."""
    with style():
        names = [textwrap.fill(row, LONGEST_LINE) for row in rows]
        lines = [name.count("\n") + 1 for name in names]
        left = 0.065 * max(min(len(row), LONGEST_LINE) for row in rows)
        chart = Chart(figsize=(left + 0.42 * len(columns) + 0.6, 0.17 * sum(lines) + 2.0))
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


def tallies(rows: Sequence[str], counts: Sequence[Mapping[str, Tally]]) -> Figure:
    """A grid of counts, the darker the larger their share; one row for each of `counts`."""
    names = [textwrap.fill(row, LONGEST_LINE) for row in rows]
    columns = list(counts[0])
    with style():
        lines = sum(name.count("\n") + 1 for name in names)
        chart = Chart(figsize=(4.0 + 1.0 * len(columns), 0.24 * lines + 1.6))
        if engine := chart.get_layout_engine():
            engine.set(w_pad=0.15)  # type: ignore[call-arg]  # of the constrained layout
        axis = chart.subplots()
        shares = [[one.hold / one.of for one in by.values()] for by in counts]
        # Up to a blue on which black figures are still read.
        axis.imshow(shares, aspect="auto", cmap="Blues", vmin=0, vmax=1.6)
        for y, by in enumerate(counts):
            for x, one in enumerate(by.values()):
                axis.text(x, y, str(one), ha="center", va="center", fontsize=9)
        axis.set_yticks(range(len(names)), names, fontsize=9)
        axis.set_xticks(range(len(columns)), [_stacked(name) for name in columns], fontsize=9)
        axis.xaxis.tick_top()
        axis.grid(visible=False)
        return chart


def _stacked(heading: str) -> str:
    """A heading on several short lines: what stands before a comma first."""
    first, _, rest = heading.partition(", ")
    return "\n".join([*textwrap.wrap(first, 12), *textwrap.wrap(rest, 12)])


def _draw(axis: "Axes", panel: Panel) -> None:
    shades = mpl.colormaps["viridis"].resampled(len(panel.curves) + 1)
    for i, (name, (xs, ys)) in enumerate(panel.curves.items()):
        colour: Any = shades(i) if panel.ordered else COLOURS[i % len(COLOURS)]
        kept = [(x, y) for x, y in zip(xs, ys, strict=True) if y is not None]
        axis.plot(
            [x for x, _ in kept],
            [y for _, y in kept],
            color=colour,
            linestyle=DASHES[0 if panel.ordered else i % len(DASHES)] if panel.joined else "none",
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
                      va="center", fontsize=8, color="0.3", bbox=BACKED)  # fmt: skip
    axis.set_title(panel.title, fontsize=10)
    _set(axis.set_xlabel, axis.set_xscale, axis.set_xlim, panel.x)
    _set(axis.set_ylabel, axis.set_yscale, axis.set_ylim, panel.y)
    for ticks, mark in ((panel.x.ticks, axis.set_xticks), (panel.y.ticks, axis.set_yticks)):
        if ticks is not None:
            mark(list(ticks), [f"{tick:g}" for tick in ticks])
            mark([], minor=True)


def _say_what_is_cut(axis: "Axes", panel: Panel) -> None:
    """How far the curves reach beyond the panel's upper end."""
    drawn = [*panel.curves.values(), *(panel.published or {}).values()]
    highest = max((y for _, ys in drawn for y in ys if y is not None), default=0.0)
    top = panel.y.limits[1]
    if top is not None and highest > top:
        axis.annotate(f"↑ up to {highest:,.4g}", **CORNER)


def _beside(axis: "Axes", panel: Panel, name: str, colour: Any) -> None:
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
            **RING,
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
