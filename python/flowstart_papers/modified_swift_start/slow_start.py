"""Slow start as the paper words it, with what its words leave open.

The catalog's slow start sets the threshold after a timeout to half of what was in flight, and its
window to one segment. The paper divides the threshold itself by two and resets the window to the
initial window (Sec. III), so its slow start has a class here.
"""

from typing import Literal

from flowstart.model.signals import Ack, Established, Timeout
from flowstart.model.startup import Startup, Window
from flowstart_papers.modified_swift_start.hosts import MSS, RECEIVER_WINDOW

FIRST_THRESHOLD = RECEIVER_WINDOW / MSS
"""Segments: the largest window that a header without scaling can advertise."""
LEAST = 2.0
"""Segments below which no threshold falls."""


class PaperSlowStart(Startup):
    """A segment for each ACK; a timeout halves the threshold and restores the first window.

    `threshold` is the first one in segments, None for none; `restart` another window after a
    timeout, in segments; `syn` whether the timeout of a SYN lowers the threshold too; `flight`
    whether a timeout leaves half of what was in flight, whatever the threshold was.
    """

    def __init__(
        self,
        threshold: float | None = FIRST_THRESHOLD,
        restart: float | None = None,
        syn: bool = False,
        flight: bool = False,
    ) -> None:
        self.threshold = float("inf") if threshold is None else threshold
        self.restart = restart
        self.syn = syn
        self.flight = flight

    def on_established(self, w: Window, e: Established) -> None:
        """A connection that opens later than a round trip has lost a SYN to the timer."""
        if self.syn and (e.rtt is None or e.now > e.rtt):
            self._lower(0.0)
        w.cwnd = e.initial_window
        self.restart = self.restart or e.initial_window
        w.ssthresh = self.threshold

    def on_ack(self, w: Window, a: Ack) -> None:  # noqa: ARG002
        """Grows by a segment, whatever the ACK covers."""
        w.cwnd += 1

    def on_timeout(self, w: Window, t: Timeout) -> Literal["done"]:
        """Overrules the congestion control."""
        if not (self.flight and t.repeated):
            self._lower(t.flight / MSS)
        w.cwnd, w.ssthresh = self.restart or 1.0, self.threshold
        return "done"

    def _lower(self, flight: float) -> None:
        base = flight if self.flight else self.threshold
        self.threshold = max(base / 2, LEAST)


PAPER_SLOW_START = f"{__file__}:{PaperSlowStart.__name__}"
