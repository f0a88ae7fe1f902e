"""The figures of a map: regret by kind and over cells, winners, and the Pareto front."""

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

from flowstart import text
from flowstart.maps import measures
from flowstart.maps.measures import Front
from flowstart.maps.outcomes import (
    DIMENSIONS,
    Floats,
    Numbers,
    Outcomes,
    geometric_means,
    quantiles,
    sizes,
)
from flowstart.maps.plane import Axis, Plane, Tile
from flowstart.model import custom
from flowstart.model.catalog import needs_help
from flowstart.render.charts import (
    LINE,
    SMALL,
    STYLE,
    Box,
    Chart,
    NamedPoint,
    chosen,
    lines,
    marks,
    placed,
    titled,
)

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
HEATMAP_COLOURS = "YlGnBu"
WINNER = "#D55E00"


def heatmap(outcomes: Outcomes, order: Numbers, about: str) -> Figure:
    """Mean regret of each startup by rate and round trip, a block for each queue.

    The best of every column has a frame.
    """
    blocks = _blocks(outcomes, order)
    darkest = _darkest(blocks)
    names = [_named(outcomes.startups[index]) for index in order]
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
        names = [_named(outcomes.startups[index]) for index in order]
        axes.set_yticks(range(len(names)), names, fontsize=SMALL)


def _darkest(blocks: Sequence["QueueBlock"]) -> float:
    """The mean regret from which on colours are the darkest."""
    return max(1.05, min(DARKEST, max(float(block.means.max()) for block in blocks)))


@dataclass(frozen=True)
class QueueBlock:
    """The numbers behind one queue."""

    queue: str
    columns: list[tuple[str, str]]
    """The class of rates and that of round trips of each; those without cells are left out."""
    means: Floats
    """Geometric means of regret, startups × columns."""


def _blocks(outcomes: Outcomes, order: Numbers) -> list[QueueBlock]:
    queues, rates, trips = (DIMENSIONS[name](outcomes.cells) for name in ("queue", "rate", "rtt"))
    blocks = []
    for queue, own in queues:
        columns, means = [], []
        for (rate, of_rate), (trip, of_trip) in itertools.product(rates, trips):
            cells = own & of_rate & of_trip
            if cells.any():
                columns.append((rate, trip))
                regret = outcomes.regret[cells][:, order]
                means.append(geometric_means(regret, outcomes.weights[cells]))
        blocks.append(QueueBlock(queue, columns, np.column_stack(means)))
    return blocks


def _named(startup: str) -> str:
    """A startup's name, marked where it needs help."""
    return custom.short(startup) + HELPED * needs_help(startup)


def _laid_out(
    blocks: Sequence[QueueBlock], rows: int, words: str
) -> "tuple[Chart, list[Axes], Axes]":
    """The figure, with a panel for each block and one for the bar of colours, all by size."""
    widths = [CELL_WIDTH * len(block.columns) for block in blocks]
    width = max(NARROWEST, NAMES + sum(widths) + GAP * (len(blocks) - 1) + BAR)
    tall = CELL_HEIGHT * rows
    height = tall + HEAD + 1.3 * LINE * len(lines(words, width))
    chart = Chart(figsize=(width, height), layout=None)
    panels, left = [], NAMES
    for panel_width in widths:
        box = (left / width, 0.06 / height, panel_width / width, tall / height)
        panels.append(chart.add_axes(box))
        panels[-1].set_yticks([])
        left += panel_width + GAP
    bar = ((left - GAP + 0.12) / width, 0.06 / height, 0.1 / width, tall / height)
    return chart, panels, chart.add_axes(bar)


def _numbers(axes: "Axes", means: Floats, darkest: float) -> "mpl.image.AxesImage":
    norm = LogNorm(1, darkest)
    image = axes.imshow(means, norm=norm, cmap=HEATMAP_COLOURS, aspect="auto")
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


def _columns(axes: "Axes", block: QueueBlock, *, is_first: bool) -> None:
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


PANEL_WIDTH, PANEL_HEIGHT = 5.2, 4.6
"""Of a panel, in inches."""
TICKS = (1, 1.1, 1.2, 1.5, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 100, 200, 500, 1000)
"""Of regrets, where at least `FEWEST` of them are to be seen."""
FEWEST = 3
ON, OFF = "#0072B2", "0.55"
LEADER: dict[str, Any] = {"arrowstyle": "-", "linewidth": 0.4, "color": "0.6"}
"""A line from a name to its point."""


