"""The testbed: two hosts, a dummynet bottleneck, senders and receivers of 2008."""

from collections.abc import Mapping
from dataclasses import dataclass, field
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
"""TCP-SACK: Reno's congestion control; the stack repairs by SACK."""
CUBIC = "cubic:variant=2008"
"""Linux 2.6.23's."""

EVERY = {"ack": "every"}
LINUX = {"ack": "quick-then-delayed", "ack_timer": "40ms"}
FREEBSD = {"ack": "delayed", "ack_timer": "100ms"}
WINDOWS = {"ack": "delayed", "ack_timer": "200ms"}
RECEIVERS = {"Linux": LINUX, "FreeBSD": FREEBSD, "Windows": WINDOWS}
"""By the ACKs they send: sixteen quick ones first or not, and how long an odd one waits."""

LINUX_TIMER = {"rto_min": "200ms", "tick": "200ms"}
"""Linux' retransmission timer: the smoothed round-trip time and at least 200 ms."""
RFC_TIMER = {"rto_min": "1s", "tick": "1ms"}
"""RFC 2988's: at least a second."""

FIG1 = (400.0, 370.0)
"""Mbit/s and ms. Only 370 ms makes the 12 333 packets of Fig. 1; the text has 2 x 180 ms."""
FIG2 = (100.0, 106.0)
"""The caption's 106 ms makes its 883 packets; the text has 102 ms."""
FIG3 = (400.0, 160.0)


@dataclass(frozen=True, kw_only=True)
class Setup:
    """The inputs that the paper leaves open; as they stand here, its literal reading."""

    iw: str = "3"
    """Initial window in packets: that of the named kernel for segments of 1448 bytes."""
    quick: int = 16
    """Segments that a Linux receiver acknowledges at once."""
    tick: str = "1ms"
    """Resolution of the sender's clock."""
    timer: Mapping[str, str] = field(default_factory=lambda: LINUX_TIMER)
    sack_cost: str = "0s"
    """What the sender takes to read one SACK block."""
    fig1: tuple[float, float] = FIG1
    fig1_cc: str = CUBIC
    fig1_second: float | None = None
    """When a second flow begins, in seconds; None for none."""
    fig2: tuple[float, float] = FIG2
    fig2_second: float = 10.0
    """When the second flow begins, in seconds."""
    interrupts: Mapping[str, str] = field(default_factory=dict)
    """When the hosts of Fig. 2 see packets; by default as they come."""
    fig3_delayed: Mapping[str, str] = field(default_factory=lambda: WINDOWS)
    """The receiver of Fig. 3 (c)."""
    fig3_starts: tuple[float, float] = (1.0, 7.0)
    """Seconds."""
    fig3_packets: int = 100
    """Mean size of the flows in Fig. 3's background."""
    fig4_fixed: tuple[float, float] = (400.0, 160.0)
    """Mbit/s and ms that hold in Fig. 4 where they are not swept, and the rate in Fig. 5."""
    traffic: float = 0.0
    """Share of the link, each way, that others take in Fig. 4 and 5."""
    fig5_sack: bool = True
    """Whether FreeBSD's and Windows' receivers report what has arrived above a hole."""

    def stack(self, receiver: Mapping[str, str] = LINUX, /, **fields: Any) -> dict[str, Any]:
        """A Linux 2.6 sender with one of the receivers."""
        ends: dict[str, Any] = {"preset": "rfc", "iw": self.iw, **self.timer, **receiver}
        if receiver == LINUX and self.quick != LITERAL.quick:
            ends["ack_quick"] = self.quick
        if self.sack_cost != LITERAL.sack_cost:
            ends["sack_cost"] = self.sack_cost
        return {**ends, **fields}

    def startup(self, name: str) -> str:
        """One of the three, with this clock."""
        ticks = f",tick={self.tick}" if name == "Hybrid Slow Start" else ""
        return THREE[name] + (ticks if self.tick != LITERAL.tick else "")


LITERAL = Setup()


def stack(receiver: Mapping[str, str] = LINUX, /, **fields: Any) -> dict[str, Any]:
    """The literal reading's hosts."""
    return LITERAL.stack(receiver, **fields)


def bdp(mbps: float, rtt_ms: float) -> float:
    """Bandwidth times delay, in packets."""
    return mbps * 1e3 * rtt_ms / PACKET_BITS


def path(mbps: float, rtt_ms: float, buffer: float = 1.0, **fields: Any) -> dict[str, Any]:
    """The bottleneck; `buffer` in products of bandwidth and delay, whole packets as in Fig. 1."""
    packets = max(1, int(buffer * bdp(mbps, rtt_ms)))
    return {"rate": f"{mbps:g}Mbps", "rtt": f"{rtt_ms:g}ms", "buffer": f"{packets}pkt", **fields}


def one(
    link: dict[str, Any],
    startup: str,
    duration: str,
    *,
    cc: str = SACK,
    ends: dict[str, Any] | None = None,
    **flow: Any,
) -> Document:
    """A connection without end on an idle path."""
    return {
        "duration": duration,
        "path": link,
        "stack": ends or stack(),
        "flows": [{"startup": startup, "cc": cc, **flow}],
    }


def two(
    link: dict[str, Any],
    startup: str,
    starts: tuple[float, float],
    end: float,
    *,
    cc: str = SACK,
    ends: dict[str, Any] | None = None,
) -> Document:
    """Two connections without end, the second into the first; times in seconds."""
    return one(
        link,
        startup,
        f"{end:g}s",
        cc=cc,
        ends=ends,
        start=f"{starts[0]:g}s",
        count=2,
        stagger=f"{starts[1] - starts[0]:g}s",
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
