"""The paper's three set-ups: one transfer, many that contend (Sec. III), and the web (Sec. IV)."""

from collections.abc import Mapping
from typing import Any

from flowstart.model.document import Document

SLOW_START = "slow-start"
JUMP_START = "jump-start"

BOTH = (SLOW_START, JUMP_START)
NAMES = {SLOW_START: "slow start", JUMP_START: "Jump Start"}

RTT = "64ms"
QUEUE = "60pkt"
BOTTLENECK = "5Mbps"
WEB_BOTTLENECK = "10Mbps"
CONNECTIONS = 200

PACKETS = 200
"""Of each of those connections."""

PACKET_BITS = 12_000
"""Of 1500 bytes."""

RECOVERIES: Mapping[str, Mapping[str, Any]] = {
    "ns-2's Sack1": {"recovery": "ns2-sack"},
    "RFC 3517": {"recovery": "sack", "next_seg_rule_4": False},
    "RFC 6675": {"recovery": "sack"},
    "SACK without rules 3, 4": {
        "recovery": "sack",
        "next_seg_rule_3": False,
        "next_seg_rule_4": False,
    },
    "NewReno": {"recovery": "newreno"},
    "Reno": {"recovery": "reno"},
    "Tahoe": {"recovery": "tahoe"},
    "timer only": {"recovery": "go-back-n"},
    "RFC endpoints": {"preset": "rfc", "ack": "every", "rto_min": "200ms"},
}
"""How loss may be repaired, as fields of the stack; the paper names the first. Rules 3 and 4 are
those of RFC 6675's NextSeg, which send again what nobody has yet reported lost; RFC 3517 has no
rule 4. The last one halves what is in flight (RFC 5681), the others the window, as ns-2 does."""


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


def unhindered(packets: int) -> Document:
    """Slow start where sending takes no time, so that only rounds count."""
    return along(single(SLOW_START, packets), rate="10Gbps")


def contention(
    interval: str, startup: str, seed: int = 1, *, jitter: str = "0ms", **fields: Any
) -> Document:
    """Sec. III.C: connections of 200 packets between 100 pairs of hosts, directions in turn.

    They start at the interval exactly, or each up to `jitter` late.
    """
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
                "stagger": interval,
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
    """Sec. IV.A: sessions that read the web, all responses in one startup."""
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
