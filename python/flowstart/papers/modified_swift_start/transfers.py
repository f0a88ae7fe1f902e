"""Whole transfers: slow start as the paper words it, and how long a connection takes.

The catalog's slow start sets the threshold after a timeout to half of what was in flight. The
paper halves the threshold itself and returns to the initial window (Sec. III), so it has a class
here. It stands in this module because the laboratory looks at the source of the module that
reads a run when it decides whether a run is known.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from flowstart.model import custom
from flowstart.model.startup import Ack, Established, Startup, Timeout, Window
from flowstart.papers.modified_swift_start.setups import MSS, RECEIVER_WINDOW

if TYPE_CHECKING:
    from flowstart.model.document import Document
    from flowstart.papers.lab import Lab
    from flowstart.simulation.run import Run

LEAST = 2.0
"""Segments below which no threshold falls."""


class PaperSlowStart(Startup):
    """A segment for each ACK; a timeout halves the threshold and restores the first window.

    `restart` is another window after a timeout, in segments, and `syn` whether the timeout of a
    SYN halves the threshold too.
    """

    def __init__(self, restart: float | None = None, syn: bool = True) -> None:
        self.threshold = RECEIVER_WINDOW / MSS
        self.restart = restart
        self.syn = syn

    def on_established(self, w: Window, e: Established) -> None:
        """A connection that opens later than a round trip has lost a SYN to the timer."""
        if self.syn and (e.rtt is None or e.now > e.rtt):
            self.threshold /= 2
        w.cwnd = e.initial_window
        self.restart = self.restart or e.initial_window
        w.ssthresh = self.threshold

    def on_ack(self, w: Window, a: Ack) -> None:  # noqa: ARG002
        """Grows by a segment, whatever the ACK covers."""
        w.cwnd += 1

    def after_timeout(self, w: Window, t: Timeout) -> None:  # noqa: ARG002
        """Overrules the avoidance."""
        self.threshold = max(self.threshold / 2, LEAST)
        w.cwnd, w.ssthresh = self.restart or 1.0, self.threshold


PAPER_SLOW_START = f"{__file__}:{PaperSlowStart.__name__}"


def connection(run: "Run") -> dict[str, Any]:
    """How the first flow's connection went, from its SYN to its last acknowledgement."""
    row = run.rows[0]
    names = ("complete", "duration_s", "timeouts", "packets_dropped")
    return {name: row[name] for name in names}


def connections(lab: "Lab", documents: "Sequence[Document]") -> list[dict[str, Any]]:
    """All of them run to their end."""
    custom.load(PAPER_SLOW_START)  # here, lest two threads load it at the same time
    return lab.runs(documents, connection)
