"""The picture of all startups on all kinds of path: mean regret, a block for each queue."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from flowstart.maps.kinds import DIMENSIONS
from flowstart.maps.outcomes import Floats, Numbers, Outcomes
from flowstart.maps.weighing import geometric_means
from flowstart.model import custom
from flowstart.model.catalog import listed
from flowstart.render import text
from flowstart.render.charts import LINE, SMALL, STYLE, Chart, chosen, lines, titled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CELL_WIDTH, CELL_HEIGHT = 0.34, 0.18
"""Of one number, in inches."""
NAMES = 1.7
"""The room for the startups' names."""
GAP = 0.22
"""Between blocks."""
BAR = 0.8
"""The room for the bar of colours."""
HEAD = 0.7
"""That above the blocks, for what their columns are."""
NARROWEST = 6.5
"""The width of a figure at least, so that its words have room."""
NUMBERS = 6.8
"""The size of numbers, in points."""
HELPED = "*"
"""Behind the names of startups that need help."""
DARKEST = 4.0
"""Regrets above this share the darkest colour, unless all are below."""
COLOURS = "YlGnBu"
WINNER = "#D55E00"


def heatmap(outcomes: Outcomes, order: Numbers, about: str) -> Figure:
    """Mean regret of each startup by rate and round trip, a block for each queue.

    The best of every column has a frame.
    """
    blocks = _blocks(outcomes, order)
    darkest = _darkest(blocks)
    names = [_named(outcomes.startups[place]) for place in order]
    words = f"{about}. Mean of the time over the best startup's; framed: the best of its column."
    if any(name.endswith(HELPED) for name in names):
        words += f" {HELPED} needs routers, a peer or a memory of the path."
    with mpl.rc_context(STYLE):
        chart, panels, beside = _laid_out(blocks, len(names), words)
        for axes, block in zip(panels, blocks, strict=True):
            image = _numbers(axes, block.means, darkest)
            _columns(axes, block, is_first=axes is panels[0])
        panels[0].set_yticks(range(len(names)), names, fontsize=SMALL)
        bar = chart.colorbar(image, cax=beside, extend="max")
        bar.set_label("mean regret", fontsize=SMALL)
        ticks = [tick for tick in (1, 1.25, 1.5, 2, 3, 4) if tick <= darkest]
        bar.set_ticks(ticks, labels=[f"{tick:g}" for tick in ticks], minor=False, fontsize=SMALL)
        beside.minorticks_off()
        titled(chart, words)
    return chart


def draw_queue(axes: "Axes", outcomes: Outcomes, order: Numbers, queue: str | None) -> None:
    """Mean regret behind one queue, the first unless it is named."""
    blocks = {block.queue: block for block in _blocks(outcomes, order)}
    block = chosen("queue", queue, blocks)
    with mpl.rc_context(STYLE):
        _numbers(axes, block.means, _darkest([*blocks.values()]))
        _columns(axes, block, is_first=True)
        names = [_named(outcomes.startups[place]) for place in order]
        axes.set_yticks(range(len(names)), names, fontsize=SMALL)


def _darkest(blocks: Sequence["Block"]) -> float:
    """The mean regret from which on colours are the darkest."""
    return max(1.05, min(DARKEST, max(float(block.means.max()) for block in blocks)))


@dataclass(frozen=True)
class Block:
    """The numbers behind one queue."""

    queue: str
    columns: list[tuple[str, str]]
    """The class of rates and that of round trips of each; those without cells are left out."""
    means: Floats
    """Geometric means of regret, startups × columns."""


def _blocks(outcomes: Outcomes, order: Numbers) -> list[Block]:
    queues, rates, trips = (DIMENSIONS[name](outcomes.cells) for name in ("queue", "rate", "rtt"))
    found = []
    for queue, own in queues:
        columns, means = [], []
        for (rate, of_rate), (trip, of_trip) in itertools.product(rates, trips):
            cells = own & of_rate & of_trip
            if cells.any():
                columns.append((rate, trip))
                regret = outcomes.regret[cells][:, order]
                means.append(geometric_means(regret, outcomes.weights[cells]))
        found.append(Block(queue, columns, np.column_stack(means)))
    return found


def _named(startup: str) -> str:
    """A startup's name, marked where it needs help."""
    entry = listed(startup)
    return custom.short(startup) + (HELPED if entry and entry.needs_help else "")


def _laid_out(blocks: Sequence[Block], rows: int, words: str) -> "tuple[Chart, list[Axes], Axes]":
    """The figure, with a panel for each block and one for the bar of colours, all by size."""
    widths = [CELL_WIDTH * len(block.columns) for block in blocks]
    width = max(NARROWEST, NAMES + sum(widths) + GAP * (len(blocks) - 1) + BAR)
    tall = CELL_HEIGHT * rows
    height = tall + HEAD + 1.3 * LINE * len(lines(words, width))
    chart = Chart(figsize=(width, height), layout=None)
    panels, left = [], NAMES
    for one in widths:
        place = (left / width, 0.06 / height, one / width, tall / height)
        panels.append(chart.add_axes(place))
        panels[-1].set_yticks([])
        left += one + GAP
    bar = ((left - GAP + 0.12) / width, 0.06 / height, 0.1 / width, tall / height)
    return chart, panels, chart.add_axes(bar)


def _numbers(axes: "Axes", means: Floats, darkest: float) -> "mpl.image.AxesImage":
    norm = LogNorm(1, darkest)
    image = axes.imshow(means, norm=norm, cmap=COLOURS, aspect="auto")
    for row, column in np.ndindex(means.shape):
        value = float(means[row, column])
        dark = float(norm(min(value, darkest))) > 0.5
        best = value == means[:, column].min()
        axes.text(
            column,
            row,
            f"{value:.2f}" if value < 9.995 else text.count(round(value)),
            ha="center",
            va="center",
            fontsize=NUMBERS,
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


def _columns(axes: "Axes", block: Block, *, is_first: bool) -> None:
    """Round trips above the columns, rates above groups of them, and the queue above all.

    The `is_first` of the blocks says which is which.
    """
    trips = [_brief(trip).removesuffix(" ms") for _, trip in block.columns]
    axes.xaxis.tick_top()
    axes.set_xticks(range(len(trips)), trips, fontsize=NUMBERS - 0.8)
    axes.tick_params(axis="x", pad=1)
    rates = [rate for rate, _ in block.columns]
    for rate in dict.fromkeys(rates):
        begin, count = rates.index(rate), rates.count(rate)
        _above(
            axes,
            begin + (count - 1) / 2,
            12,
            _brief(rate).removesuffix(" Mbps"),
            fontsize=SMALL - 0.5,
        )
        if begin:
            axes.axvline(begin - 0.5, color="white", linewidth=3)
    _above(axes, (len(rates) - 1) / 2, 25, block.queue, fontsize=SMALL + 1, fontweight="bold")
    if is_first:
        _above(axes, -0.8, 2, "round trip (ms)", fontsize=NUMBERS, ha="right")
        _above(axes, -0.8, 12, "rate (Mbps)", fontsize=NUMBERS, ha="right")


def _above(axes: "Axes", column: float, points: float, words: str, **looks: Any) -> None:
    """Words over a column, so many points above the numbers."""
    axes.annotate(
        words,
        (column, 1),
        xycoords=("data", "axes fraction"),
        xytext=(0, points),
        textcoords="offset points",
        **{"ha": "center", "va": "bottom"} | looks,
    )


def _brief(kind: str) -> str:
    """A class in the room of a column: `below 30 ms` as `< 30 ms`."""
    return kind.replace("below ", "<").replace("above ", ">").replace(" to ", "–")
