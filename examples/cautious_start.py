"""Cautious start: slow start that ends when round-trip times have risen by a share."""

import flowstart as fs


class CautiousStart(fs.Startup):
    """An example and no published algorithm; `rise` is how far a round trip may rise."""

    def __init__(self, rise: float = 0.25) -> None:
        self.rise = rise
        self.least: int | None = None

    def on_established(self, w: fs.Window, e: fs.signals.Established) -> None:
        """The handshake gives the first round trip."""
        self.least = e.rtt

    def on_ack(self, w: fs.Window, a: fs.signals.Ack) -> fs.signals.Reason | None:
        """Grows by what was acknowledged, until a round trip shows that a queue has grown."""
        if a.rtt is not None and self.is_late(a.rtt):
            w.ssthresh = w.cwnd  # at the threshold the congestion control is in charge
            return "delay"
        if a.cwnd_limited:
            w.cwnd += w.segments(a.credit)
        return None

    def is_late(self, rtt: int) -> bool:
        """Whether a round-trip time, in nanoseconds, shows that a queue has grown."""
        self.least = rtt if self.least is None else min(self.least, rtt)
        return rtt > (1 + self.rise) * self.least
