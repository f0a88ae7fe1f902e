"""Numbers for people, three or four digits and a unit, and lists of words."""

import math
import re
import unicodedata
from collections.abc import Sequence

ABSENT = "–"
"""Stands where a thing did not happen."""
_CONTROLS = ("Cc", "Cf", "Zl", "Zp")
"""Unicode's categories of what a terminal obeys or hides: escapes, changes of direction, breaks."""


def printable(text: str) -> str:
    r"""A text for a terminal, with control characters as escapes; it may come from anybody's file.

    Lines and tabs are kept: `\x1b[2J` is shown and not obeyed.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(one) for one in text)


def _shown(one: str) -> str:
    if one in "\n\t" or unicodedata.category(one) not in _CONTROLS:
        return one
    return one.encode("unicode_escape").decode()


def seconds(value: float | None) -> str:
    """A time: `1.234 s`, `56.7 ms`, `890 µs`."""
    if value is None:
        return ABSENT
    for unit, scale in (("s", 1.0), ("ms", 1e3)):
        if value * scale >= 1 or value == 0:
            return f"{digits(value * scale)} {unit}"
    return f"{digits(value * 1e6)} µs"


def short_seconds(value: float | None) -> str:
    """A time in three digits: `1.23 s`, `56.7 ms`, `890 µs`."""
    if value is None:
        return ABSENT
    unit, scale = next(
        ((unit, scale) for unit, scale in (("s", 1.0), ("ms", 1e3)) if value * scale >= 0.9995),
        ("µs", 1e6),
    )
    shown = f"{value * scale:#.3g}".rstrip(".")
    return f"{f'{value * scale:,.0f}' if 'e' in shown else shown} {unit}"


def size(count: float | None) -> str:
    """A number of bytes in decimal units: `100 kB`."""
    if count is None:
        return ABSENT
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= scale:
            return f"{count / scale:.4g} {unit}"
    return f"{count:g} B"


def rate(bps: float | None) -> str:
    """A data rate: `5 Mbps`."""
    if bps is None:
        return ABSENT
    for unit, scale in (("Gbps", 1e9), ("Mbps", 1e6), ("kbps", 1e3)):
        if bps >= scale:
            return f"{bps / scale:.3g} {unit}"
    return f"{bps:.0f} bps"


def percent(share: float | None) -> str:
    """A change: `+12.3 %`, `−4.5 %`, `+112 %`, `0 %`."""
    if share is None:
        return ABSENT
    rounded = round(100 * share, 1)
    if rounded == 0:
        return "0 %"
    decimals = 1 if abs(rounded) < 100 else 0
    return f"{rounded:+.{decimals}f} %".replace("-", "−")


def short_percent(share: float | None) -> str:
    """A change in two digits: `−12 %`, `+1.9 %`, `0 %`."""
    if share is None or abs(share) < 0.0995:
        return percent(share)
    return f"{100 * share:+.0f} %".replace("-", "−")


def share(value: float | None) -> str:
    """A part of a whole, without a sign: `12.3 %`, `0.05 %`."""
    return ABSENT if value is None else f"{100 * value:.3g} %"


def first_of(names: Sequence[str]) -> str:
    """The first of some names, and how many more there are: `a.txt and 2 more`."""
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def counted(number: int, one: str, many: str) -> str:
    """A number with its noun: `1 network`, `2 networks`."""
    return f"{number} {one if number == 1 else many}"


WIDEST = 3
"""An interval whose ends differ by a larger factor decides nothing."""


def too_wide(low: float, high: float) -> bool:
    """Whether the interval of a change is too wide to decide anything."""
    return 1 + high > WIDEST * (1 + low)


def interval(low: float | None, high: float | None) -> str:
    """The interval of a change: `−13.3 % to −11.9 %`, or `inconclusive` where it is too wide."""
    if low is None or high is None:
        return ABSENT
    if too_wide(low, high):
        return "inconclusive"
    return f"{percent(low)} to {percent(high)}"


def count(value: float | None) -> str:
    """A number of things, which an average may have left with a fraction."""
    if value is None:
        return ABSENT
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.1f}"


def ratio(value: float | None) -> str:
    """A factor: `1.94`, `26.3`, `263`."""
    if value is None:
        return ABSENT
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def digits(value: float) -> str:
    """Four significant digits, never in exponents: `1.234`, `56.78`, `1234`."""
    if value == 0:
        return "0"
    places = max(0, 3 - math.floor(math.log10(abs(value))))
    return f"{value:.{places}f}"


def listed(words: Sequence[str]) -> str:
    """`a, b and c`; `none` where there are none."""
    if len(words) < 2:
        return words[0] if words else "none"
    return f"{', '.join(words[:-1])} and {words[-1]}"


def brief(words: str) -> str:
    """A number in words without zeros at its end: `30.00 ms` as `30 ms`."""
    return re.sub(r"\.(\d*?)0+(?!\d)", lambda found: f".{found[1]}" if found[1] else "", words)


def short_share(value: float | None) -> str:
    """A part of a whole in two digits: `12 %`, `1.9 %`, `0 %`."""
    return short_percent(value).removeprefix("+")


def excess(ratio: float) -> str:
    """How much more a ratio is than one: `4.1 %`, `181 %`, `67.8×`."""
    if ratio < 10:
        return short_share(ratio - 1)
    return f"{ratio:.3g}×" if ratio < 1000 else f"{ratio:,.0f}×"


MARK = "◀"
"""Stands at the end of the best rows, for readers without colour."""
