"""The startups that need no special routers, as fields of a flow's entry."""

from collections.abc import Mapping

REMEMBERED = 26
"""Packets that fast start finds in its memory: the bandwidth-delay product of Jump Start's path."""
INTERFACE = "50Mbps"
"""The rate of the hosts' own lines in Jump Start's second set-up."""


def fast_start(cached_cwnd: int) -> dict[str, str]:
    """Fast start, paced as its paper has it, with so many packets in its memory."""
    return {"startup": "fast-start:paced=true", "cached_cwnd": f"{cached_cwnd}pkt"}


def qs_app(interface: str) -> dict[str, str]:
    """The window that an interface of this rate makes."""
    return {"startup": f"qs-app:interface_rate={interface}"}


_PLAIN = (
    "slow-start",
    "limited-slow-start",
    "hystart",
    "hystart-plus-plus",
    "delay-based-slow-start",
    "vegas-slow-start",
    "packet-pair-start",
    "adaptive-start",
    "modified-swift-start",
    "swift-start",
    "jump-start",
)
ENTRIES: Mapping[str, Mapping[str, str]] = {
    **{name: {"startup": name} for name in _PLAIN},
    "fast-start": fast_start(REMEMBERED),
    "qs-app": qs_app(INTERFACE),
    "quick-start": {"startup": "quick-start"},
    "greedy quick-start": {"startup": "quick-start:request=163.84Mbps,sizing=fixed"},
    **{f"fast-start of {n} packets": fast_start(n) for n in (13, 26, 52, 104)},
    **{f"qs-app at {rate}": qs_app(rate) for rate in ("5Mbps", "10Mbps", "50Mbps", "100Mbps")},
}
"""By the name in tables. A greedy Quick-Start asks for 163.84 Mbit/s whatever it has to send."""

WITHOUT_MEMORY = (*_PLAIN[1:], "qs-app")
"""What needs neither routers nor a memory, which a web session's connections have not."""
WITHOUT_ROUTERS = (*WITHOUT_MEMORY, "fast-start")

MOVED = tuple(name for name in ENTRIES if name.startswith(("fast-start of", "qs-app at")))
"""What fast start remembers and QS-app knows of its interface, moved."""
