"""A startup that detects expansion or reduction by the spacing of ACKs, and acts on it.

The slides end with asking for a dynamic detection of path scenarios; this is one, ours and no
published algorithm. It may open with the interface's window, as QS-app does, or by slow start. The
first trains of ACKs show how fast packets came out of the path. Where that is as fast as the
interface sends, capacity expands, and the interface's window is right. Where it is slower,
capacity shrinks: the window becomes what the path was seen to carry in a round trip, and a loss
of what has left by then does not lower it further.
"""

from statistics import median
from typing import Literal

from flowstart.model.signals import Ack, Established, Loss, PathInfo, Recovered
from flowstart.model.startup import Reason, Startup, Window

EXPANDS, SHRINKS = 1.0, -1.0
"""What it detected, in the trace; 0 before."""
FEWEST = 4
"""Gaps between ACKs that a loss is judged by, where it comes before there are enough."""


class DetectingStart(Startup):
    """The interface's window where ACKs show expansion, the path's where they show reduction."""

    def __init__(
        self,
        opening: str = "window",
        paced: bool = False,
        fallback: str = "estimate",
        threshold: float = 0.9,
        enough: float = 16,
    ) -> None:
        """How it opens, and how it uses the spacing of ACKs.

        `opening` is `window` or `slow-start`; `paced` spreads the interface's window. `fallback` is
        `estimate`, what the ACKs say that the path carries, or `slow-start`, which goes on.
        `threshold` is the share of the interface's rate below which ACKs speak for reduction, and
        `enough` is how many gaps between ACKs are looked at.
        """
        self.opens_wide = opening == "window"
        self.paced = paced
        self.falls_back_to = fallback
        self.threshold = threshold
        self.enough = enough
        self.interface = 0
        self.rtt = 0
        self.mss = self.wire = 0
        self.rates: list[float] = []
        self.last: int | None = None
        self.detected = 0.0
        self.path = 0.0
        self.until = 0
        self.over = False

    def on_known(self, k: PathInfo) -> None:
        """The rate of the interface is all that it needs to know."""
        self.interface = k.interface_rate or 0

    def on_established(self, w: Window, e: Established) -> None:
        """Opens wide, if it does; after a lost SYN, and without an interface, by slow start."""
        self.rtt = e.rtt or 0
        self.mss, self.wire = w.mss, w.mss + e.header
        self.over = not (self.rtt and self.interface)
        if self.opens_wide and not self.over:
            self.widen(w)

    def on_ack(self, w: Window, a: Ack) -> Reason | None:
        """Gathers gaps until it can decide; it ends when what left by then is acknowledged."""
        if self.over or self.detected:
            return self.finish(w, a)
        self.gather(a)
        if len(self.rates) >= self.enough:
            self.until = a.nxt
            self.decide(w)
        elif w.in_slow_start and a.cwnd_limited:
            w.cwnd += 1
        return None

    def finish(self, w: Window, a: Ack) -> Reason | None:
        """Slow start up to the threshold, and the end."""
        if not self.over and a.una < self.until:
            return None
        self.cancel(w)
        if not w.in_slow_start:
            return "estimate"
        if a.cwnd_limited:
            w.cwnd += 1
        return None

    def gather(self, a: Ack) -> None:
        """The rate between two neighbouring ACKs, as a share of the interface's."""
        gap = a.now - self.last if self.last is not None else 0
        self.last = a.now
        if 0 < gap < self.rtt / 4:
            packets = max(a.acked / self.mss, 1)
            self.rates.append(packets * self.wire * 8e9 / gap / self.interface)

    def decide(self, w: Window) -> None:
        """Expansion or reduction, and the window that belongs to it."""
        share = median(self.rates)
        if share < self.threshold:
            self.detected = SHRINKS
            self.path = share * self.interface
            self.fit(w)
            return
        self.detected = EXPANDS
        if not self.opens_wide:
            self.widen(w)

    def widen(self, w: Window) -> None:
        """The window that interface and round trip make, as QS-app's."""
        w.cwnd = max(self.interface * self.rtt // (8e9 * w.mss), w.cwnd)
        w.ssthresh = w.cwnd
        if self.paced:
            w.pacing = self.interface

    def fit(self, w: Window) -> None:
        """The window that the path was seen to carry, and no faster than it carries it."""
        if self.falls_back_to == "slow-start":
            return
        w.cwnd = w.ssthresh = max(self.path * self.rtt / (8e9 * self.wire), 2.0)
        w.pacing = int(self.path)

    def on_loss(
        self,
        w: Window,
        loss: Loss,  # noqa: ARG002
    ) -> Literal["standard", "done", "self-managed"] | None:
        """What the path carries is known where it shrinks, and loss says nothing new of it."""
        if not (self.detected or self.over) and len(self.rates) >= FEWEST:
            self.decide(w)
        if not self.survives_loss():
            self.cancel(w)
            return None
        self.fit(w)
        return "done"

    def survives_loss(self) -> bool:
        """Where the path has been measured, what was sent before is repaired at its rate."""
        return self.detected == SHRINKS and self.falls_back_to == "estimate" and not self.over

    def on_recovered(self, w: Window, r: Recovered) -> Reason | None:  # noqa: ARG002
        """All that had left too fast is repaired."""
        self.cancel(w)
        return "estimate"

    def cancel(self, w: Window) -> None:
        """It is over, and whoever sends now is not paced."""
        w.pacing = None
        self.over = True

    def in_charge(self, w: Window) -> bool:
        """Until what it has changed is acknowledged, and in slow start."""
        return not self.over or w.in_slow_start

    def trace(self) -> dict[str, float]:
        """What it has detected so far."""
        return {"detected": self.detected}
