"""The figure of a rollout: the effect by size class."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import matplotlib as mpl

from flowstart.render.charts import PALE, STYLE, Chart, figure_of, titled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def effects(rows: Sequence[Mapping[str, Any]], about: str) -> Chart:
    """A line per size class, all traffic first."""
    with mpl.rc_context(STYLE):
        chart = Chart(figsize=(7, 0.4 * len(rows) + 1.6))
        draw_effects(chart.subplots(), rows)
        titled(chart, about)
        return chart


def draw_effects(axes: "Axes", rows: Sequence[Mapping[str, Any]]) -> "Figure":
    """The change with its interval, and what was predicted as a cross."""
    for y, row in enumerate(rows):
        if row["low"] is not None:
            axes.hlines(y, 100 * row["low"], 100 * row["high"], color="black", linewidth=1.4)
        if row["change"] is not None:
            axes.plot(100 * row["change"], y, marker="o", markersize=4, color="black")
        if row["predicted"] is not None:
            axes.plot(100 * row["predicted"], y, marker="x", markersize=6, color="0.5")
    axes.axvline(0, color=PALE, linewidth=1, zorder=0)
    axes.set_yticks(range(len(rows)), [row["size_class"] for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("change of the geometric mean in %, 95 % CI; cross: predicted")
    return figure_of(axes)