def costs(front: Front, startups: Sequence[str], about: str) -> Figure:
    """Mean regret against retransmissions and harm to each kind of competing flows, by panel."""
    panels = [("retransmitted share of packets", front.retransmitted)]
    panels += [(f"harm to competing flows ({kind})", harm) for kind, harm in front.harm.items()]
    columns = min(2, len(panels))
    rows = -(-len(panels) // columns)
    with mpl.rc_context(STYLE):
        chart = Chart(figsize=(PANEL_WIDTH * columns, PANEL_HEIGHT * rows + 0.5))
        grid = chart.subplots(rows, columns, squeeze=False).ravel()
        for axes, (label, cost) in zip(grid, panels, strict=False):
            _panel(axes, front.regret, cost)
            axes.set_ylabel(label)
            axes.set_xlabel("mean regret")
        for axes in grid[len(panels) :]:
            axes.set_visible(False)
        titled(
            chart,
            f"{about}. The line: no other startup is better in both; less is better.",
        )
        chart.draw_without_rendering()  # settles where the axes are
        chart.set_layout_engine("none")
        for axes, (_, cost) in zip(grid, panels, strict=False):
            _names(axes, front, cost, startups)
    return chart


def _scale_cost(axes: "Axes", cost: Floats) -> None:
    """Shares, logarithmic where they are of very different size."""
    least, most = float(np.nanmin(cost)), max(float(np.nanmax(cost)), 0.01)
    if 0 < 8 * least < most:
        axes.set_yscale("log")
        axes.set_ylim(least / 1.25, 1.25 * most)
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_minor_locator(NullLocator())
    else:
        room = 0.08 * (most - least) + 0.001
        axes.set_ylim(max(0.0, least - room), most + room)
    axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:g} %")


def _step(start: tuple[float, float], end: tuple[float, float]) -> list[Box]:
    """Where the front's line goes from one point to the next."""
    (left, high), (right, low) = start, end
    return [(left, high, right, high), (right, low, right, high)]


def _panel(axes: "Axes", regret: Floats, cost: Floats) -> None:
    on = measures.front([regret, cost])
    axes.set_xscale("log")
    axes.set_xlim(0.98 * regret.min(), 1.12 * regret.max())
    _scale_cost(axes, cost)
    low, high = axes.get_xlim()
    ticks: Sequence[float] = [tick for tick in TICKS if low <= tick <= high]
    if len(ticks) < FEWEST:
        ticks = [tick for tick in MaxNLocator(5).tick_values(low, high) if low <= tick <= high]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_xticks([], minor=True)
    order = np.argsort(regret[on], kind="stable")
    axes.step(regret[on][order], cost[on][order], where="post", color=ON, linewidth=1)
    for mask, colour, size in ((~on, OFF, 4), (on, ON, 6)):
        marks(axes, regret[mask], cost[mask], marker="o", color=colour, markersize=size)


def _names(axes: "Axes", front: Front, cost: Floats, startups: Sequence[str]) -> None:
    """The names at the points; points on the same place have one label."""
    on = measures.front([front.regret, cost])
    together: dict[tuple[float, float], list[int]] = {}
    for index in range(len(startups)):
        key = (round(float(front.regret[index]), 4), round(float(cost[index]), 4))
        together.setdefault(key, []).append(index)
    points = []
    for indices in together.values():
        at = axes.transData.transform((front.regret[indices[0]], cost[indices[0]]))
        name = ", ".join(custom.short(startups[index]) for index in indices)
        points.append(NamedPoint(float(at[0]), float(at[1]), name, is_first=bool(on[indices[0]])))
    scale = axes.figure.dpi / 72
    box = axes.get_window_extent()
    corners = [(p.x, p.y) for p in sorted(points, key=lambda p: p.x) if p.is_first]
    avoided = [rule for pair in itertools.pairwise(corners) for rule in _step(*pair)]
    within = (box.x0, box.y0, box.x1, box.y1)
    for label in placed(points, 6.5 * scale, within, avoided):
        point = label.point
        x, y = axes.transData.inverted().transform((point.x, point.y))
        axes.annotate(
            point.name,
            (x, y),
            xytext=((label.x - point.x) / scale, (label.y - point.y) / scale),
            textcoords="offset points",
            fontsize=6.5,
            va="center",
            color=ON if point.is_first else "0.3",
            fontweight="bold" if point.is_first else "normal",
            arrowprops=LEADER | {"relpos": (label.side, 0.5)} if label.far else None,
        )


ROW = 0.2
"""The height of a startup's row, in inches."""
WIDTH, MOST_WIDTH = 2.6, 12.0
"""Of a panel, and of all panels."""
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
FILL, MIDDLE = "#9CCBE8", "#D55E00"


