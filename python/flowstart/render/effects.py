"""The figure of effects: a dot with its interval for each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import matplotlib as mpl

from flowstart.render.charts import PALE, STYLE, Chart, figure_of, titled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Effect:
    """A change as a share; None where it is not known."""

    label: str
    change: float | None
    low: float | None
    high: float | None
    predicted: float | None = None


def effects(shown: Sequence[Effect], about: str, axis: str) -> Chart:
    """A line per effect, the first on top."""
    with mpl.rc_context(STYLE):
        chart = Chart(figsize=(7, 0.4 * len(shown) + 1.6))
        draw_effects(chart.subplots(), shown, axis)
        titled(chart, about)
        return chart


def draw_effects(axes: "Axes", shown: Sequence[Effect], axis: str) -> "Figure":
    """Changes in per cent with their intervals, and what was predicted as a cross."""
    for line, effect in enumerate(shown):
        if effect.low is not None and effect.high is not None:
            axes.hlines(line, 100 * effect.low, 100 * effect.high, color="black", linewidth=1.4)
        if effect.change is not None:
            axes.plot(100 * effect.change, line, marker="o", markersize=4, color="black")
        if effect.predicted is not None:
            axes.plot(100 * effect.predicted, line, marker="x", markersize=6, color="0.5")
    axes.axvline(0, color=PALE, linewidth=1, zorder=0)
    axes.set_yticks(range(len(shown)), [effect.label for effect in shown])
    axes.set_ylim(len(shown) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel(axis)
    return figure_of(axes)
