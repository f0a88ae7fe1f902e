"""Figure 5: what is sent over T1, the second round trip, and the steady state."""

from typing import TYPE_CHECKING, Any

import numpy as np

from flowstart.papers.experiment import Findings
from flowstart.papers.modified_swift_start import curves, published, traces
from flowstart.papers.modified_swift_start.figure4 import DELAY_S
from flowstart.papers.modified_swift_start.line import busy_from_s
from flowstart.papers.modified_swift_start.setups import T1
from flowstart.papers.target import Measured

if TYPE_CHECKING:
    from flowstart.papers.lab import Lab

BECAUSE = (
    "The text divides a window of 20722 bytes by a segment; the published windows are 21929 and, "
    "15.5 ms later, 24849 bytes, and at one segment a gap the round trip has room for 16."
)
SHOWN_S = (4.0, 0.5)
"""Figures 5-a and 5-b."""
STEADY_SHARE = 0.5
"""The steady state is read from the part of the transfer after this share of it."""


def run(lab: "Lab") -> Findings:
    """Runs the experiment."""
    documents = curves.both(T1, DELAY_S, published.rtt_s(T1.key, DELAY_S))
    seconds = lab.runs(documents, traces.second_round, trace=True)
    trips = lab.runs(documents, traces.round_trips, trace=True)
    flights = curves.flights(lab, documents)
    rate, rtt_s = _steady(trips[1])
    saturated = {name: busy_from_s(flight, T1) for name, flight in flights.items()}
    slow_s, modified_s = saturated.values()
    printed = published.number("mss.f5.second.rtt.mss")
    return Findings(
        measured={
            "mss.f5.second.rtt.ss": Measured(seconds[0]),
            "mss.f5.second.rtt.mss": Measured(
                seconds[1],
                holds=abs(seconds[1] - printed) <= 1,
                because="" if abs(seconds[1] - printed) <= 1 else BECAUSE,
                shown_by="MSS-F4",
            ),
            "mss.f5.rate": Measured(rate),
            "mss.f5.steady.rtt": Measured(rtt_s),
            "mss.f5.window": Measured(rate * rtt_s),
            "mss.f5.faster": Measured(saturated, holds=modified_s < slow_s),
        },
        answers=[
            (
                f"In the second round trip slow start sends {seconds[0]} segments and modified "
                f"Swift Start {seconds[1]}, spread over the round trip."
            ),
            (
                f"The line is busy without a pause from {modified_s:.3f} s after the opening on, "
                f"under slow start from {slow_s:.3f} s; then {rate:.0f} bytes/s pass with a round "
                f"trip of {rtt_s:.3f} s, a window of {rate * rtt_s:.0f} bytes."
            ),
        ],
        pictures=[
            curves.sent_picture(
                "figure5",
                "Sent sequence numbers over T1: until the rate is constant, and the beginning.",
                flights,
                SHOWN_S,
            )
        ],
    )


def _steady(trips: dict[str, Any]) -> tuple[float, float]:
    """Bytes a second and round trip in the later part of a transfer, its end left out."""
    begin = int(STEADY_SHARE * len(trips["time_s"]))
    time_s, acked = (np.asarray(trips[name][begin:-1]) for name in ("time_s", "acked"))
    rate = (acked[-1] - acked[0]) / (time_s[-1] - time_s[0])
    return float(rate), float(np.median(trips["rtt_s"][begin:-1]))
