"""Signals: what the hooks of a startup algorithm receive.

Frozen classes: sizes and sequence positions are bytes, windows segments, times whole nanoseconds,
and rates bits per second. The simulator makes them.

Example:
    >>> import flowstart as fs
    >>> class Doubling(fs.Startup):
    ...     def on_ack(self, w: fs.Window, a: fs.signals.Ack) -> None:
    ...         w.cwnd += w.segments(a.credit)
    >>> path = fs.NetworkPath(rate="5Mbps", rtt="64ms")
    >>> flow = fs.Flow(startup=Doubling, size="30kB")
    >>> fs.run(fs.Scenario(path=path, flows=[flow])).frame["complete"].to_list()
    [True]
"""

from flowstart.model.signals import (
    Ack,
    Delivery,
    Established,
    Feedback,
    Idle,
    Loss,
    Marked,
    PathInfo,
    PathMemory,
    PeerGap,
    RateSample,
    Recovered,
    Sent,
    Syn,
    Timeout,
)
from flowstart.model.startup import Reason

__all__ = [
    "Ack",
    "Delivery",
    "Established",
    "Feedback",
    "Idle",
    "Loss",
    "Marked",
    "PathInfo",
    "PathMemory",
    "PeerGap",
    "RateSample",
    "Reason",
    "Recovered",
    "Sent",
    "Syn",
    "Timeout",
]
