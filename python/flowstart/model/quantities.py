"""Numbers as the text that scenarios have: a quantity with its unit.

A program that makes scenarios needs no formatting of its own, and the simulator reads the number
that was meant: `fs.Path(rate=fs.bps(5e6), rtt=fs.seconds(0.064), buffer=fs.packets(60))`.
"""

import math
from collections.abc import Sequence
from decimal import Decimal
from numbers import Real

from flowstart.errors import RequestError
from flowstart.model import units
from flowstart.model.units import Kind

_TIMES = (("s", 10**9), ("ms", 10**6), ("us", 10**3), ("ns", 1))
"""Units of time, in nanoseconds."""
_RATES = (("Gbps", 10**9), ("Mbps", 10**6), ("kbps", 10**3), ("bps", 1))
"""Units of rate, in bits per second."""


def seconds(time: float, digits: int = 9) -> str:
    """A time in seconds, such as 0.064, as text: `64ms`.

    Rounded to `digits` decimal places, at most to nanoseconds. Raises RequestError where it is
    negative or no number.
    """
    return _written(round(_checked("seconds", time) * 10**digits) * 10 ** (9 - digits), _TIMES)


def read_seconds(written: object) -> float | None:
    """A time that is written as text, in seconds; None where it is not one."""
    found = units.split(written) if isinstance(written, str) else None
    if found is None or found[1] not in units.UNITS:
        return None
    number, unit = found[0], units.UNITS[found[1]]
    return number * unit.scale / units.NS_PER_S if unit.kind is Kind.TIME else None


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


def bdp(count: float) -> str:
    """So many bandwidth-delay products as text: `1.5bdp`.

    Raises RequestError where the number is negative or none.
    """
    return f"{Decimal(repr(float(_checked('bdp', count)))):f}bdp"


def _written(count: int, scales: Sequence[tuple[str, int]]) -> str:
    """So many of the last unit, in the largest of which they are a whole number."""
    unit, size = next((unit, size) for unit, size in scales if count % size == 0)
    return f"{count // size}{unit}"


def _whole(name: str, count: float) -> int:
    if (checked := _checked(name, count)) != math.floor(checked):
        raise RequestError(f"{name}({count}): a whole number is needed")
    return int(checked)


def _checked(name: str, number: float) -> float:
    is_number = isinstance(number, Real) and not isinstance(number, bool)
    if not is_number or not math.isfinite(number) or number < 0:
        raise RequestError(f"{name}({number!r}): a number from 0 on is needed")
    return number
