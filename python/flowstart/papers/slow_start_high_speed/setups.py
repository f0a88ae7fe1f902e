"""The slides' set-up: objects of 1 GB across the Pacific, and what they leave to be chosen."""

from dataclasses import dataclass
from typing import Any, Literal

from flowstart.model.document import Document

CHICAGO = "180ms"
NORTH_CAROLINA = "220ms"
OBJECT = "1GB"
OBJECT_PACKETS = 684932
"""The same in packets of 1460 bytes, as web sessions count."""

SCHEMES = ("QS-app", "Reno", "LSS")
"""QS-app opens with the interface's window, Reno by slow start, LSS by limited slow start."""
PACED = "QS paced"
"""QS-app's window, spread over the first round trip."""

NARROWEST_BUFFER = "0.2bdp"
"""Of a link that is narrower than the server's interface."""
INTERFACE_QUEUE = {100: 3000, 1000: 3000, 10_000: 30_000}
"""Packets that wait for an interface, by its rate in Mbit/s."""
ALIKE = 25.0
"""Percent of the smaller: nearer than this, two numbers count as similar."""

Handover = Literal["spread", "at once", "never dropped"]


@dataclass(frozen=True)
class Path:
    """A server's interface, and the narrowest link behind it."""

    interface: int
    """In Mbit/s."""
    narrowest: int
    """In Mbit/s; the interface is the narrowest link itself where this is not below it."""
    rtt: str = CHICAGO

    @property
    def name(self) -> str:
        """As the slides write it: `10G-1G`."""
        return f"{_short(self.interface)}-{_short(self.narrowest)}"

    @property
    def expands(self) -> bool:
        """Whether capacity does not shrink behind the interface."""
        return self.interface <= self.narrowest


@dataclass(frozen=True)
class Host:
    """What the slides do not tell of the server and its client."""

    iw: str = "3"
    ack: str = "delayed"
    growth: str = "per-ack"
    recovery: str = "sack"
    max_ssthresh: int = 100
    after: str = "avoidance"
    """What follows QS-app's first window."""
    sack_us: float = 5.0
    """What it takes to read a SACK block, in microseconds per Gbit/s of the interface."""
    handover: Handover = "spread"
    """How QS-app's window enters the queue of an interface that is the narrowest link: at the
    interface's speed, at once, or with all others into a queue that never drops."""


def transfer(
    scheme: str,
    path: Path,
    host: Host | None = None,
    *,
    buffer: str = "",
    sessions: int = 1,
    gap: str = "1s",
    window_mbps: int = 0,
) -> Document:
    """1 GB by one connection, or by several from one server, a `gap` between their starts.

    `window_mbps` is the rate that QS-app's window is made for, the interface's by default.
    """
    host = host or Host()
    return {
        "path": network(path, host, buffer),
        "stack": stack(path, host),
        "flows": [
            {
                "startup": startup(scheme, path, host, window_mbps),
                "size": OBJECT,
                "count": sessions,
                "interval": gap,
            }
        ],
    }


def network(path: Path, host: Host, buffer: str = "") -> dict[str, Any]:
    """The narrowest link with its queue, and the interface before it if that is another."""
    narrow = {"rtt": path.rtt, "hosts": 1}
    if path.expands and host.handover != "never dropped":
        queue = buffer or f"{INTERFACE_QUEUE[path.interface]}pkt"
        return narrow | {"rate": f"{path.interface}Mbps", "buffer": queue}
    return narrow | {
        "rate": f"{path.narrowest}Mbps",
        "buffer": buffer or NARROWEST_BUFFER,
        "nic_rate": f"{path.interface}Mbps",
    }


def stack(path: Path, host: Host) -> dict[str, Any]:
    """The hosts' TCP."""
    reading = {"sack_cost": f"{host.sack_us * path.interface / 1000:g}us"}
    return {
        "iw": host.iw,
        "ack": host.ack,
        "recovery": host.recovery,
        "max_timeouts": 8,
        **(reading if host.recovery == "sack" else {}),
    }


def startup(scheme: str, path: Path, host: Host | None = None, window_mbps: int = 0) -> str:
    """A scheme of the slides in the simulator's words."""
    host = host or Host()
    if scheme == "Reno":
        return f"slow-start:growth={host.growth}"
    if scheme == "LSS":
        return f"limited-slow-start:growth={host.growth},max_ssthresh={host.max_ssthresh}"
    # Where the interface is the bottleneck itself, it is what spreads a window handed to it.
    spread = scheme == PACED or (path.expands and host.handover == "spread")
    rate = window_mbps or path.interface
    return f"qs-app:interface_rate={rate}Mbps,paced={str(spread).lower()},after={host.after}"


def _short(mbps: int) -> str:
    return f"{mbps // 1000}G" if mbps >= 1000 else f"{mbps}M"
