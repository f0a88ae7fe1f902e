"""How the regret of each startup is spread over cells, all startups in one picture."""

from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from flowstart.maps.kinds import sizes
from flowstart.maps.outcomes import Floats, Numbers, Outcomes
from flowstart.maps.weighing import quantiles
from flowstart.model import custom
from flowstart.render.charts import SMALL, STYLE, Chart, titled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
    names = [custom.short(outcomes.startups[place]) for place in order]
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
    if not len(places):
        return  # markers without a place would count as at the figure's corner
    axes.plot(
        np.full(len(places), limit), places, linestyle="", marker="x", color=MIDDLE, clip_on=False
    )
