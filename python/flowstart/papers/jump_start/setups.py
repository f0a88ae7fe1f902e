"""The paper's three set-ups (Sec. III): one transfer, 200 connections, and web sessions."""

from typing import Any

from flowstart.scenario import Document

RTT = "64ms"
QUEUE = "60pkt"
BOTTLENECK = "5Mbps"
WEB_BOTTLENECK = "10Mbps"
CONNECTIONS = 200

PACKETS = 200
"""Of each of those connections."""


def stack(**fields: Any) -> dict[str, Any]:
    """ns-2's endpoints with the paper's initial window of three segments."""
    return {"preset": "ns2", "iw": "3", **fields}


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
