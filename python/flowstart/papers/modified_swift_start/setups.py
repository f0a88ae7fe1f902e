"""The paper's set-up: two hosts, two routers that forward 5000 packets a second, one line.

Host - 100 Mbit/s - router - line - router - host. What the printed round trips have beyond the
packets' own way lies on the sender's access link; the receiver is right behind its router.
"""

from dataclasses import dataclass
from typing import Any

from flowstart.model.document import Document

MSS = 1460
HEADER = 40
"""Of TCP and IP: the tables have packets of 1500 bytes."""
BARE = 40
"""Bytes of an acknowledgement."""
OPTION = 8
"""Bytes of the option in which the receiver returns a gap."""
ACCESS_BPS = 100e6
ROUTER_PPS = 5000
FILE = 10 * 2**20
"""The paper's 10 MB."""

RECEIVER_WINDOW = 65_535
THRESHOLD = f"ssthresh={RECEIVER_WINDOW / MSS}"
"""The first threshold: the largest window that a header can advertise."""
SLOW_START = f"slow-start:growth=per-ack,{THRESHOLD}"
MODIFIED = f"modified-swift-start:growth=per-ack,{THRESHOLD}"
AVOIDANCE = "reno:growth=per-ack"
"""Equation 3: MSS · MSS / CWND for each acknowledgement."""
NAMES = {"slow start": SLOW_START, "modified Swift Start": MODIFIED}

DELAYS_S = (0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
"""Of the line, as Tables 2 and 3 have them."""


@dataclass(frozen=True)
class Line:
    """The line between the routers."""

    key: str
    """As the targets' names have it."""
    name: str
    bps: float
    base_rtt_s: float
    """What the first pair's round trip has beyond twice the line's delay."""

    def rtt_s(self, delay_s: float) -> float:
        """The round trip by the rule that all but two printed rows follow."""
        return self.base_rtt_s + 2 * delay_s


T1 = Line("t1", "T1", 1.544e6, 0.11281)
OC1 = Line("oc1", "OC-1", 51.84e6, 0.07307)
FAST = Line("fast", "49.5 Mbit/s", 49.5e6, 0.002)
"""Of figures 2 and 3; its base is as small as the packets' own way allows."""


def transfer(
    line: Line,
    delay_s: float,
    startup: str,
    *,
    rtt_s: float | None = None,
    size: str = f"{FILE}B",
    avoidance: str = AVOIDANCE,
    path: dict[str, Any] | None = None,
    **fields: Any,
) -> Document:
    """One transfer over a line of so much one-way delay.

    `rtt_s` is what the first pair is to measure, by default what the rule gives. `path` and the
    remaining fields, the stack's, replace those of the set-up.
    """
    header = int(str(fields.get("header", HEADER)).removesuffix("B"))
    rest_s = (rtt_s or line.rtt_s(delay_s)) - 2 * delay_s - own_way_s(line, MSS + header)
    return {
        "path": {
            "hops": [{"rate": f"{line.bps:.0f}bps", "delay": f"{delay_s * 1e9:.0f}ns"}],
            "buffer": "100000pkt",
            "router_pps": ROUTER_PPS,
            "access_rate": f"{ACCESS_BPS:.0f}bps",
            "access_delay": f"{round(rest_s / 2 * 1e9)}ns",
            "access_at": "left",
            **(path or {}),
        },
        "stack": {"preset": "opnet", **fields},
        "flows": [{"startup": startup, "avoidance": avoidance, "size": size}],
    }


def own_way_s(line: Line, packet: int) -> float:
    """From the first pair's departure to its acknowledgement without any propagation.

    One packet on the access link, four turns at the routers, both packets on the line, and the
    acknowledgement with its option on both links.
    """
    data = 8 * packet * (1 / ACCESS_BPS + 2 / line.bps)
    ack = 8 * (BARE + OPTION) * (1 / ACCESS_BPS + 1 / line.bps)
    return data + ack + 4 / ROUTER_PPS
