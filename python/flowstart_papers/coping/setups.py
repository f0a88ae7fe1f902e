"""Jump Start's set-ups with two kinds of transfers: half may start fast, half never do."""

from collections.abc import Mapping
from typing import Any

from flowstart.model.document import Document
from flowstart_papers.coping.countermeasures import Line, Measure, Place
from flowstart_papers.jump_start import setups as jump_start

CONTENTION = Line(mbps=5, rtt_ms=64)
WEB = Line(mbps=10, rtt_ms=64)

PACKETS = jump_start.PACKETS
INTERVAL_S = 0.6
"""From one opening to the next: 200 packets keep each direction of the line 40 % busy."""
JITTER = 20
"""Intervals by which an opening is moved at most, so that any transfers may meet."""
SHARE = 0.5
"""Of the transfers that may start fast."""
SESSIONS = 25
"""Of each kind."""

PLACES: Mapping[Place, Document] = {
    "line": {},
    "core": {
        "rate": "500Mbps",
        "rtt": "60ms",
        "access_rate": "50Mbps",
        "access_delay": "1ms",
    },
    "enterprise": {
        "rate": "1Gbps",
        "rtt": "1ms",
        "access_rate": "100Mbps",
        "access_delay": "0.1ms",
    },
    "fast hosts": {
        "rate": "100Mbps",
        "rtt": "1ms",
        "access_rate": "1Gbps",
        "access_delay": "0.1ms",
    },
}
"""What departs from the paper's path; every host has a line of its own there."""


def contention(
    measure: Measure,
    seed: int,
    *,
    slow: bool = False,
    packets: int = PACKETS,
    interval_s: float = INTERVAL_S,
    share: float = SHARE,
    jitter: float = JITTER,
    **fields: Any,
) -> Document:
    """Transfers of one size, opened at random times, a `share` of them starters.

    Where `slow`, the starters use slow start too. `fields` are the stack's.
    """
    line = CONTENTION
    startup = "slow-start" if slow else measure.starts(line)
    document = jump_start.contention(
        f"{interval_s:g}s", startup, seed, **measure.stack(line), **fields
    )
    transfers: Document = document["flows"][0]

    def part(part: float, startup: str) -> Document:
        changed: Document = {
            "startup": startup,
            "size": f"{packets}pkt",
            "count": round(part * jump_start.CONNECTIONS),
            "stagger": f"{interval_s / part:g}s",
            "jitter": f"{jitter * interval_s:g}s",
        }
        return transfers | changed

    flows = [part(share, startup), part(1 - share, "slow-start")]
    return document | {"flows": flows, "path": _path(document, measure)}


def web(measure: Measure, seed: int, *, slow: bool = False) -> Document:
    """Sessions that read the web, every other one from servers that may start fast."""
    line = WEB
    startup = "slow-start" if slow else measure.starts(line)
    document = jump_start.web(startup, seed, sessions=SESSIONS, **measure.stack(line))
    hosts = {} if measure.place == "line" else {"clients": SESSIONS, "servers": SESSIONS}
    starters = document["web"][0] | {"interval": "10ms"} | hosts
    bystanders = starters | {"startup": "slow-start", "start": "5ms"}
    return document | {"web": [starters, bystanders], "path": _path(document, measure)}


def single(measure: Measure, packets: int, *, slow: bool = False) -> Document:
    """One transfer on an idle path."""
    line = CONTENTION
    startup = "slow-start" if slow else measure.starts(line)
    document = jump_start.single(startup, packets, **measure.stack(line))
    return document | {"path": _path(document, measure)}


def _path(document: Document, measure: Measure) -> Document:
    path: Document = document["path"] | measure.path() | PLACES[measure.place]
    return path
