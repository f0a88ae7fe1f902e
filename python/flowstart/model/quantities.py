"""Numbers as the text that scenarios have: a quantity with its unit."""

import datetime
import enum
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, TypeAlias

from flowstart import _native
from flowstart.errors import RequestError

NS_PER_S = 1e9
BITS_PER_BYTE = 8.0


class Kind(enum.Enum):
    """What a quantity measures, in words."""

    NUMBER = "a number"
    TIME = "a time"
    RATE = "a rate"
    SIZE = "a size"


@dataclass(frozen=True)
class Quantity:
    """A number with a unit."""

    kind: Kind
    number: float
    unit: str
    scale: float
    """Base units in the unit; 1 for packets and BDPs, which depend on the path."""

    @property
    def base(self) -> float:
        """The number in nanoseconds, bits per second or bytes."""
        return self.number * self.scale


PACKETS, BDPS = "pkt", "bdp"
_KINDS = {kind.name.lower(): kind for kind in Kind}


def read(text: object) -> Quantity | None:
    """The quantity that a text has, as the simulator reads it; None where it has none."""
    parts = _native.quantity(text) if isinstance(text, str) else None
    return Quantity(_KINDS[parts[0]], *parts[1:]) if parts else None


_TIMES = (("s", 10**9), ("ms", 10**6), ("us", 10**3), ("ns", 1))
"""Units of time, in nanoseconds."""
_RATES = (("Gbps", 10**9), ("Mbps", 10**6), ("kbps", 10**3), ("bps", 1))
"""Units of rate, in bits per second."""

_RIGHT = {
    Kind.TIME: "seconds from 0 on, a timedelta, or text with a unit, such as `64ms`,",
    Kind.RATE: "bits per second from 0 on, or text with a unit, such as `5Mbps`,",
    Kind.SIZE: "a whole number of bytes, or text with a unit, such as `100kB`,",
}

LARGEST = 2**64 - 1
"""No field of a scenario holds a larger whole number."""

Time: TypeAlias = str | float | datetime.timedelta
"""A time: seconds, a timedelta, or text with a unit."""
Rate: TypeAlias = str | float
"""A rate: bits per second, or text with a unit."""
Size: TypeAlias = str | int
"""A size: bytes, or text with a unit."""


def text(name: str, kind: Kind, value: Any) -> Any:
    """A number of seconds, bits per second or bytes as text with its unit; anything else as it is.

    Raises RequestError with the field's `name` where the number is none of its kind.
    """
    if isinstance(value, Mapping):
        return {key: text(name, kind, entry) for key, entry in value.items()}
    number = value
    if kind is Kind.TIME and isinstance(value, datetime.timedelta):
        number = value.total_seconds()
    if not isinstance(number, Real) or isinstance(number, bool):
        return value
    try:
        return _TEXTS[kind](float(number))
    except OverflowError:
        raise RequestError("a number below 1e308 is needed", (name,)) from None
    except RequestError:
        raise RequestError(f"`{value}`: {_RIGHT[kind]} is needed", (name,)) from None


def time_text(name: str, value: Time | None) -> str | None:
    """A time as text, None where none is given. Raises RequestError where it is no time."""
    converted: str | None = text(name, Kind.TIME, value)
    return converted


def time_texts(name: str, values: Time | Sequence[Time] | None) -> list[str] | None:
    """Times as text, of one or of several; None where none is given."""
    if values is None:
        return None
    if isinstance(values, str):
        values = values.split(",")
    if not isinstance(values, Sequence):
        values = [values]
    return [text(name, Kind.TIME, value) for value in values]


def rate_text(name: str, value: Rate | None) -> str | None:
    """A rate as text, None where none is given. Raises RequestError where it is no rate."""
    converted: str | None = text(name, Kind.RATE, value)
    return converted


def size_text(name: str, value: Size | None) -> str | None:
    """A size as text, None where none is given. Raises RequestError where it is no size."""
    converted: str | None = text(name, Kind.SIZE, value)
    return converted


def size_texts(name: str, values: Sequence[Size] | None) -> Sequence[str] | None:
    """Sizes as text, None where none is given. Raises RequestError where one is no size."""
    return None if values is None else [text(name, Kind.SIZE, value) for value in values]


def seconds(time: float, digits: int = 9) -> str:
    """A time in seconds, such as 0.064, as text: `64ms`.

    Rounded to `digits` decimal places, at most to nanoseconds. Raises RequestError where it is
    negative or no number.
    """
    return _written(round(_checked("seconds", time) * 10**digits) * 10 ** (9 - digits), _TIMES)


def read_seconds(text: object) -> float | None:
    """The seconds of a text; None where it has no time."""
    quantity = read(text)
    return quantity.base / NS_PER_S if quantity and quantity.kind is Kind.TIME else None


def positive_seconds(name: str, value: Time | None) -> float | None:
    """The seconds of a time, None where none is given.

    Raises RequestError with the field's `name` where it is no time above 0.
    """
    if value is None:
        return None
    seconds = read_seconds(time_text(name, value))
    if not seconds:
        raise RequestError("a time above 0, such as 10min, is needed", (name,), value)
    return seconds


def bps(rate: float) -> str:
    """A rate in bits per second, such as 5e6, as text: `5Mbps`.

    Rounded to whole bits per second. Raises RequestError where it is negative or no number.
    """
    return _written(round(_checked("bps", rate)), _RATES)


def packets(count: float) -> str:
    """A number of packets as text: `60pkt`. Raises RequestError where it is no whole number."""
    return f"{_whole('packets', count)}pkt"


def octets(count: float) -> str:
    """A number of bytes as text: `1460B`. Raises RequestError where it is no whole number."""
    return f"{_whole('octets', count)}B"


def _written(count: int, scales: Sequence[tuple[str, int]]) -> str:
    """So many of the last unit, in the largest of which they are a whole number."""
    unit, size = next((unit, size) for unit, size in scales if count % size == 0)
    return f"{count // size}{unit}"


def _whole(name: str, count: float) -> int:
    if (checked := _checked(name, count)) != math.floor(checked):
        raise RequestError(f"{name}({count}): a whole number is needed")
    return int(checked)


def _checked(name: str, number: float) -> float:
    # A look at abstract types takes longer than all else.
    is_number = type(number) is float or (isinstance(number, Real) and not isinstance(number, bool))
    if not is_number or not math.isfinite(number) or number < 0:
        raise RequestError(f"{name}({number!r}): a number from 0 on is needed")
    return number


_TEXTS: dict[Kind, Callable[[float], str]] = {Kind.TIME: seconds, Kind.RATE: bps, Kind.SIZE: octets}


def share(name: str, value: object) -> float:
    """`10%`, or a number from Python, as a share of one; `name` is the argument's."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if (quantity := read(value)) and quantity.unit == "%":
        return quantity.number / 100
    raise RequestError(f"`{value}`: a share is needed, such as 10%", (name,))
