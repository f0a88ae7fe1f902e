"""The networks that two camps share: Jump Start's, Modified Swift Start's and Quick-Start's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from flowstart.model.document import Document
from flowstart_papers.jump_start import setups as jump_start
from flowstart_papers.mixed_traffic.camps import Setting

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

JITTER_MS = 10
"""Each connection of the regular ones opens up to so much later."""
APART_MS = 20_000
"""Far enough for each connection to be over before the next one opens."""

RANDOMLY = 10
"""Jitter in intervals at which connections that were to come regularly come at random."""

SWIFT_USERS = 10
ENDLESS = "endless"
"""As in the paper's routers."""


@dataclass(frozen=True)
class Line:
    """One of Modified Swift Start's lines and what is transferred over it."""

    rate: str
    access_delay: str
    """Half of what the paper's round trips have beyond the packets' own way."""
    kilobytes: int
    spread_ms: int
    """Within which all ten open: as long as the line needs for their data."""


LINES = {
    "T1": Line("1.544Mbps", "48046707ns", 100, 5200),
    "OC-1": Line("51.84Mbps", "35837895ns", 1000, 1550),
}

QUICK_USERS = 40
ROUTERS = {"threshold": "90%", "allocation": "90%"}
"""How far the Quick-Start paper's routers give their links away."""
QUICK_EVERY_MS = 250
QUICK_FROM_MS = 5000
"""When the load has been there for a while."""


def contention(interval_ms: int, *, jitter_ms: int = JITTER_MS, **path: Any) -> Setting:
    """Jump Start's 200 connections of 200 packets, one each interval; `path` changes the path."""
    return Setting(
        {"interval (s)": interval_ms / 1000},
        jump_start.CONNECTIONS,
        partial(_contention, interval_ms, jitter_ms, path),
        partial(_contention, APART_MS, jitter_ms, path),
    )


def _contention(
    interval_ms: int,
    jitter_ms: int,
    path: Mapping[str, Any],
    startups: Sequence[str],
    seed: int,
) -> Document:
    jitter = f"{jitter_ms}ms"
    document = jump_start.contention(f"{interval_ms}ms", "slow-start", seed, jitter=jitter)
    (every,) = document["flows"]
    document["path"] |= path
    document["flows"] = [
        {
            **ENTRIES[startup],
            "size": every["size"],
            "start": f"{i * interval_ms}ms",
            "jitter": every["jitter"],
            "direction": ("forward", "reverse")[i % 2],
        }
        for i, startup in enumerate(startups)
    ]
    return document


def at_random(interval_ms: int, **path: Any) -> Setting:
    """The same connections at random moments; nothing keeps them apart or together."""
    return contention(interval_ms, jitter_ms=RANDOMLY * interval_ms, **path)


def web(sessions: int = 50) -> Setting:
    """Jump Start's sessions that read the web; a session uses one startup throughout."""
    return Setting(
        {"sessions": sessions},
        sessions,
        partial(_web, 5),
        # A session may take minutes where it has drawn a large object.
        partial(_web, 1_000_000),
    )


def _web(interval_ms: int, startups: Sequence[str], seed: int) -> Document:
    """Every session is an entry of its own, for what it draws depends on the entry's number."""
    document = jump_start.web("slow-start", seed)
    (all_sessions,) = document["web"]
    common = {name: value for name, value in all_sessions.items() if name != "interval"}
    document["web"] = [
        {**common, **ENTRIES[startup], "sessions": 1, "start": f"{i * interval_ms}ms"}
        for i, startup in enumerate(startups)
    ]
    return document


def swift(line: str, delay_ms: float, buffer: str, *, times: float = 1) -> Setting:
    """Ten transfers that share one of Modified Swift Start's lines, `times` as large as usual."""
    return Setting(
        {
            "line": line,
            "delay (s)": delay_ms / 1000,
            "buffer": buffer,
            "size (kB)": times * LINES[line].kilobytes,
        },
        SWIFT_USERS,
        partial(_swift, line, delay_ms, buffer, times, 0, LINES[line].spread_ms * times),
        partial(_swift, line, delay_ms, buffer, times, 1000, 0),
    )


def _swift(
    line: str,
    delay_ms: float,
    buffer: str,
    times: float,
    every_s: int,
    spread_ms: float,
    startups: Sequence[str],
    seed: int,
) -> Document:
    return {
        "seed": seed,
        "path": {
            "hops": [{"rate": LINES[line].rate, "delay": f"{delay_ms}ms"}],
            "buffer": "100000pkt" if buffer == ENDLESS else buffer,
            "router_pps": 5000,
            "access_rate": "100Mbps",
            "access_delay": LINES[line].access_delay,
            "access_at": "left",
        },
        "stack": {"preset": "opnet"},
        "flows": [
            {
                **ENTRIES[startup],
                "size": f"{times * LINES[line].kilobytes:.0f}kB",
                "start": f"{i * every_s}s",
                "jitter": f"{spread_ms:.0f}ms",
            }
            for i, startup in enumerate(startups)
        ],
    }


def quick(load: int) -> Setting:
    """Forty transfers of the Quick-Start paper over 100 Mbit/s, next to sessions of its load."""
    return Setting(
        {"load (sessions)": load},
        QUICK_USERS,
        partial(_quick, load, QUICK_EVERY_MS),
        partial(_quick, 0, APART_MS),
    )


def _quick(load: int, every_ms: int, startups: Sequence[str], seed: int) -> Document:
    return {
        "seed": seed,
        "path": {
            "rate": "100Mbps",
            "rtt": "100ms",
            "buffer": "150pkt",
            "access_rate": "1Gbps",
            "access_delay": "1ms",
            "quick_start": ROUTERS,
        },
        "stack": {"preset": "ns2", "iw": "3"},
        "flows": [
            {
                **ENTRIES[startup],
                "size": "120pkt",
                "start": f"{QUICK_FROM_MS + every_ms * i}ms",
                "jitter": "100ms",
            }
            for i, startup in enumerate(startups)
        ],
        **({"web": [_load(load)], "duration": "40s"} if load else {}),
    }


def _load(sessions: int) -> dict[str, Any]:
    """The paper's web traffic, in slow start; it goes on until the run is cut."""
    return {
        "startup": "slow-start",
        "sessions": sessions,
        "interval": "50ms",
        "pages": 30,
        "page_pause": "exponential:mean=0.8s",
        "objects": 10,
        "object_pause": "exponential:mean=50ms",
        "size": "pareto2:mean=400,shape=1.2",
    }
