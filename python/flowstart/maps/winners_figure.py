"""The map itself: a plane of tiles in the colours of those who are best there.

Where several startups are within the margin of the best, which of them is ahead by a hair says
little, and colours by it would be confetti. Such a tile has the colour of the one that is within
the margin in most tiles, and is smaller.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from flowstart.maps.outcomes import Outcomes
from flowstart.maps.plane import Axis, Plane, Tile
from flowstart.model import custom
from flowstart.render.charts import LINE, SMALL, STYLE, Chart, lines, titled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
            places = zip(kinds, (column, row), strict=True)
            named = [d.kinds[place] for d, place in places if len(d.kinds) > 1]
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
