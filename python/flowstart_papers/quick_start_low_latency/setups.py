"""The paper's set-up (Sec. II): its literal reading, and the one that was decoded from Table I."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from flowstart.model.document import Document

RATES = {"384kbps": "384 kbit/s", "100Mbps": "100 Mbit/s", "1Gbps": "1 Gbit/s"}
"""The router links, with their names in tables and figures."""

DELAYS = (1, 3, 5, 10, 50, 100, 200, 500, 1000)
"""One-way delays of Table I in milliseconds."""
LOW = tuple(delay for delay in DELAYS if delay <= 50)
HIGH = tuple(delay for delay in DELAYS if delay >= 100)
"""What the paper calls low and high latency."""

QUEUE = "150pkt"
ENDLESS_QUEUE = "1000000pkt"
"""The paper has both: the one in Sec. II, the other in Sec. IV."""
ADVERTISED = "10000pkt"
HOST_RATE = "1Gbps"
ROUTERS = {"threshold": "90%", "allocation": "90%"}
MSS = 1460
"""Bytes."""
TABLE1_KB = 120

SLOW_START = "slow-start"
OPEN_REQUEST = {"request": "1.31072Gbps", "sizing": "fixed"}
"""The largest rate that a request can name: routers alone decide."""
INITIAL_WINDOW = 3
"""Packets, under slow start and after a refusal."""
STACK = {"iw": str(INITIAL_WINDOW), "coarse_pacing": True}


@dataclass(frozen=True)
class Link:
    """A link between two routers."""

    slow: bool = True
    """Whether it has the rate under test; the others have the hosts' rate."""
    delay: float = 1.0
    """Its share of the delay under test."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What the paper does not print, or prints so that it can be read in two ways."""

    kilobyte: int = 1000
    """Bytes of payload in what the paper calls a kB."""
    host_delay: float = 0.0
    """Of each host's own line, in milliseconds."""
    host_rate: str = HOST_RATE
    links: tuple[Link, ...] = (Link(), Link())
    queue: str = QUEUE
    stack: Mapping[str, Any] = field(default_factory=lambda: dict(STACK))
    request: Mapping[str, str] = field(default_factory=lambda: dict(OPEN_REQUEST))
    """Quick-Start's parameters."""
    routers: Mapping[str, str] = field(default_factory=lambda: dict(ROUTERS))

    def but(self, **stack: Any) -> "Setting":
        """The same with other fields of the stack."""
        return replace(self, stack={**self.stack, **stack})

    def asking(self, **request: str) -> "Setting":
        """The same with other parameters of Quick-Start."""
        return replace(self, request={**self.request, **request})

    def packets(self, kilobytes: float) -> int:
        """How many packets a transfer of so many kB has; ns-2 sends whole packets."""
        return math.ceil(kilobytes * self.kilobyte / MSS)

    def kilobytes(self, packets: int) -> float:
        """The reverse: where a transfer stands on the paper's axes."""
        return packets * MSS / self.kilobyte

    def round_trip(self, delay: float) -> float:
        """The path's propagation there and back in seconds, for a delay in milliseconds."""
        links = sum(link.delay for link in self.links) * delay
        return 2 * (links + 2 * self.host_delay) / 1000

    @property
    def quick_start(self) -> str:
        """The startup."""
        return "quick-start:" + ",".join(f"{name}={value}" for name, value in self.request.items())


WEB_SESSION = {
    "interval": "exponential:mean=0.2s",
    "pages": 30,
    "page_pause": "exponential:mean=0.8s",
    "objects": 10,
    "object_pause": "exponential:mean=10ms",
    "size": "pareto2:mean=400,shape=1.2",
}
"""As printed, with ns-2's example for the rest: how objects follow each other and vary."""

LITERAL = Setting()
"""What the paper prints, as it prints it; what it does not print as ns-2 has it by itself, or not
there at all. All measurements are taken on it, unless an experiment says otherwise."""

DECODED = Setting(
    kilobyte=MSS,
    host_delay=1.0,
    links=(Link(),),
    request={"request": "163.84Mbps", "sizing": "fixed", "min_window": "2"},
)
"""Five inputs fitted to Table I: together they give all of its 27 cells."""


def transfer(setting: Setting, rate: str, delay: float, packets: int, startup: str) -> Document:
    """One transfer over an idle path of this delay in milliseconds."""
    return {
        "path": {
            "hops": [
                {
                    "rate": rate if link.slow else setting.host_rate,
                    "delay": f"{link.delay * delay:g}ms",
                }
                for link in setting.links
            ],
            "buffer": setting.queue,
            "access_rate": setting.host_rate,
            "access_delay": f"{setting.host_delay:g}ms",
            "quick_start": setting.routers,
        },
        "stack": {"preset": "ns2", "window": ADVERTISED, **setting.stack},
        "flows": [{"startup": startup, "size": f"{packets}pkt"}],
    }