def regret(outcomes: Outcomes, order: Numbers, about: str) -> Figure:
    """Boxes from the lower to the upper quartile, whiskers from p5 to p95, dots at the worst."""
    panels = list(sizes(outcomes.cells))
    if len(panels) > 1:
        panels.insert(0, ("all sizes", np.ones(len(outcomes.cells), dtype=np.bool_)))
    names = [custom.short(outcomes.startups[index]) for index in order]
    limit = outcomes.penalty if np.isinf(outcomes.times).any() else float(outcomes.regret.max())
    with mpl.rc_context(STYLE):
        chart = Chart(figsize=(1.8 + min(WIDTH * len(panels), MOST_WIDTH), 1.3 + ROW * len(names)))
        grid = chart.subplots(1, len(panels), sharey=True, sharex=True, squeeze=False)[0]
        for axes, (kind, cells) in zip(grid, panels, strict=True):
            _boxes(axes, outcomes.regret[cells][:, order], outcomes.weights[cells])
            _never(axes, np.isinf(outcomes.times[cells][:, order]), limit)
            axes.set_title(kind, fontsize=SMALL + 1)
            axes.set_xscale("log")
            axes.set_xlim(0.97, limit * 1.15)
            subs = (1,) if limit > 300 else (1, 2, 5) if limit > 3 else (1, 1.2, 1.5, 2, 3)
            axes.xaxis.set_major_locator(LogLocator(subs=subs))
            axes.xaxis.set_minor_locator(NullLocator())
            axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        grid[0].set_yticks(range(len(names)), names, fontsize=SMALL)
        grid[0].set_ylim(len(names) - 0.4, -0.6)
        chart.supxlabel("regret: completion time over the best startup's", fontsize=SMALL + 1)
        titled(
            chart,
            f"{about}. Boxes: the middle half of the cells, and their median; whiskers: 5 to 95 %; "
            "dots: the worst; crosses: never completed in some cell.",
        )
    return chart


def _boxes(axes: "Axes", values: Floats, weights: Floats) -> None:
    low, first, middle, third, high = quantiles(values, weights, QUANTILES)
    boxes: list[dict[str, Any]] = [
        {
            "whislo": low[i],
            "q1": first[i],
            "med": middle[i],
            "q3": third[i],
            "whishi": high[i],
        }
        for i in range(values.shape[1])
    ]
    axes.bxp(
        boxes,
        positions=range(len(boxes)),
        orientation="horizontal",
        widths=0.62,
        showfliers=False,
        patch_artist=True,
        manage_ticks=False,
        boxprops={"facecolor": FILL, "linewidth": 0.6},
        medianprops={"color": MIDDLE, "linewidth": 1.8},
        whiskerprops={"linewidth": 0.8},
        capprops={"linewidth": 0.8},
    )
    worst = values.max(axis=0)
    axes.plot(worst, range(len(worst)), linestyle="", marker=".", markersize=4, color="0.25")


def _never(axes: "Axes", undone: "np.typing.NDArray[np.bool_]", limit: float) -> None:
    """Crosses where a startup did not complete in some cell."""
    places = np.flatnonzero(undone.any(axis=0))
    marks(axes, np.full(len(places), limit), places, marker="x", color=MIDDLE)


COLOURS = (
    *("#56B4E9", "#E69F00", "#009E73", "#F0E442", "#CC79A7", "#0072B2", "#D55E00"),
    *("#BBBBBB", "#A6D5F2", "#F5D08A", "#8FD4BD", "#E9C5DA", "#7FB8DA", "#EDB48A", "#E3E3E3"),
)
"""Okabe and Ito's, then their tints; whose colour is like another's has its own number."""
SIDE = 3.1
"""Of a panel, in inches."""
TIE_SIDE = 0.7
"""Of a tile's square where several tie, in tiles."""


def winners(outcomes: Outcomes, plane: Plane, margin: float, about: str) -> Figure:
    """Who is best in every tile of the plane; smaller squares where several are."""
    panels = {at: plane.tiles(outcomes, margin, *at) for at in plane.panels()}
    ranks = _ranks(panels)
    rows, columns = len(plane.down.kinds), len(plane.across.kinds)
    with mpl.rc_context(STYLE):
        width = max(7.5, columns * SIDE + 2.9)
        chart = Chart(figsize=(width, rows * (SIDE * 0.8 + 0.35) + 1.3))
        grid = chart.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        for (column, row), tiles in panels.items():
            axes = grid[row][column]
            for tile in tiles:
                _draw(axes, tile, ranks)
            _scale(axes, plane.x, plane.y, outer=(column == 0, row == rows - 1))
            kinds = (dimension for dimension in (plane.across, plane.down))
            positions = zip(kinds, (column, row), strict=True)
            named = [d.kinds[index] for d, index in positions if len(d.kinds) > 1]
            axes.set_title(", ".join(named), fontsize=SMALL + 1)
        shares = _shares(panels)
        _key(chart, outcomes, ranks, shares)
        titled(chart, f"{about}. {_explained(margin)}")
        _others(chart, outcomes, ranks, shares)
    return chart


