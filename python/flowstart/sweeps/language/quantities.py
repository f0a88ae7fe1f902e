"""Numbers in base units as a scenario writes them."""

import math

from flowstart.model.units import Kind


def written(kind: Kind, value: float) -> str:
    """A quantity as a scenario has it, sizes in bytes.

    What is not finite stays what it is, for the simulator to refuse.
    """
    return _WRITERS[kind](value) if math.isfinite(value) else str(value)


def packets(count: float) -> str:
    """A number of packets as a scenario has it, rounded down."""
    return f"{math.floor(count)}pkt" if math.isfinite(count) else str(count)


def rate(bps: float) -> str:
    """A rate as a scenario has it, to the bit per second."""
    return _scaled(round(bps), ((10**9, "Gbps"), (10**6, "Mbps"), (10**3, "kbps")), "bps")


def time(ns: float) -> str:
    """A time as a scenario has it, to the nanosecond."""
    return _scaled(round(ns), ((10**9, "s"), (10**6, "ms"), (10**3, "us")), "ns" if ns else "s")


def size(count: float) -> str:
    """A number of bytes as a scenario has it."""
    return _scaled(round(count), ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")), "B")


def _scaled(whole: int, units: tuple[tuple[int, str], ...], smallest: str) -> str:
    """A whole number in the largest unit that it reaches; reading it gives the same number."""
    for scale, unit in units:
        if whole >= scale:
            return f"{number(whole / scale)}{unit}"
    return f"{whole}{smallest}"


def number(value: float) -> str:
    """A number as short as it can be written exactly."""
    return str(int(value)) if value == int(value) else repr(value)


_WRITERS = {Kind.NUMBER: number, Kind.TIME: time, Kind.RATE: rate, Kind.SIZE: size}
