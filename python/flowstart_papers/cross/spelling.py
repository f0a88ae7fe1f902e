"""Ratios as readers see them: a change in percent, a factor where it is large."""

import math

from flowstart_papers.cross.table import Ratio

DOUBLE = 2.0
"""From here on a ratio is a factor."""
NEVER = "never"
"""Where transfers are not done at all."""
IN_DOUBT = "?"


def change(value: float) -> str:
    """A ratio as a change: `−28`, `+7`, `0`, `×3.1`, `×12`."""
    if math.isinf(value):
        return NEVER
    if value >= DOUBLE:
        return f"×{_factor(value)}"
    percent = round(100 * (value - 1))
    return f"{percent:+d}".replace("-", "−") if percent else "0"


def short(ratio: Ratio) -> str:
    """With half its interval: `−28±3`, `+2±5?`, `×3.1±.2`; without it where that is nothing."""
    shown = change(ratio.value)
    if ratio.exact or shown == NEVER:
        return shown
    half = max(ratio.high - ratio.value, ratio.value - ratio.low)
    width = f"{round(100 * half)}" if ratio.value < DOUBLE else _half(half)
    if not float(width):
        return shown
    return f"{shown}±{width}{IN_DOUBT if in_doubt(ratio) else ''}"


def _half(factor: float) -> str:
    return f"{factor:.0f}" if factor >= 1 else f"{factor:.1f}".removeprefix("0")


def in_doubt(ratio: Ratio) -> bool:
    """Whether draws leave it open if there is a change."""
    return not (ratio.exact or ratio.longer or ratio.shorter)


def spelled(ratio: Ratio) -> str:
    """For a sentence: `−28 % (−31 to −25)`, `×3.1 (2.9 to 3.3)`."""
    shown = change(ratio.value)
    if shown == NEVER:
        return "never done"
    unit = "" if ratio.value >= DOUBLE else " %"
    if ratio.exact:
        return f"{shown}{unit}"
    return f"{shown}{unit} ({ends(ratio)})"


def ends(ratio: Ratio) -> str:
    """The interval alone: `−31 to −25`."""
    if ratio.value >= DOUBLE:
        return f"{_factor(ratio.low)} to {_factor(ratio.high)}"
    low, high = (f"{round(100 * (end - 1)):+d}".replace("-", "−") for end in ratio.interval)
    return f"{low} to {high}".replace("+0", "0").replace("−0", "0")


def _factor(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}"
