"""An algorithm's window over time as a small SVG picture.

Drawn by hand and not by a plotting library, so that the same numbers are the same bytes
whatever is installed. It brings its own ground: the page around it may be light or dark.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from flowstart.render.thinning import thin

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from flowstart.simulation.series import Series

WIDTH, HEIGHT = 760, 400
LEFT, RIGHT = 62, 690
WINDOW_TOP, WINDOW_FOOT = 40, 252
QUEUE_TOP, QUEUE_FOOT = 292, 352

# What a class colours, in light and in dark. Spelled out, since not every viewer of SVG
# knows variables.
COLOURS = (
    ("text", "fill", "#57606a", "#9198a1"),
    (".t", "fill", "#24292f", "#e6edf3"),
    (".ta", "fill", "#0550ae", "#58a6ff"),
    (".tx", "fill", "#bc4c00", "#f0883e"),
    (".g,.d", "fill", "#ffffff", "#0d1117"),
    (".q", "fill", "#80b3ff", "#1f4a80"),
    (".q", "stroke", "#80b3ff", "#1f4a80"),  # or a peak within a pixel would have no area
    (".h", "stroke", "#ffffff", "#0d1117"),
    (".g,.l", "stroke", "#d0d7de", "#30363d"),
    (".b", "stroke", "#57606a", "#9198a1"),
    (".p", "stroke", "#a5acb4", "#6e7681"),
    (".a", "stroke", "#0550ae", "#58a6ff"),
    (".x,.d", "stroke", "#bc4c00", "#f0883e"),
)


def style() -> str:
    """The colours and fonts of every picture."""
    light = "".join(f"{name}{{{what}:{colour}}}" for name, what, colour, _ in COLOURS)
    dark = "".join(f"{name}{{{what}:{colour}}}" for name, what, _, colour in COLOURS)
    return (
        "text{font-family:system-ui,sans-serif;font-size:12px}.t{font-weight:600}"
        ".h{stroke-width:4px;stroke-linejoin:round}"
        ".e{text-anchor:end}.c{text-anchor:middle}.a,.p,.l,.b,.x{fill:none}"
        ".a,.d{stroke-width:2}.p{stroke-width:1.5}.b{stroke-dasharray:5 4}\n"
        f"{light}\n@media(prefers-color-scheme:dark){{{dark}}}"
    )


@dataclass(frozen=True)
class Exit:
    """Where a startup ended."""

    time_s: float
    window: float
    reason: str


@dataclass(frozen=True)
class Figure:
    """What is drawn."""

    title: str
    shown: "Series"
    pale: "Series | None"
    """The line to compare with, if it is another one."""
    seconds: float
    bdp: float
    buffer: float
    most: float
    """The largest window that the axis shows."""
    exit: Exit | None

    def svg(self) -> str:
        """The picture."""
        view = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img"'
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" {view}>',
            f"<title>{escape(self.title)}</title>",
            f"<style>{style()}</style>",
            f'<rect class="g" x=".5" y=".5" width="{WIDTH - 1}" height="{HEIGHT - 1}" rx="8"/>',
            *self._axes(),
            *self._capacity(),
            *self._queue(),
            *self._windows(),
            *self._exit(),
            "</svg>",
        ]
        return "\n".join(parts) + "\n"

    def _x(self, time_s: float) -> float:
        return LEFT + (RIGHT - LEFT) * time_s / self.seconds

    def _window_y(self, packets: float) -> float:
        return WINDOW_FOOT - (WINDOW_FOOT - WINDOW_TOP) * min(packets / self.most, 1.04)

    def _queue_y(self, packets: float) -> float:
        return QUEUE_FOOT - (QUEUE_FOOT - QUEUE_TOP) * packets / self.buffer

    def _axes(self) -> list[str]:
        parts = [
            words(LEFT, 24, f"window (packets{self._cut()})", "t"),
            words(LEFT, QUEUE_TOP - 16, "queue (packets)", "t"),
            words(RIGHT, HEIGHT - 12, "seconds since the SYN", "e"),
        ]
        for packets in ticks(self.most):
            y = self._window_y(packets)
            parts += [rule(LEFT, y, RIGHT, y, "l"), words(LEFT - 8, y + 4, f"{packets:g}", "e")]
        for packets in (0.0, self.buffer):
            y = self._queue_y(packets)
            parts += [rule(LEFT, y, RIGHT, y, "l"), words(LEFT - 8, y + 4, f"{packets:g}", "e")]
        for second in ticks(self.seconds):
            x = self._x(second)
            parts.append(words(x, QUEUE_FOOT + 18, f"{second:g}", "c"))
            parts.append(rule(x, QUEUE_FOOT, x, QUEUE_FOOT + 4, "l"))
        return parts

    def _cut(self) -> str:
        """How far the windows reach that the axis cuts off."""
        drawn = [line for line in (self.shown, self.pale) if line]
        highest = max(_highest(line, self.seconds) for line in drawn)
        return f"; cut: up to {highest:,.0f}" if highest > self.most else ""

    def _capacity(self) -> list[str]:
        parts = []
        for packets, name in ((self.bdp, "path"), (self.bdp + self.buffer, "+ buffer")):
            y = self._window_y(packets)
            parts += [rule(LEFT, y, RIGHT, y, "b"), words(RIGHT + 6, y + 4, name, "")]
        return parts

    def _windows(self) -> list[str]:
        parts = []
        if self.pale:
            parts.append(f'<path class="p" d="{self._steps(self.pale)}"/>')
        parts.append(f'<path class="a" d="{self._steps(self.shown)}"/>')
        x = RIGHT
        names = [(self.shown.label, "ta")] + ([(self.pale.label, "")] if self.pale else [])
        for name, kind in names:
            parts.append(words(x, 24, name, f"e {kind}".strip()))
            x -= 8 * len(name) + 14
        return parts

    def _steps(self, line: "Series") -> str:
        """The window as a step line."""
        kept = line.at_sender
        return stepped(self._columns(line.time_s[kept]), line.cwnd[kept], self._window_y)

    def _columns(self, time_s: "NDArray[Any]") -> "NDArray[np.intp]":
        """The pixels at which these times are drawn; what the picture does not show is left out."""
        shown = time_s[time_s <= self.seconds]
        return np.rint(LEFT + (RIGHT - LEFT) * shown / self.seconds).astype(np.intp)

    def _queue(self) -> list[str]:
        """The queue as an area, losses above it."""
        line = self.shown
        columns = self._columns(line.queue_time_s)
        path = stepped(columns, line.queue_packets, self._queue_y)
        lost = line.time_s[line.of("drop")]
        marks = "".join(f"M{x} {QUEUE_TOP - 8}v6" for x in np.unique(self._columns(lost)))
        parts = [f'<path class="q" d="{path}V{QUEUE_FOOT}H{columns[0]}Z"/>']
        if marks:
            parts.append(f'<path class="x" d="{marks}"/>')
            parts.append(words(RIGHT + 6, QUEUE_TOP - 1, f"{len(lost)} lost", "tx"))
        return parts

    def _exit(self) -> list[str]:
        if not self.exit or self.exit.time_s > self.seconds:
            return []
        x, y = self._x(self.exit.time_s), self._window_y(self.exit.window)
        told = f"exit: {self.exit.reason}"
        if self.exit.window > self.most:
            told += f" at {self.exit.window:,.0f}"
        side, kind = (x - 9, "e tx") if x > (LEFT + RIGHT) / 2 else (x + 9, "tx")
        below = y + (14 if y < WINDOW_TOP + 8 else -6)
        return [
            f'<circle class="d" cx="{number(x)}" cy="{number(y)}" r="4"/>',
            # Once as ground under the words, so that no line runs through them.
            words(side, below, told, f"{kind} h"),
            words(side, below, told, kind),
        ]


def _highest(line: "Series", seconds: float) -> float:
    """The largest window of a line within so many seconds."""
    kept = line.at_sender
    return float(np.nanmax(line.cwnd[kept][line.time_s[kept] <= seconds]))


def stepped(
    columns: "NDArray[np.intp]",
    values: "Sequence[float] | NDArray[Any]",
    y: Callable[[float], float],
) -> str:
    """A line that holds each value until the next one.

    `columns` are the pixels of the values, which may be more of them; `y` is a value's height.
    """
    values = np.asarray(values)[: len(columns)]
    path, last = "", None
    for at in thin(columns, values):
        height = number(y(float(values[at])))
        if last is None:
            path = f"M{columns[at]} {height}"
        elif height != last:
            path += f"H{columns[at]}V{height}"
        last = height
    return f"{path}H{columns[-1]}" if path else "M0 0"


def ticks(most: float) -> list[float]:
    """Four to eight round numbers from zero to `most`."""
    step = 10.0 ** np.floor(np.log10(most))
    while most / step < 4:
        step /= 2
    while most / step > 8:
        step *= 2
    return [float(step * i) for i in range(int(most / step + 1e-9) + 1)]


def number(value: float) -> str:
    """A coordinate."""
    return f"{value:.1f}".removesuffix(".0")


def words(x: float, y: float, told: str, kind: str) -> str:
    """Text at a place."""
    shown = f' class="{kind}"' if kind else ""
    return f'<text{shown} x="{number(x)}" y="{number(y)}">{escape(told)}</text>'


def rule(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """A straight line."""
    return f'<path class="{kind}" d="M{number(x1)} {number(y1)}L{number(x2)} {number(y2)}"/>'
