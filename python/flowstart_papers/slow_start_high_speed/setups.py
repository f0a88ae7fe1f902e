"""The slides' set-up: objects of 1 GB across the Pacific, and what they leave open."""

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
"""A first window that is spread over the first round trip."""
TWIN = "QS unpaced"
"""The paced one's window, sent as QS-app sends its own."""

ENDLESS = "10000000pkt"
"""A queue that nothing here fills."""
RETRIES = 15
"""Linux's tcp_retries2: so many timeouts in a row end a connection."""

# Other traffic next to one transfer: web sessions that enter behind its server's interface.

INTERFACE = 100
"""In Mbit/s."""
NARROWEST = (10, 50, 80, 100, 200, 400)
"""In Mbit/s; capacity shrinks on the first three."""
LOADS = (0.05, 0.3, 0.6)
"""What other traffic takes of the narrowest link."""
BEGIN_S = 3.0
"""When the transfer begins; the other traffic begins at once."""
MEAN_PACKETS = 30
MSS = 1460

Handover = Literal["at once", "spread", "never dropped"]
Asks = int | Literal["interface", "narrowest"]


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

    @property
    def holds(self) -> float:
        """The narrowest link's rate times the round trip, in packets of 1500 bytes."""
        rtt_ms = float(self.rtt.removesuffix("ms"))
        return min(self.interface, self.narrowest) * 1e3 * rtt_ms / (8 * 1500)


@dataclass(frozen=True)
class Patience:
    """When somebody gives a transfer up, which resets its connection."""

    timeouts: int = RETRIES
    """After so many of the sender's timeouts in a row."""
    silence_s: float = float("inf")
    """After so long without progress, of whoever it is that waits."""


@dataclass(frozen=True)
class Setup:
    """What the slides leave open; the defaults are the literal reading.

    One and the same server, with one queue at its interface, stands before every path and sends
    for every scheme.
    """

    queue: str = "1000pkt"
    """What the interface's queue holds; a BDP is that of the interface's rate."""
    handover: Handover = "at once"
    """How a first window enters that queue: at once, no faster than the interface sends, or with
    everything else into one that never drops."""
    buffer: str = "0.1bdp"
    """Of a link that is narrower than the interface; a BDP is that of its own rate."""
    iw: str = "3"
    ack: str = "delayed"
    growth: str = "per-ack"
    recovery: str = "sack"
    rto_min: str = "1s"
    max_ssthresh: int = 100
    after: str = "avoidance"
    """What follows QS-app's first window."""
    asks: Asks = "interface"
    """The rate that the paced window is made for: one of the path's, or so many Mbit/s."""
    sack_us: float = 0.0
    """What it takes to read a SACK block, in microseconds per Gbit/s of the interface."""
    socket: str = ""
    """The client's socket buffer; without limit if not given."""
    gap: str = "1s"
    """Between the starts of simultaneous sessions."""
    patience: Patience = Patience()


LITERAL = Setup()


def transfer(
    scheme: str, path: Path, setup: Setup = LITERAL, *, sessions: int = 1, window_mbps: int = 0
) -> Document:
    """1 GB by one connection, or by several from one server.

    `window_mbps` is the rate that the first window is made for, in place of the set-up's.
    """
    flow = {
        "startup": startup(scheme, path, setup, window_mbps),
        "size": OBJECT,
        "count": sessions,
        "stagger": setup.gap,
    }
    if setup.socket:
        # As in HTTP; a client that only answers the SYN shows no more than 64 KB of its window.
        flow["opener"] = "receiver"
    return {"path": network(path, setup), "stack": stack(path, setup), "flows": [flow]}


def network(path: Path, setup: Setup = LITERAL) -> dict[str, Any]:
    """The server's interface with its queue, and behind it the narrowest link with its own."""
    queue = ENDLESS if setup.handover == "never dropped" else setup.queue
    return {
        "hops": [
            {"rate": f"{path.interface}Mbps", "delay": "0s", "buffer": queue},
            {
                "rate": f"{path.narrowest}Mbps",
                "delay": f"{float(path.rtt.removesuffix('ms')) / 2:g}ms",
                "buffer": setup.buffer,
            },
        ],
        "hosts": 1,
    }


def stack(path: Path, setup: Setup = LITERAL) -> dict[str, Any]:
    """The hosts' TCP."""
    fields = {
        "preset": "rfc",
        "iw": setup.iw,
        "ack": setup.ack,
        "recovery": setup.recovery,
        "rto_min": setup.rto_min,
        "max_timeouts": RETRIES,
    }
    if setup.socket:
        fields["window"] = setup.socket
    if setup.sack_us and setup.recovery == "sack":
        fields["sack_cost"] = f"{setup.sack_us * path.interface / 1000:g}us"
    return fields


def startup(scheme: str, path: Path, setup: Setup = LITERAL, window_mbps: int = 0) -> str:
    """A scheme of the slides in the simulator's words."""
    if scheme == "Reno":
        return f"slow-start:growth={setup.growth}"
    if scheme == "LSS":
        return f"limited-slow-start:growth={setup.growth},max_ssthresh={setup.max_ssthresh}"
    rate = window_mbps or (path.interface if scheme == "QS-app" else _asked(path, setup.asks))
    # Spread over a round trip, the interface's window leaves no faster than the interface sends.
    paced = scheme == PACED or setup.handover == "spread"
    return f"qs-app:interface_rate={rate}Mbps,paced={str(paced).lower()},after={setup.after}"


def _asked(path: Path, asks: Asks) -> int:
    if asks == "interface":
        return path.interface
    return min(path.interface, path.narrowest) if asks == "narrowest" else asks


def _short(mbps: int) -> str:
    return f"{mbps // 1000}G" if mbps >= 1000 else f"{mbps}M"


def with_web(
    path: Path,
    load: float,
    seed: int,
    startup: str,
    size: str,
    *,
    lasts_s: float = 100.0,
    both_ways: bool = False,
) -> Document:
    """One transfer that begins amid others, for which sessions come for `lasts_s`."""
    bits = 8 * (MSS + 40) * MEAN_PACKETS
    arrivals = (2 if both_ways else 1) * load * path.narrowest * 1e6 / bits
    return {
        "seed": seed,
        "path": network(path, LITERAL) | {"hosts": 1},
        "stack": stack(path, LITERAL),
        "flows": [{"startup": startup, "start": f"{BEGIN_S:g}s", "size": size}],
        "web": [
            {
                "startup": "slow-start:growth=per-ack",
                "sessions": round(arrivals * lasts_s),
                "interval": f"exponential:mean={1 / arrivals:.6f}s",
                "direction": "alternate" if both_ways else "forward",
                "pages": 1,
                "objects": 1,
                "size": f"pareto2:mean={MEAN_PACKETS},shape=1.5",
                "single_connection": True,
                "from_hop": 1,
            }
        ],
    }
