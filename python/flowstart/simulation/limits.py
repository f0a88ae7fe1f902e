"""What a request may use before it is refused: data packets, flows, memory and time.

The limits are there for requests that were not meant, such as a size in PB for one in MB. They are
raised with `--max-packets 1e12` or `max_packets=1e12`.
"""

import contextlib
import dataclasses
import functools
import math
import os
import pathlib
from dataclasses import dataclass
from typing import Any, TypedDict

from flowstart.errors import RequestError
from flowstart.model import quantities, units


class LimitOptions(TypedDict, total=False):
    """What functions take to raise limits."""

    max_packets: float | str | None
    """Data packets of all runs, such as 1e12."""
    max_flows: float | str | None
    """Connections of all runs, such as 1e9."""
    max_memory: float | str | None
    """Bytes, or text such as `64GB`."""
    max_time: float | str | None
    """Seconds, or text such as `30h`."""
    no_limits: bool
    """Whether there are no limits but those given."""


DAY_S = 86_400.0
_CGROUPS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
"""What a container may have, of both versions."""


@dataclass(frozen=True)
class Limits:
    """The most that a request may be estimated to use."""

    packets: float = 3e10
    """Data packets of all runs: some hours of a processor."""
    flows: float = 1e8
    """Connections of all runs."""
    memory: float | None = None
    """Bytes; None for what the machine, or its container, has."""
    time: float = 7 * DAY_S
    """Seconds on this machine with the workers that were asked for."""

    @property
    def memory_bytes(self) -> float:
        """The limit of memory as a number; `inf` where nobody knows what the machine has."""
        if self.memory is not None:
            return self.memory
        return memory_of_machine() or math.inf

    def changed(self, given: LimitOptions) -> "Limits":
        """These with some replaced. Raises RequestError where a value is wrong."""
        usual = UNLIMITED if given.get("no_limits") else self
        found = {name: given.get(f"max_{name}") for name in _RIGHT}
        numbers = {name: _number(name, value) for name, value in found.items() if value is not None}
        return dataclasses.replace(usual, **numbers)


UNLIMITED = Limits(math.inf, math.inf, math.inf, math.inf)


def _number(name: str, value: Any) -> float:
    """A limit in packets, flows, bytes or seconds."""
    found = _quantity(name, value) if isinstance(value, str) else value
    if isinstance(found, bool) or not isinstance(found, int | float) or not found > 0:
        raise RequestError(f"max_{name}: `{value}`: {_RIGHT[name]}, is needed")
    return float(found)


def _quantity(name: str, text: str) -> float | None:
    if name == "time":
        return quantities.read_seconds(text)
    if name == "memory":
        return _bytes(text)
    try:
        return float(text)
    except ValueError:
        return None


def _bytes(text: str) -> float | None:
    found = units.split(text)
    unit = units.UNITS.get(found[1]) if found else None
    if not found or unit is None or unit.kind is not units.Kind.SIZE or found[1] in _NO_BYTES:
        return None
    return found[0] * unit.scale


_NO_BYTES = ("pkt", "pkts", "bdp", "BDP")
_RIGHT = {
    "packets": "a number above 0, such as 1e12",
    "flows": "a number above 0, such as 1e9",
    "memory": "a number of bytes above 0, such as 8GB",
    "time": "a time above 0, such as 12h",
}
"""What each limit may be."""


@functools.cache
def memory_of_machine() -> float | None:
    """The bytes of memory of this machine, or of the container; None where that is not known."""
    found = [size for size in map(_cgroup, _CGROUPS) if size]
    with contextlib.suppress(AttributeError, ValueError, OSError):  # Windows has no such thing
        found.append(float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES"))
    return min(found, default=None)


def _cgroup(file: str) -> float | None:
    try:
        return float(pathlib.Path(file).read_text(encoding="ascii"))
    except (OSError, ValueError):  # there is none, or it says `max`
        return None
