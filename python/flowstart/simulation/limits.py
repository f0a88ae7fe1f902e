"""What a request may use before it is refused: data packets, flows, memory and time.

The limits are there for requests that were not meant, such as a size in PB for one in MB. With
`--max-time 30h` or `max_time="30h"` runs end after that time, whatever they are estimated to send;
`--max-memory 64GB` or `max_memory="64GB"` replaces the limit of memory.
"""

import contextlib
import dataclasses
import functools
import math
import os
import pathlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flowstart import text
from flowstart.errors import RequestError
from flowstart.model import quantities

if TYPE_CHECKING:
    from flowstart._native import Estimated


DAY_S = 86_400.0
_CGROUPS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
"""What a container may have, of both versions."""


@dataclass(frozen=True)
class RunLimits:
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

    def shared(self, processes: int) -> "RunLimits":
        """Those of each of so many processes at a time, which an estimate counts alike.

        Each may send all packets that are left: what sends too many ends all of them.
        """
        memory = BASE_BYTES + (self.memory_bytes - BASE_BYTES) / processes
        return dataclasses.replace(self, memory=memory)

    def changed(self, max_memory: float | str | None, *, is_timed: bool) -> "RunLimits":
        """These with another memory, and without the others where runs end in time.

        Raises RequestError where the memory is none.
        """
        limits = dataclasses.replace(UNLIMITED, memory=self.memory) if is_timed else self
        if max_memory is None:
            return limits
        return dataclasses.replace(limits, memory=_bytes(max_memory))


UNLIMITED = RunLimits(packets=math.inf, flows=math.inf, time=math.inf)
"""No limit but the machine's memory."""


def _bytes(value: Any) -> float:
    """A limit of memory in bytes."""
    number: Any = value
    if isinstance(value, str):
        quantity = quantities.read(value)
        is_size = quantity is not None and quantity.kind is quantities.Kind.SIZE
        number = quantity.base if quantity and is_size and quantity.unit not in _NO_BYTES else None
    if isinstance(number, bool) or not isinstance(number, int | float) or not number > 0:
        raise RequestError(
            f"`{value}`: a number of bytes above 0, such as 8GB, is needed", ("max_memory",)
        )
    return float(number)


_NO_BYTES = ("pkt", "pkts", "bdp", "BDP")


@functools.cache
def memory_of_machine() -> float | None:
    """The bytes of memory of this machine, or of the container; None where that is not known."""
    sizes = [size for size in map(_cgroup, _CGROUPS) if size]
    with contextlib.suppress(AttributeError, ValueError, OSError):  # Windows has no such thing
        sizes.append(float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES"))
    return min(sizes, default=None)


def _cgroup(file: str) -> float | None:
    try:
        return float(pathlib.Path(file).read_text(encoding="ascii"))
    except (OSError, ValueError):  # there is none, or it says `max`
        return None


PACKET_S = 0.25e-6
"""Processor time of a data packet. Measured: 0.1 to 0.8 µs (docs/reference/performance.md)."""
PYTHON_PACKET_S = 2.5e-6
"""The same where a startup is written in Python. Measured with two hooks for each packet."""
FLOW_S = 2e-6
"""Of a connection, its row included. Measured: `web` and `flows-100000`."""
RUN_S = 8e-6
"""Of a run by itself. Measured: tests/python/bench_overhead.py."""
ROW_BYTES = 1500.0
"""Memory of a flow's row in the tables. Measured: runs of 100 000 flows."""
BASE_BYTES = 80e6
"""Of Python and its libraries. Measured: `flowstart compare`."""


@dataclass(frozen=True)
class RunEstimate:
    """What a request will use, roughly."""

    packets: float
    """Data packets of all runs."""
    flows: float
    """Connections of all runs."""
    bytes: float
    """Memory, at most."""
    seconds: float
    """How long it takes with its workers."""

    @classmethod
    def of(cls, counted: "Estimated", workers: int, times: float = 1.0) -> "RunEstimate":
        """From what the simulator has counted of runs, which are made `times` times."""
        runs = counted["runs"]
        at_once = max(1, min(workers, runs))
        packets, in_python = counted["packets"], counted["python_packets"]
        cpu_s = PACKET_S * (packets - in_python) + PYTHON_PACKET_S * in_python
        cpu_s += FLOW_S * counted["flows"] + RUN_S * runs
        rows = counted["flows"] * ROW_BYTES
        return cls(
            packets=packets * times,
            flows=counted["flows"] * times,
            bytes=BASE_BYTES + counted["largest_bytes"] * at_once + rows,
            seconds=cpu_s * times / at_once,
        )

    def check(self, limits: RunLimits, option: Callable[[str, str], str]) -> None:
        """Raises RequestError where it is above a limit; `option` writes what permits it."""
        for name, estimated, limit in (
            ("packets", self.packets, limits.packets),
            ("flows", self.flows, limits.flows),
            ("memory", self.bytes, limits.memory_bytes),
            ("time", self.seconds, limits.time),
        ):
            if estimated <= limit:
                continue
            enough = option("time", f"{max(1, math.ceil(self.seconds / 3600))}h")
            remedy = f"set a time after which it ends, such as {enough}"
            if name == "memory":
                enough = option("memory", f"{math.ceil(self.bytes / 1e9)}GB")
                remedy = f"raise the limit with {enough}"
            raise RequestError(
                f"this is estimated to take {self}, more than {stated(limits, name)}; ask for "
                f"less, or {remedy}"
            )

    def __str__(self) -> str:
        """`6.8e+11 data packets, 4 flows, 80 MB and 12 h`."""
        return (
            f"{_count(self.packets)} data packets, {_count(self.flows)} flows, "
            f"{size(self.bytes)} and {duration(self.seconds)}"
        )


def stated(limits: RunLimits, name: str) -> str:
    """A limit in words: `the limit of 1,000,000 packets`."""
    if name == "memory":
        return f"the limit of {size(limits.memory_bytes)} of memory"
    if name == "time":
        return f"the limit of {duration(limits.time)}"
    return f"the limit of {_count(getattr(limits, name))} {name}"


def _count(number: float) -> str:
    return f"{round(number):,}" if number < 1e7 else f"{number:.2g}"


def size(number: float) -> str:
    """Bytes in words: `1.2 GB`."""
    for unit, factor in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if number >= factor:
            return f"{number / factor:.3g} {unit}"
    return text.size(number)


def duration(seconds: float) -> str:
    """Seconds in words: `12 h`."""
    for unit, factor in (("days", 86_400.0), ("h", 3_600.0), ("min", 60.0)):
        if seconds >= 2 * factor:
            return f"{seconds / factor:.3g} {unit}"
    return text.seconds(seconds)
