"""Numbers for people, three or four digits and a unit, and lists of words."""

import re
import unicodedata
from collections.abc import Callable, Sequence

from flowstart._native import count, percent, rate, ratio, seconds, size

__all__ = ["count", "percent", "rate", "ratio", "seconds", "size"]

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
    return "".join(_shown(character) for character in text)


def _shown(character: str) -> str:
    if character in "\n\t" or unicodedata.category(character) not in _CONTROLS:
        return character
    return character.encode("unicode_escape").decode()


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


def counted(number: int, singular: str, plural: str) -> str:
    """A number with its noun: `1 network`, `2 networks`."""
    return f"{number:,} {singular if number == 1 else plural}"


WIDEST = 3
"""An interval whose ends differ by a larger factor decides nothing."""


def too_wide(low: float, high: float) -> bool:
    """Whether the interval of a change is too wide to decide anything."""
    return 1 + high > WIDEST * (1 + low)


def interval(low: float | None, high: float | None) -> str:
    """The interval of a change: `−13.3 % to −11.9 %`."""
    if low is None or high is None:
        return ABSENT
    return f"{percent(low)} to {percent(high)}"


def short_ratio(value: float | None) -> str:
    """A ratio in two digits: `0.17`, `3.9`, `12`."""
    if value is None:
        return ABSENT
    return f"{value:.0f}" if value >= 9.95 else f"{value:.2f}" if value < 0.995 else f"{value:.1f}"


def ends(low: float | None, high: float | None, shown: Callable[[float | None], str]) -> str:
    """The ends of a range of numbers: `0.17–3.9`, or one of them where both look the same."""
    first, last = shown(low), shown(high)
    return first if first == last else f"{first}–{last}"


def listed(words: Sequence[str]) -> str:
    """`a, b and c`; `none` where there are none."""
    if len(words) < 2:
        return words[0] if words else "none"
    return f"{', '.join(words[:-1])} and {words[-1]}"


def brief(words: str) -> str:
    """A number in words without zeros at its end: `30.00 ms` as `30 ms`."""
    return re.sub(r"\.(\d*?)0+(?!\d)", lambda match: f".{match[1]}" if match[1] else "", words)


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
