"""The paper's set-up (Sec. II), with everything that it leaves open in one place."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from flowstart.model.document import Document

RATES = {"384kbps": "384 kbit/s", "100Mbps": "100 Mbit/s", "1Gbps": "1 Gbit/s"}
"""The router links, with their names in tables and figures."""

DELAYS = (1, 3, 5, 10, 50, 100, 200, 500, 1000)
"""One-way delays of Table I in milliseconds."""

QUEUE = "150pkt"
ENDLESS_QUEUE = "1000000pkt"
"""The paper has both: the one in Sec. II, the other in Sec. IV."""
ADVERTISED = "10000pkt"
HOST_RATE = "1Gbps"
ROUTERS = {"threshold": "90%", "allocation": "90%"}

SLOW_START = "slow-start"
REQUEST = {"request": "163.84Mbps", "sizing": "fixed", "qs_thresh": "1", "min_window": "2"}
STACK = {"iw": "3", "coarse_pacing": True}


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

    packets: int = 120
    """What "120 kB" are."""
    host_delay: float = 1.0
    """Of each host's own line, in milliseconds."""
    host_rate: str = HOST_RATE
    links: tuple[Link, ...] = (Link(),)
    queue: str = QUEUE
    stack: Mapping[str, Any] = field(default_factory=lambda: dict(STACK))
    request: Mapping[str, str] = field(default_factory=lambda: dict(REQUEST))
    """Quick-Start's parameters."""
    routers: Mapping[str, str] = field(default_factory=lambda: dict(ROUTERS))

    def but(self, **stack: Any) -> "Setting":
        """The same with other fields of the stack."""
        return replace(self, stack={**self.stack, **stack})

    def asking(self, **request: str) -> "Setting":
        """The same with other parameters of Quick-Start."""
        return replace(self, request={**self.request, **request})

    @property
    def quick_start(self) -> str:
        """The start-up."""
        return "quick-start:" + ",".join(f"{name}={value}" for name, value in self.request.items())


TABLE1 = Setting()
"""The one that gives all 27 cells of Table I."""


def transfer(setting: Setting, rate: str, delay: float, startup: str) -> Document:
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
        "flows": [{"startup": startup, "size": f"{setting.packets}pkt"}],
    }
