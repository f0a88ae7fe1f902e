"""Two windows over time in one pair of axes, the recorded one as dots, as a small SVG picture."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from figure import rule, stepped, style, ticks, words

WIDTH, HEIGHT = 760, 260
LEFT, RIGHT = 62, 740
TOP, FOOT = 40, 216


@dataclass(frozen=True)
class Overlay:
    """What is drawn: times in seconds, windows in packets."""

    title: str
    recorded: Sequence[tuple[float, float]]
    ours: Sequence[tuple[float, float]]
    seconds: float
    names: tuple[str, str]
    """What the dots are, and what the line is."""

    def svg(self) -> str:
        """The picture."""
        view = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img"'
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" {view}>',
            f"<title>{escape(self.title)}</title>",
            f"<style>{style()}</style>",
            f'<rect class="g" x=".5" y=".5" width="{WIDTH - 1}" height="{HEIGHT - 1}" rx="8"/>',
            *self._axes(),
            f'<path class="a" d="{self._line()}"/>',
            f'<path class="x" d="{self._dots()}"/>',
            "</svg>",
        ]
        return "\n".join(parts) + "\n"

    @functools.cached_property
    def _most(self) -> float:
        both = (*self.recorded, *self.ours)
        return 1.05 * max(window for time_s, window in both if time_s <= self.seconds)

    def _x(self, time_s: float) -> float:
        return LEFT + (RIGHT - LEFT) * time_s / self.seconds

    def _y(self, window: float) -> float:
        return FOOT - (FOOT - TOP) * window / self._most

    def _axes(self) -> list[str]:
        recorded, ours = self.names
        parts = [
            words(LEFT, 24, "window (packets)", "t"),
            words(RIGHT, 24, recorded, "e tx"),
            words(RIGHT - 8 * len(recorded) - 14, 24, ours, "e ta"),
            words(RIGHT, HEIGHT - 8, "seconds since the SYN", "e"),
        ]
        for window in ticks(self._most):
            y = self._y(window)
            parts += [rule(LEFT, y, RIGHT, y, "l"), words(LEFT - 8, y + 4, f"{window:g}", "e")]
        for second in ticks(self.seconds):
            parts.append(words(self._x(second), FOOT + 18, f"{second:g}", "c"))
        return parts

    def _line(self) -> str:
        """A step line."""
        shown = [(round(self._x(at)), window) for at, window in self.ours if at <= self.seconds]
        columns = np.array([x for x, _ in shown], np.intp)
        return stepped(columns, [window for _, window in shown], self._y)

    def _dots(self) -> str:
        """A short dash for each recorded point, no two in the same place."""
        places = {
            (round(self._x(t)), round(self._y(w))) for t, w in self.recorded if t <= self.seconds
        }
        return "".join(f"M{x - 1} {y}h3" for x, y in sorted(places))
