"""How far handshakes over the kernel's TCP and simulated ones agree, for docs/guides/kernel.md.

The kernel's times are in tests/data/linux/handshakes.csv (tests/python/handshakes_kernel.py).
"""

import csv
import pathlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

import flowstart as fs

RECORD = pathlib.Path(__file__).parents[2] / "tests/data/linux/handshakes.csv"
NEAR = 0.01
RELAY_MS = 2.0
"""More than relay and programs add: without a loss the kernel's times are 0.8 to 1.6 ms longer."""
LATE_MS, LATE_LONG_MS = 8.0, 36.0
"""Time by which timers below 252 ms and up to 2 s may be late (docs/reference/fidelity.md)."""
LOST = ("", "syn", "synack", "ack", "hello", "flight", "flight:2", "flight:3", "finished")
LONG = ("syn", "synack", "hello", "finished")
"""Packets that a timer of 252 ms or more repairs."""
SHOWN = ("100", "100")
"""Rate and round trip of the times that the table has."""
STACK = {
    "preset": "linux",
    "handshake": "tcp+tls13",
    "flight": "classic",
    "client_hello": "300B",
    "client_flight": "80B",
    "request": "200B",
}


@dataclass(frozen=True)
class Case:
    """A handshake in the kernel and in the simulator, with times in ms."""

    rate: str
    rtt: str
    flight: int
    lost: str
    least: float
    median: float
    most: float
    simulated: float

    @property
    def is_near(self) -> bool:
        """Whether the simulator is within 1 % of the kernel's median."""
        return abs(self.simulated / self.median - 1) <= NEAR

    @property
    def agrees(self) -> bool:
        """Whether it is within 1 % or 2 ms of the kernel's runs, whose timer may have been late."""
        late = (
            LATE_LONG_MS if self.lost in LONG else LATE_MS if self.lost.startswith("flight") else 0
        )
        low, high = self.least - late, self.most
        return low - max(NEAR * low, RELAY_MS) <= self.simulated <= high * (1 + NEAR)


def cases() -> Iterator[Case]:
    """All cases of the recording."""
    with RECORD.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            rate, rtt, lost = row["rate_mbps"], row["rtt_ms"], row["lost"]
            least, median, most = (float(row[f"{name}_ms"]) for name in ("least", "median", "most"))
            flight = int(row["flight"])
            found = simulated(rate, rtt, flight, lost)
            yield Case(rate, rtt, flight, lost, least, median, most, found)


def simulated(rate: str, rtt: str, flight: int, lost: str) -> float:
    """The time until the client has the response, in ms."""
    scenario = {
        "path": {"rate": f"{rate}Mbps", "rtt": f"{rtt}ms", "buffer": "1000pkt"},
        "stack": STACK | {"server_flight": f"{flight}B"},
        "flows": [{"size": "5kB", "handshake_drops": [lost] if lost else []}],
    }
    return 1e3 * float(fs.run(scenario).frame["fct_s"][0])


def table() -> str:
    """For each flight and lost packet: the paths on which times agree, and the times of one."""
    lines = [
        "| flight | lost | within 1 % | or as late | kernel, ms | simulated, ms |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
    ]
    found = sorted(cases(), key=lambda case: (case.flight, LOST.index(case.lost)))
    for (flight, lost), group in groupby(found, key=lambda case: (case.flight, case.lost)):
        of_paths = list(group)
        counts = [sum(case.is_near for case in of_paths), sum(case.agrees for case in of_paths)]
        near, agree = (f"{count} of {len(of_paths)}" for count in counts)
        shown = next(case for case in of_paths if (case.rate, case.rtt) == SHOWN)
        runs = f"{shown.least:.0f} to {shown.most:.0f}"
        lines.append(
            f"| {flight // 1000} kB | {lost or '–'} | {near} | {agree} | {runs} | "
            f"{shown.simulated:.0f} |"
        )
    total = [sum(case.is_near for case in found), sum(case.agrees for case in found)]
    lines.append(f"| all | | {total[0]} of {len(found)} | {total[1]} of {len(found)} | | |")
    return "\n".join(lines)
