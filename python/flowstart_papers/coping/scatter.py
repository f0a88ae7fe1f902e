"""A point with a cross of intervals for each name, labelled next to the panel."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from flowstart.render.charts import COLOURS, MARKERS, Chart
from flowstart_papers.drawing import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from flowstart_papers.coping.effects import Estimate

Points = Mapping[str, "tuple[Estimate, Estimate]"]
"""Abscissa and ordinate by name."""

WIDE_TICKS = (0.1, 0.2, 0.5, 1, 2, 5)
NARROW_TICKS = (0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.5)
LABEL_HEIGHT = 0.055
"""Of a panel's height."""


def panels(found: Mapping[str, Points], *, x: str, y: str) -> Figure:
    """A panel for each entry; ordinates are ratios."""
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


def _draw(axis: "Axes", points: Points) -> None:
    axis.set_yscale("log")
    axis.axhline(1, color="0.6", linewidth=0.8)
    axis.axvline(0, color="0.6", linewidth=0.8)
    for i, (at, height) in enumerate(points.values()):
        axis.errorbar(
            at.mean,
            height.mean,
            xerr=[[at.mean - at.low], [at.high - at.mean]],
            yerr=[[height.mean - height.low], [height.high - height.mean]],
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


def _label(axis: "Axes", points: Points) -> None:
    """Names in a column at the right, as near to their points' heights as there is room."""
    to_axes = axis.transScale + axis.transLimits
    heights = {
        name: to_axes.transform((at.mean, height.mean))[1] for name, (at, height) in points.items()
    }
    order = sorted(points, key=lambda name: (heights[name], -points[name][0].mean))
    for name, place in zip(order, _spread([heights[name] for name in order]), strict=True):
        at, height = points[name]
        colour = COLOURS[list(points).index(name) % len(COLOURS)]
        axis.annotate(
            name,
            (at.mean, height.mean),
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
