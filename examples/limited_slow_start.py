r"""Limited slow start (RFC 3742 §2), written in Python.

The same rules as `crates/control/src/startup/limited_slow_start.rs` has under the `rfc`
stack, so the same packets leave at the same times. From this folder's parent:

    flowstart compare --rate 50Mbps --rtt 80ms --size 10MB \
        --startup limited-slow-start,examples/limited_slow_start.py:LimitedSlowStart
"""

import math

import flowstart as fs

LIMIT = 2
"""What one ACK may add below `max_ssthresh`, in segments (RFC 3465's L)."""


class LimitedSlowStart(fs.Startup):
    """At most half of `max_ssthresh` is added per round trip once the window exceeds it."""

    def __init__(self, max_ssthresh: float = 100) -> None:
        self.max_ssthresh = max_ssthresh
        self.after_a_timeout = False

    def on_ack(self, w: fs.Window, a: fs.signals.Ack) -> None:
        """Above `max_ssthresh` an ACK adds int(MSS/K) bytes, K = int(cwnd/(max_ssthresh/2))."""
        if w.cwnd <= self.max_ssthresh:
            w.cwnd += self.earned(w, a)
            return
        cwnd = math.floor(w.cwnd * w.mss + 0.5)
        k = math.floor(cwnd / (0.5 * self.max_ssthresh * w.mss))
        # The RFC's int(MSS/K) would be zero in a huge window, and growth would cease.
        w.cwnd += self.earned(w, a) * (max(w.mss // k, 1) / w.mss)

    def on_loss(self, w: fs.Window, loss: fs.signals.Loss) -> None:
        """Ends the slow start after a timeout; the congestion control reduces cwnd."""
        self.after_a_timeout = False

    def on_timeout(self, w: fs.Window, t: fs.signals.Timeout) -> None:
        """ACKs may now cover what had arrived long before: one segment each is credited."""
        self.after_a_timeout = True

    def earned(self, w: fs.Window, a: fs.signals.Ack) -> float:
        """The segments for which an ACK earns growth (RFC 3465 §2.3, RFC 7661 §4)."""
        if not a.cwnd_limited:
            return 0.0
        return min(w.segments(a.credit), 1.0 if self.after_a_timeout else LIMIT)
