"""What runs will use, before they run: counts from their scenarios, and what these cost.

The simulator counts (`crates/sim/src/estimate.rs`). What a packet and a flow cost was measured on
one core; docs/limits.md says how far it was off on other runs.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flowstart.errors import RequestError
from flowstart.render import text
from flowstart.simulation.limits import Limits

if TYPE_CHECKING:
    from flowstart._native import Estimated

PACKET_S = 0.25e-6
"""Processor time of a data packet. Measured: 0.1 to 0.8 µs (docs/performance.md)."""
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
class Estimate:
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
    def of(cls, counted: "Estimated", workers: int, times: float = 1.0) -> "Estimate":
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

    def check(self, limits: Limits, option: Callable[[str, str], str]) -> None:
        """Raises RequestError where it is above a limit; `option` writes what raises it."""
        for name, estimated, limit in (
            ("packets", self.packets, limits.packets),
            ("flows", self.flows, limits.flows),
            ("memory", self.bytes, limits.memory_bytes),
            ("time", self.seconds, limits.time),
        ):
            if estimated > limit:
                raise RequestError(
                    f"this is estimated to take {self}, more than {stated(limits, name)}; ask for "
                    f"less, or raise the limit with {option(name, _enough(name, estimated))}"
                )

    def __str__(self) -> str:
        """`6.8e+11 data packets, 4 flows, 80 MB and 12 h`."""
        return (
            f"{_count(self.packets)} data packets, {_count(self.flows)} flows, "
            f"{size(self.bytes)} and {duration(self.seconds)}"
        )


def stated(limits: Limits, name: str) -> str:
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
    for unit, one in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if number >= one:
            return f"{number / one:.3g} {unit}"
    return text.size(number)


def duration(seconds: float) -> str:
    """Seconds in words: `12 h`."""
    for unit, one in (("days", 86_400.0), ("h", 3_600.0), ("min", 60.0)):
        if seconds >= 2 * one:
            return f"{seconds / one:.3g} {unit}"
    return text.seconds(seconds)


def _enough(name: str, estimated: float) -> str:
    """A limit as a person would write it that lets it pass."""
    scale: Any = {"memory": (1e9, "GB"), "time": (3600.0, "h")}.get(name)
    if scale:
        return f"{math.ceil(estimated / scale[0])}{scale[1]}"
    zeros = len(str(int(estimated))) - 1
    return f"{math.ceil(estimated / 10**zeros)}e{zeros}"
