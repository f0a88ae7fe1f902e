"""Completion against what it costs others: startups as points, and the front of each panel."""

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

from flowstart.maps import pareto
from flowstart.maps.outcomes import Floats
from flowstart.maps.pareto import Front
from flowstart.model import custom
from flowstart.render.charts import STYLE, Chart, titled
from flowstart.render.labels import Box, Point, placed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT = 5.2, 4.6
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
        chart = Chart(figsize=(WIDTH * columns, HEIGHT * rows + 0.5))
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


def _step(one: tuple[float, float], other: tuple[float, float]) -> list[Box]:
    """Where the front's line goes from one point to the next."""
    (left, high), (right, low) = one, other
    return [(left, high, right, high), (right, low, right, high)]


def _panel(axes: "Axes", regret: Floats, cost: Floats) -> None:
    on = pareto.front([regret, cost])
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
        points = axes.plot(regret[mask], cost[mask], "o", color=colour, markersize=size)
        points[0].set_clip_on(False)


def _names(axes: "Axes", front: Front, cost: Floats, startups: Sequence[str]) -> None:
    """The names at the points; points on the same place have one label."""
    on = pareto.front([front.regret, cost])
    together: dict[tuple[float, float], list[int]] = {}
    for place in range(len(startups)):
        key = (round(float(front.regret[place]), 4), round(float(cost[place]), 4))
        together.setdefault(key, []).append(place)
    points = []
    for places in together.values():
        at = axes.transData.transform((front.regret[places[0]], cost[places[0]]))
        name = ", ".join(custom.short(startups[place]) for place in places)
        points.append(Point(float(at[0]), float(at[1]), name, is_first=bool(on[places[0]])))
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
