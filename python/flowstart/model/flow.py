"""The traffic of a scenario: connections, and the web sessions of people."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from flowstart.model.custom import StartupLike


@dataclass(frozen=True, kw_only=True)
class Write:
    """Bytes that the application hands to its connection at a time of its own."""

    at: str
    size: str


@dataclass(frozen=True, kw_only=True)
class Flow:
    """A connection, or `count` of them one `interval` after the other."""

    startup: StartupLike | None = None
    """The start-up; one that is left out is the one under comparison in `compare`."""
    avoidance: str | None = None
    size: str | None = None
    mss: str | None = None
    """Maximum segment size; the stack's unless given."""
    start: str | None = None
    count: int | None = None
    interval: str | None = None
    jitter: str | None = None
    """Each opening is moved by a uniform draw from zero to this."""
    direction: str | None = None
    """`forward`, `reverse` or `alternate`."""
    rtt: str | None = None
    """This flow's own two-way propagation, at least the path's."""
    handshake: bool | None = None
    remembered: str | None = None
    """The window that an earlier connection left behind, for start-ups that use a memory."""
    interface_rate: str | None = None
    """What a start-up takes for the rate of its host's interface; the first link's by default."""
    writes: Sequence[Write] | None = None
    """What the application writes, instead of `size`."""
    from_hop: int | None = None
    """Where in the chain it enters, counted from 0."""
    to_hop: int | None = None
    forced_drops: Sequence[int] | None = None
    """Packets to lose at the bottleneck, the SYN being number 0."""


Law: TypeAlias = str | float
"""A distribution, such as `exponential:mean=0.5s` or `pareto2:mean=4,shape=1.2`, or a value.

There are `constant`, `uniform`, `exponential`, `pareto`, `pareto2`, `weibull` and `lognormal`.
"""


@dataclass(frozen=True, kw_only=True)
class Web:
    """Sessions of people who read page after page, each of several objects."""

    startup: StartupLike | None = None
    """The responses' start-up; one that is left out is the one under comparison in `compare`."""
    avoidance: str | None = None
    interface_rate: str | None = None
    """What the start-up takes for the rate of its host's interface."""
    sessions: int | None = None
    start: str | None = None
    interval: Law | None = None
    """From one session's beginning to the next one's."""
    pages: Law | None = None
    """Pages of a session."""
    page_pause: Law | None = None
    """From page to page."""
    page_pause_from: str | None = None
    """Whether that is counted from the `end` of a page or from its `start`."""
    objects: Law | None = None
    """Objects of a page."""
    object_pause: Law | None = None
    """From request to request within a page."""
    size: Law | None = None
    """Packets of an object."""
    max_size: int | None = None
    """Packets at which larger objects are cut."""
    request: str | None = None
    """What a request takes; a packet by default."""
    single_connection: bool | None = None
    """Whether a response comes on its request's connection; in ns-2 it opens another."""
    direction: str | None = None
    """`forward` with the servers on the left, `reverse`, or `alternate` by session."""
    clients: int | None = None
    """Hosts that read, each session at one of them."""
    servers: int | None = None
    """Hosts that answer, each page from one of them."""
    from_hop: int | None = None
    to_hop: int | None = None
