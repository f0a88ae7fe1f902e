"""Small panels on common scales, one for each of many lines.

Every panel is a pair of axes with the same limits. What stands at the ticks is written at the left
and at the bottom only, and only there are the ticks matplotlib's own: thirty panels that share
their axes, laid out automatically, would take several times as long to draw.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from matplotlib.collections import LineCollection
from matplotlib.ticker import LogLocator, MaxNLocator

from flowstart.render.charts import LINE, SMALL, Chart, lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = 4
WIDTH, HEIGHT = 2.15, 1.35
"""Of a panel, in inches."""
GAP = 0.2
"""Between panels that stand side by side."""
LEFT, RIGHT = 0.75, 0.15
DPI = 110
"""Of a picture in PNG: a figure of thirty panels is large."""


@dataclass(frozen=True)
class Scale:
    """An axis that all panels have."""

    label: str
    limits: tuple[float, float]
    ticks: Sequence[float]
    words: Sequence[str]
    """What stands at the ticks."""
    is_log: bool = False
    is_upright: bool = False
    """Whether the words are too long to stand side by side, and run upwards."""

    @property
    def height(self) -> float:
        """The room that the words need below a panel, in inches."""
        longest = max(map(len, self.words), default=0)
        return 0.15 + 0.06 * longest if self.is_upright else 0.25


def linear(label: str, high: float) -> Scale:
    """From 0 to `high`."""
    ticks = [float(t) for t in MaxNLocator(4).tick_values(0, high) if 0 <= t <= high]
    return Scale(label, (0, high), ticks, [f"{t:g}" for t in ticks])


def logarithmic(label: str, values: Sequence[float]) -> Scale:
    """Over all `values`, with some room beyond them."""
    known = list(values) or [1.0]
    low, high = min(known) / 1.1, max(known) * 1.15
    ticks = [float(t) for t in LogLocator(subs=(1, 2, 5)).tick_values(low, high)]
    ticks = [t for t in ticks if low <= t <= high]
    return Scale(label, (low, high), ticks, [f"{t:g}" for t in ticks], is_log=True)


def panels(
    titles: Sequence[str], x: Scale, y: Scale, about: str, *, legend: bool = False
) -> "tuple[Chart, list[Axes]]":
    """A figure with a panel under each of `titles`.

    `about` is what all of them are of; `legend` leaves room for one below it.
    """
    rows, columns = -(-len(titles) // COLUMNS), min(len(titles), COLUMNS)
    width = LEFT + columns * (WIDTH + GAP) - GAP + RIGHT
    said = lines(about, width)
    head = LINE * (len(said) + 0.5) + (2 * LINE if legend else 0)
    between = LINE * (max(title.count("\n") for title in titles) + 1) + 0.15
    foot = x.height + 2.5 * LINE
    height = head + rows * (HEIGHT + between) + foot
    chart = Chart(figsize=(width, height), dpi=DPI, layout=None)
    chart.text(LINE / width, 1 - LINE / 2 / height, "\n".join(said), va="top", fontsize=SMALL)
    chart.supxlabel(x.label, y=LINE / 2 / height, va="bottom", fontsize=SMALL + 1)
    chart.supylabel(y.label, x=LINE / 2 / width, ha="left", fontsize=SMALL + 1)
    found = []
    for place, title in enumerate(titles):
        row, column = divmod(place, COLUMNS)
        left = LEFT + column * (WIDTH + GAP)
        bottom = height - head - (row + 1) * (HEIGHT + between)
        box = (left / width, bottom / height, WIDTH / width, HEIGHT / height)
        axes = chart.add_axes(box)
        axes.set_title(title, fontsize=SMALL, pad=3)
        _scale(axes, x, y, at_left=column == 0, at_bottom=place + COLUMNS >= len(titles))
        found.append(axes)
    return chart, found


def key_of_panels(chart: Chart, axes: "Sequence[Axes]") -> None:
    """A legend in the room that `panels` has left for one: of whatever any panel shows."""
    shown = [dict(zip(*reversed(panel.get_legend_handles_labels()), strict=True)) for panel in axes]
    found = {label: handle for panel in reversed(shown) for label, handle in panel.items()}
    top = axes[0].get_position().y1 + 3.2 * LINE / chart.get_figheight()
    chart.legend(
        list(found.values()),
        list(found),
        loc="upper center",
        bbox_to_anchor=(0.5, top),
        ncols=len(found),
        fontsize=SMALL,
    )


def _scale(axes: "Axes", x: Scale, y: Scale, *, at_left: bool, at_bottom: bool) -> None:
    """Limits, ticks where they are written, and lines at all of them."""
    axes.set(xlim=x.limits, ylim=y.limits)
    axes.grid(visible=False)
    if x.is_log:
        axes.set_xscale("log")
    if y.is_log:
        axes.set_yscale("log")
    rules = [[(tick, y.limits[0]), (tick, y.limits[1])] for tick in x.ticks]
    rules += [[(x.limits[0], tick), (x.limits[1], tick)] for tick in y.ticks]
    axes.add_collection(
        LineCollection(rules, colors="0.9", linewidths=0.5, zorder=0), autolim=False
    )
    for axis, scale, shown in ((axes.xaxis, x, at_bottom), (axes.yaxis, y, at_left)):
        axis.set_visible(shown)
        if shown:
            axis.set_ticks(list(scale.ticks), list(scale.words), fontsize=SMALL - 1)
            axis.set_ticks([], minor=True)
    if at_bottom and x.is_upright:
        axes.tick_params(axis="x", rotation=90)
