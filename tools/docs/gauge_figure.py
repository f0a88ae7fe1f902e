"""The picture of gauge's frontier: what each constant trades, time against each cost."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import matplotlib as mpl
from matplotlib.figure import Figure

from asking import GAUGE
from flowstart.render.charts import COLOURS, MARKERS, SMALL, STYLE, Chart, titled
from measures import ALL
from results import Row, find
from shown import COSTS, named

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT = 4.6, 3.2
"""Of a panel, in inches."""
WORDS = (
    "Gauge with another value of one constant, on tuning paths: its mean regret as a multiple of "
    "gauge's, against what it costs more. Bars: 95 % intervals. Less is better in both."
)


def frontier(rows: Sequence[Row], constants: Sequence[str]) -> Figure:
    """A panel for each cost, a line for each constant through gauge as it is."""
    with mpl.rc_context(STYLE):
        chart = Chart(figsize=(2 * WIDTH, 2 * HEIGHT + 0.6))
        panels = chart.subplots(2, 2).ravel()
        for axes, (measure, kind) in zip(panels, COSTS, strict=True):
            for place, constant in enumerate(constants):
                _line(axes, rows, constant, place, f"{measure} difference", kind)
            axes.plot(1, 0, "*", color="black", markersize=9, zorder=4)
            axes.set_xlabel("mean regret ÷ gauge's")
            axes.set_ylabel(f"{named(measure, kind)}: points more")
        panels[0].legend(fontsize=SMALL)
        titled(chart, WORDS)
    return chart


def _line(
    axes: "Axes", rows: Sequence[Row], constant: str, place: int, measure: str, kind: str
) -> None:
    """One constant: gauge and its variants, the fastest first."""
    points = [(1.0, 0.0)]
    colour = COLOURS[place + 1]
    for row in rows:
        is_ratio = (row.measure, row.kind) == ("regret ratio", ALL)
        if not is_ratio or not row.startup.startswith(f"{GAUGE}:{constant}="):
            continue
        cost = find(rows, startup=row.startup, measure=measure, kind=kind)
        if row.value is None or cost is None or cost.value is None:
            continue
        points.append((row.value, 100 * cost.value))
        _bars(axes, points[-1], row, cost, colour)
        text = row.startup.partition("=")[2]
        axes.annotate(text, points[-1], (3, 3), textcoords="offset points", fontsize=6)
    points.sort()
    axes.plot(
        *zip(*points, strict=True),
        marker=MARKERS[place],
        markersize=4,
        color=colour,
        linewidth=1,
        label=constant,
    )


def _bars(axes: "Axes", point: tuple[float, float], ratio: Row, cost: Row, colour: str) -> None:
    """The intervals of both, where they are stated."""
    x, y = point
    if ratio.low is not None and ratio.high is not None:
        axes.plot([ratio.low, ratio.high], [y, y], color=colour, linewidth=0.5)
    if cost.low is not None and cost.high is not None:
        axes.plot([x, x], [100 * cost.low, 100 * cost.high], color=colour, linewidth=0.5)
