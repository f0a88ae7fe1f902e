"""The band of a figure over time that shows what limits each flow."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from flowstart import _native
from flowstart.model import custom
from flowstart.render.charts import SMALL
from flowstart.simulation.series import Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

LOOKS: dict[str, dict[str, Any]] = {
    "handshake": {"facecolor": "#BBBBBB", "hatch": "...."},
    "application": {"facecolor": "#F0E442", "hatch": "++"},
    "send-buffer": {"facecolor": "#CC79A7", "hatch": "xx"},
    "stream-flow-control": {"facecolor": "#D55E00", "hatch": "////"},
    "connection-flow-control": {"facecolor": "#D55E00", "hatch": "----"},
    "receive-window": {"facecolor": "#D55E00", "hatch": "\\\\\\\\"},
    "cwnd": {"facecolor": "#0072B2", "hatch": ""},
    "pacing": {"facecolor": "#56B4E9", "hatch": "||"},
    "link": {"facecolor": "#FFFFFF", "hatch": ""},
}
"""Colours of reasons, and hatches as the second cue."""


def draw(axes: "Axes", series: Sequence[Series], columns: int) -> None:
    """A bar per series, the first on top, and the legend of the reasons that occur."""
    shown: dict[str, Any] = {}
    for index, line in enumerate(series):
        for begin_s, end_s, limit in spans(line, columns):
            shown[limit] = axes.broken_barh(
                [(begin_s, end_s - begin_s)],
                (index - 0.4, 0.8),
                edgecolor="#333333",
                linewidth=0.3,
                **LOOKS[limit],
            )
    axes.set_ylim(len(series) - 0.5, -0.5)
    axes.set_yticks(range(len(series)), [custom.short(line.label) for line in series])
    axes.tick_params(axis="y", labelsize=SMALL, length=0)
    axes.grid(visible=False)
    axes.set_title("limited by", loc="left", fontsize=SMALL)
    in_order = [limit for limit in _native.LIMITS if limit in shown]
    axes.legend(
        [shown[limit] for limit in in_order],
        [limit.replace("-", " ") for limit in in_order],
        loc="lower right",
        bbox_to_anchor=(1, 1),
        borderaxespad=0.1,
        ncols=len(in_order),
        fontsize=SMALL,
        columnspacing=1,
        handlelength=2,
    )


def spans(line: Series, columns: int) -> list[tuple[float, float, str]]:
    """Beginning, end and reason of each span: of a column of pixels what holds longest in it."""
    if not len(line.limit_time_s):
        return []
    edges = np.linspace(line.limit_time_s[0], line.end_s, columns + 1)
    longest = np.argmax(_times(line, edges), axis=0)
    begins = np.flatnonzero(np.diff(longest, prepend=-1))
    return [
        (float(edges[begin]), float(edges[end]), _native.LIMITS[longest[begin]])
        for begin, end in pairwise([*begins, columns])
    ]


def _times(line: Series, edges: "NDArray[Any]") -> "NDArray[Any]":
    """For how long each reason holds in each column: reasons × columns."""
    turns = np.append(line.limit_time_s, max(line.end_s, line.limit_time_s[-1]))
    lasted = np.diff(turns)
    rows = []
    for number in range(len(_native.LIMITS)):
        total = np.append(0, np.cumsum(np.where(line.limit == number, lasted, 0.0)))
        rows.append(np.diff(np.interp(edges, turns, total)))
    return np.array(rows)
