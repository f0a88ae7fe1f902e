"""The paper's three set-ups (Sec. III): one transfer, 200 connections, and web sessions."""

from collections.abc import Mapping
from typing import Any

from flowstart.model.document import Document

SLOW_START = "slow-start"
JUMP_START = "jump-start"

RTT = "64ms"
QUEUE = "60pkt"
BOTTLENECK = "5Mbps"
WEB_BOTTLENECK = "10Mbps"
CONNECTIONS = 200

PACKETS = 200
"""Of each of those connections."""

RECOVERIES: Mapping[str, Mapping[str, Any]] = {
    "ns-2's Sack1": {"recovery": "ns2-sack"},
    "SACK": {"recovery": "sack"},
    "SACK without rules 3, 4": {
        "recovery": "sack",
        "next_seg_rule_3": False,
        "next_seg_rule_4": False,
    },
    "NewReno": {"recovery": "newreno"},
    "Reno": {"recovery": "reno"},
    "Tahoe": {"recovery": "tahoe"},
    "timer only": {"recovery": "go-back-n"},
    "SACK of the standards' endpoints": {"preset": "rfc", "ack": "every", "rto_min": "200ms"},
}
"""How loss may be repaired, as fields of the stack; the paper names the first. SACK is RFC
6675, whose rules 3 and 4 send again what nobody has yet reported lost. The last one halves
what is in flight (RFC 5681), the others halve the window, as ns-2 does."""


def stack(**fields: Any) -> dict[str, Any]:
    """ns-2's endpoints with the paper's initial window of three segments."""
    return {"preset": "ns2", "iw": "3", **fields}


def along(document: Document, **path: Any) -> Document:
    """The same over a path in which these fields are others."""
    return document | {"path": document["path"] | path}


def single(startup: str, packets: int, **fields: Any) -> Document:
    """One transfer on an idle path; `fields` are the stack's."""
    return {
        "path": {"rate": BOTTLENECK, "rtt": RTT, "buffer": QUEUE},
        "stack": stack(**fields),
        "flows": [{"startup": startup, "size": f"{packets}pkt"}],
    }


def contention(
    interval: str, startup: str, seed: int = 1, *, jitter: str = "10ms", **fields: Any
) -> Document:
    """Sec. III.C: connections of 200 packets between 100 pairs of hosts, directions in turn."""
    path = {"rate": BOTTLENECK, "rtt": "60ms", "buffer": QUEUE}
    return {
        "seed": seed,
        "path": path | {"access_rate": "50Mbps", "access_delay": "1ms", "hosts": 100},
        "stack": stack(**fields),
        "flows": [
            {
                "startup": startup,
                "size": f"{PACKETS}pkt",
                "count": CONNECTIONS,
                "interval": interval,
                "jitter": jitter,
                "direction": "alternate",
            }
        ],
    }


def web(
    startup: str,
    seed: int,
    *,
    sessions: int = 50,
    rate: str = WEB_BOTTLENECK,
    page_pause_from: str = "end",
    **fields: Any,
) -> Document:
    """Sec. III.D: sessions that read the web, all responses in one start-up."""
    return {
        "seed": seed,
        "path": {"rate": rate, "rtt": RTT, "buffer": QUEUE},
        "stack": stack(**fields),
        "web": [
            {
                "startup": startup,
                "sessions": sessions,
                "interval": "5ms",
                "pages": 5,
                "page_pause": "exponential:mean=0.5s",
                "page_pause_from": page_pause_from,
                "objects": "pareto2:mean=4,shape=1.5",
                "object_pause": "exponential:mean=50ms",
                "size": "pareto2:mean=4,shape=1.2",
            }
        ],
    }
