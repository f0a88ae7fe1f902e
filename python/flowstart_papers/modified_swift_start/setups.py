"""The paper's set-up: two hosts, two routers that forward 5000 packets a second, one line.

Host - 100 Mbit/s - router - line - router - host at 100 Mbit/s. The printed round trips are longer
than the packets' way over these links. What they have beyond it lies on the line, by which the
paper controls the delay.
"""

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from flowstart.model import custom
from flowstart.model.document import Document
from flowstart.simulation import run as simulation
from flowstart_papers import published
from flowstart_papers.modified_swift_start import measures
from flowstart_papers.modified_swift_start.hosts import FILE, PROBE
from flowstart_papers.modified_swift_start.slow_start import FIRST_THRESHOLD, PAPER_SLOW_START

number = published.of("flowstart_papers.modified_swift_start").number

ACCESS_BPS = 100e6
ROUTER_PPS = 5000
NO_QUEUE_LIMIT = "100000pkt"
FORMULA_HEADER = "27B"
"""The frame of the paper's formula: 20 and 7 bytes beside the payload, one header short."""

THRESHOLD = f"ssthresh={FIRST_THRESHOLD}"
MODIFIED = "modified-swift-start:growth=per-ack"
AVOIDANCE = "reno:growth=per-ack"
"""Equation 3: MSS · MSS / CWND for each acknowledgement."""
DELAYS_S = (0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
"""Of the line, as Tables 2 and 3 have them."""


@dataclass(frozen=True)
class Line:
    """The line between the routers."""

    key: str
    """As the targets' names have it."""
    name: str
    bps: float
    base_rtt_s: float = 0.0
    """What the printed round trips have beyond twice the line's delay."""

    def rtt_s(self, delay_s: float) -> float:
        """The round trip by the rule that all but two printed rows follow."""
        return self.base_rtt_s + 2 * delay_s


T1 = Line("t1", "T1", 1.544e6, 0.11281)
OC1 = Line("oc1", "OC-1", 51.84e6, 0.07307)
LINES = (T1, OC1)
FAST = Line("fast", "49.5 Mbit/s", 49.5e6)
"""Of figures 2 and 3, whose round trips are not printed."""

DIRECT = {"access_at": "left"}
"""The path with a receiver right behind its router, without the printed access link."""


@dataclass(frozen=True)
class Setup:
    """The literal reading of the paper's words; each field is a way to depart from it."""

    slow_start: str = PAPER_SLOW_START
    modified: str = f"{MODIFIED},{THRESHOLD}"
    cc: str = AVOIDANCE
    base: Literal["line", "access", "none"] = "line"
    """Where that lies which the printed round trips have beyond links and delay: on the line, on
    the hosts' access links, or nowhere."""
    size: str = f"{FILE}B"
    path: Mapping[str, Any] = field(default_factory=dict)
    stack: Mapping[str, Any] = field(default_factory=dict)

    @property
    def startups(self) -> dict[str, str]:
        """Both startups by their names."""
        return {"slow start": self.slow_start, "modified Swift Start": self.modified}

    def rtt_s(self, line: Line, delay_s: float) -> float:
        """What the first pair measures: as printed, but without a base its own way alone."""
        if self.base == "none":
            return 2 * delay_s + own_way_s(line, self.path, self.stack)
        return number(f"mss.{line.key}.rtt.{delay_s:g}")

    def one_way_s(self, line: Line, delay_s: float) -> float:
        """The line's propagation where the base lies on it."""
        return (self.rtt_s(line, delay_s) - own_way_s(line, self.path, self.stack)) / 2

    def both(self, line: Line, delay_s: float) -> list[Document]:
        """Slow start and modified Swift Start over the same line."""
        return [self.transfer(line, delay_s, startup) for startup in self.startups.values()]

    def probe(self, line: Line, delay_s: float) -> Document:
        """Modified Swift Start's first segments: both windows, and what they release."""
        return self.transfer(line, delay_s, self.modified, size="40pkt")

    def transfer(
        self, line: Line, delay_s: float, startup: str, *, size: str | None = None
    ) -> Document:
        """One transfer over a line of a table, at one of its delays."""
        rtt_s = self.rtt_s(line, delay_s)
        far = self.base == "access"
        rest_s = rtt_s - 2 * delay_s - own_way_s(line, self.path, self.stack, far=far)
        return transfer(
            line,
            rtt_s,
            startup,
            size=size or self.size,
            cc=self.cc,
            on_access_s=rest_s / 2 if far else 0.0,
            path=self.path,
            **self.stack,
        )


LITERAL = Setup()


def transfer(
    line: Line,
    rtt_s: float,
    startup: str,
    *,
    size: str = f"{FILE}B",
    cc: str = AVOIDANCE,
    on_access_s: float = 0.0,
    path: Mapping[str, Any] | None = None,
    **stack: Any,
) -> Document:
    """One transfer over a line whose delay is such that the first pair measures `rtt_s`.

    `on_access_s` of the propagation one way lie on the access links, in equal parts. `path` and
    the remaining fields, the stack's, replace those of the set-up.
    """
    if custom.is_in_a_file(startup):
        custom.load(startup)  # here, lest two threads of the laboratory load it at the same time
    links = _access_delay(path or {}, on_access_s) if on_access_s else dict(path or {})
    own_s = own_way_s(line, path or {}, stack, far=on_access_s > 0)
    one_way_s = (rtt_s - own_s) / 2 - on_access_s
    return _document(line, one_way_s, startup, size, cc, links, stack)


def own_way_s(
    line: Line, path: Mapping[str, Any], stack: Mapping[str, Any], *, far: bool = False
) -> float:
    """The first pair's round trip without any propagation, as packets measure it.

    Serialisation, the turns at the routers, and the wait where the acknowledgement of the first
    pair meets the second pair at a router; `far` where hosts are too far from routers for that.
    """
    links = {key: path[key] for key in ("access_at", "access_rate", "router_pps") if key in path}
    return _measured_way_s(line, json.dumps(links), json.dumps(dict(stack)), far)


FAR_S = 0.01
"""A delay at which all data have left before anything comes back."""


@functools.cache
def _measured_way_s(line: Line, path: str, stack: str, far: bool) -> float:
    links = json.loads(path)
    document = _document(
        line,
        FAR_S,
        MODIFIED,
        f"{PROBE}pkt",
        AVOIDANCE,
        _access_delay(links, FAR_S) if far else links,
        json.loads(stack),
    )
    rtt_s = measures.pairs(simulation.run(document, trace=True))[0]["rtt_s"]
    return rtt_s - (4 if far else 2) * FAR_S


def _access_delay(path: Mapping[str, Any], one_way_s: float) -> dict[str, Any]:
    """The path with so much propagation on its access links, in equal parts."""
    links = 1 if path.get("access_at") in ("left", "right") else 2
    return {**path, "access_delay": f"{one_way_s / links * 1e9:.0f}ns"}


def _document(
    line: Line,
    one_way_s: float,
    startup: str,
    size: str,
    cc: str,
    path: Mapping[str, Any],
    stack: Mapping[str, Any],
) -> Document:
    return {
        "path": {
            "hops": [{"rate": f"{line.bps:.0f}bps", "delay": f"{one_way_s * 1e9:.0f}ns"}],
            "buffer": NO_QUEUE_LIMIT,
            "router_pps": ROUTER_PPS,
            "access_rate": f"{ACCESS_BPS:.0f}bps",
            **path,
        },
        "stack": {"preset": "opnet", **stack},
        "flows": [{"startup": startup, "cc": cc, "size": size}],
    }
