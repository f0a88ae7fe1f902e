"""The testbed: two hosts, a dummynet bottleneck, senders and receivers of 2008."""

from collections.abc import Mapping
from typing import Any

from flowstart.model.document import Document

PACKET_BITS = 12_000
"""1500 bytes, which the paper counts by."""

SLOW_START = "slow-start:growth=per-ack"
HYBRID = "hystart:growth=per-ack"
LIMITED = "limited-slow-start:growth=per-ack"
THREE = {"Hybrid Slow Start": HYBRID, "slow start": SLOW_START, "limited slow start": LIMITED}
"""The three that Sec. IV.C and IV.D compare."""

SACK = "reno"
"""TCP-SACK: Reno's avoidance; the stack repairs by SACK."""
CUBIC = "cubic:reading=2008"
"""Linux 2.6.23's."""

EVERY = {"ack": "every"}
LINUX = {"ack": "quick-then-delayed", "ack_timer": "40ms"}
FREEBSD = {"ack": "delayed", "ack_timer": "100ms"}
WINDOWS = {"ack": "delayed", "ack_timer": "200ms"}
RECEIVERS = {"Linux": LINUX, "FreeBSD": FREEBSD, "Windows": WINDOWS}
"""By the ACKs they send: sixteen quick ones first or not, and how long an odd one waits."""
SCHEMES = {"quick": EVERY, "quick, then delayed": LINUX, "delayed": FREEBSD}
"""Fig. 3 (a), (b), (c)."""

FIG1 = (400.0, 370.0)
"""Mbit/s and ms. Only 370 ms makes the 12 333 packets of Fig. 1; the text has 2 x 180 ms."""
FIG2 = (100.0, 106.0)
"""The caption's 106 ms makes its 883 packets; the text has 102 ms."""
FIG3 = (400.0, 160.0)


def bdp(mbps: float, rtt_ms: float) -> float:
    """Bandwidth times delay, in packets."""
    return mbps * 1e3 * rtt_ms / PACKET_BITS


def path(mbps: float, rtt_ms: float, buffer: float = 1.0, **fields: Any) -> dict[str, Any]:
    """The bottleneck; `buffer` in products of bandwidth and delay, whole packets as in Fig. 1."""
    packets = max(1, int(buffer * bdp(mbps, rtt_ms)))
    return {"rate": f"{mbps:g}Mbps", "rtt": f"{rtt_ms:g}ms", "buffer": f"{packets}pkt", **fields}


def stack(receiver: Mapping[str, str] = LINUX, /, **fields: Any) -> dict[str, Any]:
    """A Linux 2.6 sender, initial window 2, with one of the receivers."""
    return {"iw": "2", **receiver, **fields}


def one(
    link: dict[str, Any],
    startup: str,
    duration: str,
    *,
    avoidance: str = SACK,
    ends: dict[str, Any] | None = None,
    **flow: Any,
) -> Document:
    """A connection without end on an idle path."""
    return {
        "duration": duration,
        "path": link,
        "stack": ends or stack(),
        "flows": [{"startup": startup, "avoidance": avoidance, **flow}],
    }


def two(
    link: dict[str, Any],
    startup: str,
    starts: tuple[float, float],
    end: float,
    *,
    avoidance: str = SACK,
    ends: dict[str, Any] | None = None,
) -> Document:
    """Two connections without end, the second into the first; times in seconds."""
    return one(
        link,
        startup,
        f"{end:g}s",
        avoidance=avoidance,
        ends=ends,
        start=f"{starts[0]:g}s",
        count=2,
        interval=f"{starts[1] - starts[0]:g}s",
    )


def background(
    mbps: float,
    seconds: float,
    *,
    packets: int = 100,
    ways: tuple[str, ...] = ("forward", "reverse"),
) -> list[dict[str, Any]]:
    """Transfers of a mean of so many packets that fill so much of each way."""
    per_second = mbps * 1e6 / PACKET_BITS / packets
    return [
        {
            "startup": SLOW_START,
            "sessions": round(per_second * seconds),
            "interval": f"exponential:mean={1e3 / per_second:.4f}ms",
            "pages": "1",
            "objects": "1",
            "size": f"pareto2:mean={packets},shape=1.5",
            "single_connection": True,
            "direction": way,
            "clients": 50,
            "servers": 50,
        }
        for way in ways
    ]
