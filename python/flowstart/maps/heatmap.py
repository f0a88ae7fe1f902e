"""The picture of all start-ups on all kinds of path: mean regret, a block for each queue."""

from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from flowstart.maps.kinds import DIMENSIONS, Dimension
from flowstart.maps.outcomes import Flags, Floats, Numbers, Outcomes
from flowstart.maps.weighing import geometric_means
from flowstart.model import custom
from flowstart.render import text
from flowstart.render.charts import SMALL, STYLE, Chart, titled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CELL_WIDTH, CELL_HEIGHT = 0.4, 0.185
"""Of one number, in inches."""
NAMES = 1.65
"""The room for the start-ups' names."""
DARKEST = 4.0
"""Regrets above this share the darkest colour, unless all are below."""
COLOURS = "YlGnBu"
WINNER = "#D55E00"


def heatmap(outcomes: Outcomes, order: Numbers, about: str) -> Figure:
    """Mean regret of each start-up by rate and round trip, a block for each queue.

    The best of every column has a frame.
    """
    blocks = DIMENSIONS["queue"](outcomes.cells)
    rates, trips = (DIMENSIONS[name](outcomes.cells) for name in ("rate", "rtt"))
    columns = len(rates.kinds) * len(trips.kinds)
    shape = (len(blocks.kinds) * columns * CELL_WIDTH, len(order) * CELL_HEIGHT)
    means = [_means(outcomes, places, rates, trips)[order] for _, places in blocks]
    darkest = max(1.05, min(DARKEST, float(np.nanmax(np.hstack(means)))))
    with mpl.rc_context(STYLE):
        chart = Chart(figsize=(max(5.0, NAMES + shape[0] + 0.9), max(2.2, shape[1] + 1.3)))
        panels = chart.subplots(1, len(means), sharey=True, squeeze=False)[0]
        for axes, (queue, _), block in zip(panels, blocks, means, strict=True):
            image = _block(axes, block, darkest)
            _columns(axes, rates, trips)
            axes.set_title(queue, fontsize=SMALL + 2, fontweight="bold", pad=34)
        names = [custom.short(outcomes.startups[place]) for place in order]
        panels[0].set_yticks(range(len(names)), names, fontsize=SMALL)
        bar = chart.colorbar(image, ax=list(panels), fraction=0.025, pad=0.01, extend="max")
        bar.set_label("mean regret", fontsize=SMALL)
        ticks = [tick for tick in (1, 1.25, 1.5, 2, 3, 4) if tick <= darkest]
        bar.set_ticks(ticks, labels=[f"{tick:g}" for tick in ticks], minor=False)
        bar.ax.minorticks_off()
        titled(
            chart,
            f"{about}. Mean of the time over the best start-up's; framed: the best of its column.",
        )
    return chart


def _means(outcomes: Outcomes, own: Flags, rates: Dimension, trips: Dimension) -> Floats:
    """Geometric means of regret, start-ups × columns; NaN where there are no cells."""
    found = np.full((len(outcomes.startups), len(rates.kinds) * len(trips.kinds)), np.nan)
    for place in range(found.shape[1]):
        rate, trip = divmod(place, len(trips.kinds))
        cells = own & (rates.places == rate) & (trips.places == trip)
        if cells.any():
            found[:, place] = geometric_means(outcomes.regret[cells], outcomes.weights[cells])
    return found


def _block(axes: "Axes", means: Floats, darkest: float) -> "mpl.image.AxesImage":
    norm = LogNorm(1, darkest)
    image = axes.imshow(means, norm=norm, cmap=COLOURS, aspect="auto")
    for row, column in np.ndindex(means.shape):
        value = float(means[row, column])
        if np.isnan(value):
            continue
        dark = float(norm(min(value, darkest))) > 0.5
        best = value == np.nanmin(means[:, column])
        axes.text(
            column,
            row,
            f"{value:.2f}" if value < 9.995 else text.count(round(value)),
            ha="center",
            va="center",
            fontsize=6.5,
            fontweight="bold" if best else "normal",
            color="white" if dark else "black",
        )
        if best:
            frame = Rectangle((column - 0.5, row - 0.5), 1, 1, fill=False, clip_on=False)
            frame.set(edgecolor=WINNER, linewidth=2, zorder=3)
            axes.add_patch(frame)
    axes.grid(visible=False)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    return image


def _columns(axes: "Axes", rates: Dimension, trips: Dimension) -> None:
    """Round trips above the columns, and rates above groups of them."""
    words = [_brief(kind).replace(" ms", "\nms") for _ in rates.kinds for kind in trips.kinds]
    axes.xaxis.tick_top()
    axes.set_xticks(range(len(words)), words, fontsize=6.5)
    for place, kind in enumerate(rates.kinds):
        begin = place * len(trips.kinds) - 0.5
        middle = begin + len(trips.kinds) / 2
        axes.annotate(
            _brief(kind),
            (middle, 1),
            xycoords=("data", "axes fraction"),
            xytext=(0, 24),
            textcoords="offset points",
            ha="center",
            fontsize=SMALL,
        )
        if place:
            axes.axvline(begin, color="white", linewidth=3)


def _brief(kind: str) -> str:
    """A class in the room of a column: `below 30 ms` as `< 30 ms`."""
    return kind.replace("below ", "<").replace("above ", ">").replace(" to ", "–")
