"""What may cope with a fast start: in the sender, at the receiver, in routers, by the network."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Place = Literal["line", "core", "enterprise", "fast hosts"]
"""Where transfers meet: on a shared line, in a core wider than all edges together, or in a
competing flows' network that is wider than its hosts' lines, or narrower."""


PACKET_KBIT = 12
"""1500 bytes."""


@dataclass(frozen=True)
class Line:
    """The line that transfers share, to which knobs are set."""

    mbps: float
    rtt_ms: float

    @property
    def bdp(self) -> int:
        """Its bandwidth-delay product in packets."""
        return round(self.mbps * self.rtt_ms / PACKET_KBIT)

    def knobs(self) -> Mapping[str, str]:
        """Shares of the line's rate, and its bandwidth-delay product."""
        rates = {"tenth": self.mbps / 10, "half": self.mbps / 2, "full": self.mbps}
        return {name: f"{rate:g}Mbps" for name, rate in rates.items()} | {"bdp": str(self.bdp)}


@dataclass(frozen=True)
class Measure:
    """One way to cope; texts in braces are knobs of the line."""

    name: str
    by: str
    """The party that has to act."""
    startup: str = "jump-start"
    queue: str = "drop-tail"
    buffer: str = ""
    """The queue's; the set-up's unless given."""
    window: str = ""
    """What receivers advertise at most."""
    place: Place = "line"

    def starts(self, line: Line) -> str:
        """The startup of those who start fast."""
        return self.startup.format_map(line.knobs())

    def path(self) -> dict[str, str]:
        """What it changes at the line."""
        return {"queue": self.queue} | ({"buffer": self.buffer} if self.buffer else {})

    def stack(self, line: Line) -> dict[str, str]:
        """What it changes at the hosts."""
        return {"window": self.window.format_map(line.knobs())} if self.window else {}


NOTHING = Measure("nothing", "none")
CAP_TENTH = Measure("rate cap 1/10", "sender", "jump-start:cap_rate={tenth}")
CAP_HALF = Measure("rate cap 1/2", "sender", "jump-start:cap_rate={half}")
CAP_FULL = Measure("rate cap 1/1", "sender", "jump-start:cap_rate={full}")
TARGET = Measure("target 0.5 s", "sender", "jump-start:target_time=0.5s")
FIRST_WINDOW = Measure("first window 1 BDP", "receiver", "jump-start:max_d={bdp}")
HELD_WINDOW = Measure("window 1 BDP", "receiver", window="{bdp}pkt")
RED = Measure("RED", "router", queue="red")
CHOKE = Measure("CHOKe", "router", queue="choke")
FQ_CODEL = Measure("FQ-CoDel", "router", queue="fq-codel")
FQ_CODEL_DEEP = Measure("deep FQ-CoDel", "router", queue="fq-codel", buffer="1000pkt")
MARKED_ALL = Measure("all marked first", "sender, router", queue="marked-first")
MARKED_EXCESS = Measure(
    "excess marked first", "sender, router", "jump-start:flag=excess", "marked-first"
)
RED_MARKED = Measure("RED with marks", "sender, router", queue="red:marked=first")
CORE = Measure("wide core", "network", place="core")
ENTERPRISE = Measure("enterprise", "network", place="enterprise")
FAST_HOSTS = Measure("enterprise with fast hosts", "network", place="fast hosts")

ALL = (
    NOTHING,
    CAP_TENTH,
    CAP_HALF,
    CAP_FULL,
    TARGET,
    FIRST_WINDOW,
    HELD_WINDOW,
    RED,
    CHOKE,
    FQ_CODEL,
    FQ_CODEL_DEEP,
    MARKED_ALL,
    MARKED_EXCESS,
    RED_MARKED,
    CORE,
    ENTERPRISE,
    FAST_HOSTS,
)
