"""The window of a qlog's endpoint: what its recovery reports of slow start.

Events of draft-ietf-quic-qlog-quic-events, section 7: `parameters_set`, `metrics_updated` and
`congestion_state_updated`.
"""

from dataclasses import dataclass
from typing import Any

from flowstart.captures.qlog_schema import first_count, first_text, number_of

CWND = ("congestion_window", "cwnd", "current_cwnd")
"""The window by the drafts, by aioquic and picoquic, by mvfst."""


@dataclass
class QlogWindow:
    """What is known of the window of one endpoint, in bytes."""

    initial: int | None = None
    datagram: int | None = None
    largest: int = 0
    """In slow start. There the window only grows, so it is that of the end."""
    gain: float | None = None
    """The pacing rate in slow start, in windows per round trip."""
    exit: str | None = None

    def parameters(self, data: dict[str, Any]) -> None:
        """Takes the parameters of the recovery."""
        self.initial = first_count(data, "initial_congestion_window")
        self.datagram = first_count(data, "max_datagram_size")

    def metrics(self, data: dict[str, Any], unit_ms: float) -> None:
        """Takes an update of the window, the RTT in units of `unit_ms`."""
        if self.exit is not None:
            return
        window = first_count(data, *CWND) or 0
        self.largest = max(self.largest, window)
        rate, rtt = number_of(data.get("pacing_rate")), number_of(data.get("smoothed_rtt"))
        if rate and rtt and self.largest:
            self.gain = rate / 8 * rtt * unit_ms / 1e3 / self.largest

    def state(self, data: dict[str, Any]) -> None:
        """Takes a change of the congestion state. The first one from slow start is its end."""
        new = (first_text(data, "new") or "").lower().replace("_", "")
        if self.exit is None and new in ("recovery", "congestionavoidance"):
            marked = "ecn" in (first_text(data, "trigger") or "").lower()
            self.exit = "no-loss" if new != "recovery" else "ecn-mark" if marked else "loss"

    def columns(self, way: str) -> dict[str, Any]:
        """The facts in the columns of a capture."""
        segments = self.initial / self.datagram if self.initial and self.datagram else 0.0
        whole = segments > 0 and abs(segments - round(segments)) < 0.02
        return {
            f"{way}_initial_window": round(segments) if whole else None,
            f"{way}_exit": self.exit,
            f"{way}_exit_window": self.largest or None if self.exit else None,
            f"{way}_pacing": self.gain,
        }
