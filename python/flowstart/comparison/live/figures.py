"""Figures of live runs: the window over time, simulated and live."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from flowstart.render import thinning
from flowstart.render.charts import COLOURS, STYLE, broken, key_of_panels, linear, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

COLUMNS = 400
"""Pixels that a panel is wide, at most; longer lines are thinned to them."""
TIME, WINDOW = "time (s)", "window (packets); dotted: 1 BDP"
MOST_BDP = 6
"""A window far beyond the path would hide what the others do."""


@dataclass(frozen=True)
class Line:
    """A window over time."""

    time_s: "NDArray[Any]"
    cwnd: "NDArray[Any]"
    """In segments."""

    def drawn(self) -> "tuple[NDArray[Any], NDArray[Any]]":
        """What a panel needs of it."""
        kept = thinning.thin(thinning.columns(self.time_s, COLUMNS), self.cwnd)
        return self.time_s[kept], self.cwnd[kept]


@dataclass(frozen=True)
class Windows:
    """The windows of one startup."""

    startup: str
    simulated: Line
    live: Line | None
    """None where the stack cannot run it."""


def windows(windows: Sequence[Windows], bdp_pkts: float, stack: str, about: str) -> Figure:
    """A panel per startup: its window in the simulator and in the stack."""
    with mpl.rc_context(STYLE):
        longest, top = _ends(windows, bdp_pkts)
        x, y = linear(TIME, longest), linear(WINDOW, top)
        chart, axes = panels([_title(w, stack) for w in windows], x, y, about, legend=True)
        for panel, shown in zip(axes, windows, strict=True):
            _panel(panel, shown, bdp_pkts, stack)
        key_of_panels(chart, axes)
        return chart


def draw_windows(axes: "Axes", shown: Windows, bdp_pkts: float, stack: str) -> None:
    """The window of one startup in the simulator and in the stack, with a legend."""
    with mpl.rc_context(STYLE):
        longest, top = _ends([shown], bdp_pkts)
        _panel(axes, shown, bdp_pkts, stack)
        axes.set(xlim=(0, longest), ylim=(0, top), xlabel=TIME, ylabel=WINDOW)
        axes.set_title(_title(shown, stack))
        axes.legend()


def _ends(windows: Sequence[Windows], bdp_pkts: float) -> tuple[float, float]:
    """The ends of the axes of time and window."""
    lines = [line for w in windows for line in (w.simulated, w.live) if line]
    lines = [line for line in lines if len(line.time_s)]
    longest = max((float(line.time_s[-1]) for line in lines), default=1.0)
    highest = max((float(np.nanmax(line.cwnd)) for line in lines), default=1.0)
    return longest, min(1.05 * highest, MOST_BDP * max(bdp_pkts, 10))


def _panel(axes: "Axes", shown: Windows, bdp_pkts: float, stack: str) -> None:
    axes.axhline(bdp_pkts, color="0.6", linestyle=":", linewidth=0.8)
    step: Any = {"drawstyle": "steps-post"}
    wide = step | {"color": "0.7", "linewidth": 3.0, "label": "simulated"}
    axes.plot(*shown.simulated.drawn(), **wide)
    if shown.live:
        thin = step | {"color": COLOURS[2], "linewidth": 1.0, "label": stack}
        axes.plot(*shown.live.drawn(), **thin)


def _title(shown: Windows, stack: str) -> str:
    return broken(shown.startup) + ("" if shown.live else f"\n{stack} cannot run it")