def _explained(margin: float) -> str:
    return (
        "Colour and number: the startup with the lowest mean regret; where several are within "
        f"{100 * margin:g} % of it, the one of them that is so in most tiles, in a smaller square."
    )


def _ranks(panels: Mapping[tuple[int, int], Sequence[Tile]]) -> dict[int, int]:
    """The startups that are shown in some tile, those within the margin in most tiles first."""
    every = [tile for tiles in panels.values() for tile in tiles]
    counts = Counter(startup for tile in every for startup in tile.within)
    ordered = sorted(counts, key=lambda startup: (-counts[startup], startup))
    shown = {min(tile.within, key=ordered.index) for tile in every}
    return {s: rank for rank, s in enumerate(s for s in ordered if s in shown)}


def _draw(axes: "Axes", tile: Tile, ranks: Mapping[int, int]) -> None:
    rank = min(ranks[startup] for startup in tile.within if startup in ranks)
    side = TIE_SIDE if len(tile.within) > 1 else 1.0
    corner = (tile.x + (1 - side) / 2, tile.y + (1 - side) / 2)
    colour = COLOURS[rank % len(COLOURS)]
    axes.add_patch(
        Rectangle(corner, side, side, facecolor=colour, edgecolor="white", linewidth=0.5)
    )
    axes.text(
        tile.x + 0.5,
        tile.y + 0.48,
        str(rank + 1),
        ha="center",
        va="center",
        fontsize=5.5,
        color="white" if _is_dark(colour) else "black",
    )


def _is_dark(colour: str) -> bool:
    red, green, blue = mpl.colors.to_rgb(colour)
    return 0.3 * red + 0.59 * green + 0.11 * blue < 0.45


def _scale(axes: "Axes", x: Axis, y: Axis, *, outer: tuple[bool, bool]) -> None:
    at_left, at_bottom = outer
    axes.set(xlim=(0, x.count), ylim=(0, y.count))
    axes.set_xticks([at for at, _ in x.ticks], [words for _, words in x.ticks], fontsize=SMALL - 1)
    axes.set_yticks([at for at, _ in y.ticks], [words for _, words in y.ticks], fontsize=SMALL - 1)
    axes.grid(visible=False)
    if at_bottom:
        axes.set_xlabel(x.title)
        if sum(len(words) for _, words in x.ticks) > 45:
            axes.tick_params(axis="x", rotation=90)
    if at_left:
        axes.set_ylabel(y.title)


def _key(
    chart: Figure, outcomes: Outcomes, ranks: Mapping[int, int], shares: Mapping[int, float]
) -> None:
    """The colours, with numbers and names, and in which share of tiles each is among the best."""
    handles = [
        Patch(
            facecolor=COLOURS[rank % len(COLOURS)],
            label=f"{rank + 1}  {_with_share(outcomes, shares, startup)}",
        )
        for startup, rank in ranks.items()
    ]
    chart.legend(
        handles=handles,
        loc="outside right center",
        fontsize=SMALL,
        title="startup, and the share of tiles\nin which it is among the best",
        title_fontsize=SMALL,
        alignment="left",
    )


def _others(
    chart: Figure, outcomes: Outcomes, ranks: Mapping[int, int], shares: Mapping[int, float]
) -> None:
    """Who has no tile's colour, below."""
    others = [startup for startup in range(len(outcomes.startups)) if startup not in ranks]
    near = sorted((s for s in others if s in shares), key=lambda s: (-shares[s], s))
    never = [custom.short(outcomes.startups[s]) for s in others if s not in shares]
    beside = [_with_share(outcomes, shares, startup) for startup in near]
    words = f"Among the best only with those above: {', '.join(beside)}. " if beside else ""
    words += f"Among the best in no tile: {', '.join(never)}." if never else ""
    width = chart.get_figwidth()
    chart.supxlabel("\n".join(lines(words, width)), x=LINE / width, ha="left", fontsize=SMALL)


def _with_share(outcomes: Outcomes, shares: Mapping[int, float], startup: int) -> str:
    return f"{custom.short(outcomes.startups[startup])} ({100 * shares[startup]:.0f} %)"


def _shares(panels: Mapping[tuple[int, int], Sequence[Tile]]) -> dict[int, float]:
    """The share of tiles in which each startup is within the margin, of those that ever are."""
    every = [tile for tiles in panels.values() for tile in tiles]
    counts = Counter(startup for tile in every for startup in tile.within)
    return {startup: count / len(every) for startup, count in counts.items()}
