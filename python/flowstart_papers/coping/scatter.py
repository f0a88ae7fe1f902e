"""A point with a cross of intervals for each name, labelled next to the panel."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from flowstart.render.charts import COLOURS, MARKERS, Chart
from flowstart_papers.drawing import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

X, Y = "harm", "sooner"
"""The columns that are drawn."""

WIDE_TICKS = (0.1, 0.2, 0.5, 1, 2, 5)
NARROW_TICKS = (0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.5)
LABEL_HEIGHT = 0.055
"""Of a panel's height."""


def panels(found: Mapping[str, pl.DataFrame], *, x: str, y: str) -> Figure:
    """Harm and gain, a panel for each entry; ordinates are ratios."""
    with style():
        chart = Chart(figsize=(5.2 * len(found), 4.4))
        axes = chart.subplots(1, len(found), squeeze=False)[0]
        for axis, (title, points) in zip(axes, found.items(), strict=True):
            _draw(axis, points)
            axis.set_title(title, fontsize=9)
            axis.set_xlabel(x)
            axis.set_ylabel(y)
            _label(axis, points)
        return chart


def _draw(axis: "Axes", points: pl.DataFrame) -> None:
    def ends(row: dict[str, Any], column: str) -> list[list[float]]:
        low, high = row[f"{column}_low"], row[f"{column}_high"]
        return [[row[column] - low], [high - row[column]]]

    axis.set_yscale("log")
    axis.axhline(1, color="0.6", linewidth=0.8)
    axis.axvline(0, color="0.6", linewidth=0.8)
    for i, row in enumerate(points.rows(named=True)):
        axis.errorbar(
            row[X],
            row[Y],
            xerr=ends(row, X),
            yerr=ends(row, Y),
            color=COLOURS[i % len(COLOURS)],
            marker=MARKERS[i // len(COLOURS)],
            markersize=4.5,
            elinewidth=0.8,
        )
    low, high = axis.get_ylim()
    ticks = WIDE_TICKS if high > 3 * low else NARROW_TICKS
    axis.set_yticks([tick for tick in ticks if low <= tick <= high])
    axis.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axis.yaxis.set_minor_formatter(NullFormatter())


def _label(axis: "Axes", points: pl.DataFrame) -> None:
    """Names in a column at the right, as near to their points' heights as there is room."""
    to_axes = axis.transScale + axis.transLimits
    named = [
        (to_axes.transform((at, height))[1], -at, i, name, height)
        for i, (name, at, height) in enumerate(points.select("measure", X, Y).rows())
    ]
    order = sorted(named)
    places = _spread([height for height, *_ in order])
    for (_, at, i, name, height), place in zip(order, places, strict=True):
        colour = COLOURS[i % len(COLOURS)]
        axis.annotate(
            name,
            (-at, height),
            xytext=(1.06, place),
            textcoords="axes fraction",
            fontsize=7,
            va="center",
            arrowprops={
                "arrowstyle": "-",
                "color": colour,
                "linewidth": 0.6,
                "alpha": 0.7,
                "relpos": (0, 0.5),
            },
        )


def _spread(heights: Sequence[float]) -> list[float]:
    """Ascending heights, moved apart: first upwards, then what is too high down again."""
    places: list[float] = []
    for height in heights:
        places.append(max(height, places[-1] + LABEL_HEIGHT) if places else max(height, 0.0))
    limit = 1.0
    for i in reversed(range(len(places))):
        places[i] = min(places[i], limit)
        limit = places[i] - LABEL_HEIGHT
    return places
