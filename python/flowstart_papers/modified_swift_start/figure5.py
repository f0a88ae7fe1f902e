"""Figure 5: what is sent over T1, the second round trip, and the steady state."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from flowstart_papers.experiment import Experiment, Findings
from flowstart_papers.modified_swift_start import curves, measures, published
from flowstart_papers.modified_swift_start.figure4 import DELAY_S
from flowstart_papers.modified_swift_start.setups import LITERAL, T1, Setup
from flowstart_papers.target import Measured

if TYPE_CHECKING:
    from flowstart_papers.lab import Lab

BECAUSE = (
    "The text divides a window of 20722 bytes by a segment; the published windows are 21929 and, "
    "15.5 ms later, 24849 bytes, and at one segment a gap the round trip has room for more."
)
SHOWN_S = (4.0, 0.5)
"""Figures 5-a and 5-b."""
STEADY_SHARE = 0.5
"""The steady state is read from the part of the transfer after this share of it."""


def statements(
    seconds: Sequence[Mapping[str, float]], trips: Mapping[str, Any], flights: Mapping[str, Any]
) -> dict[str, Measured]:
    """What the text prints of the second round trip and of the steady state."""
    rate, rtt_s = _steady(trips)
    saturated = {name: measures.busy_from_s(flight, T1.bps) for name, flight in flights.items()}
    slow_s, modified_s = saturated.values()
    return {
        "mss.f5.second.rtt.ss": Measured(seconds[0]["segments"]),
        "mss.f5.second.rtt.mss": published.measured(
            "mss.f5.second.rtt.mss", seconds[1]["segments"], BECAUSE, "MSS-F4"
        ),
        "mss.f5.rate": Measured(rate),
        "mss.f5.steady.rtt": Measured(rtt_s),
        "mss.f5.window": Measured(rate * rtt_s),
        "mss.f5.faster": Measured(saturated, holds=modified_s < slow_s),
    }


def tried(lab: "Lab", setup: Setup) -> dict[str, Measured]:
    """The statements under another reading."""
    documents = setup.both(T1, DELAY_S)
    return statements(
        lab.runs(documents, measures.second_round, trace=True),
        lab.runs(documents[1:], measures.round_trips, trace=True)[0],
        curves.flights(lab, documents),
    )


def _run(lab: "Lab") -> Findings:
    documents = LITERAL.both(T1, DELAY_S)
    seconds = lab.runs(documents, measures.second_round, trace=True)
    found = tried(lab, LITERAL)
    rate, rtt_s, window = (
        float(str(found[f"mss.f5.{name}"].value)) for name in ("rate", "steady.rtt", "window")
    )
    flights = curves.flights(lab, documents)
    slow_s, modified_s = (measures.busy_from_s(flight, T1.bps) for flight in flights.values())
    printed = [published.number(f"mss.f5.second.rtt.{name}") for name in ("ss", "mss")]
    return Findings(
        measured=found,
        answers=[
            (
                f"In the second round trip slow start sends {seconds[0]['segments']} segments and "
                f"modified Swift Start {seconds[1]['segments']}, spread over the round trip."
            ),
            (
                f"The line is busy without a pause from {modified_s:.3f} s after the opening on, "
                f"under slow start from {slow_s:.3f} s; then {rate:.0f} bytes/s pass with a round "
                f"trip of {rtt_s:.3f} s, a window of {window:.0f} bytes."
            ),
        ],
        pictures=[
            curves.sent_picture(
                "figure5",
                "Sent sequence numbers over T1: until the rate is constant, and the beginning; "
                "rings: 6 and 14 segments in the second round trip, as printed.",
                flights,
                SHOWN_S,
                curves.second_round(seconds, printed),
            )
        ],
    )


def _steady(trips: Mapping[str, Any]) -> tuple[float, float]:
    """Bytes a second and round trip in the later part of a transfer, its end left out."""
    begin = int(STEADY_SHARE * len(trips["time_s"]))
    time_s, acked = (np.asarray(trips[name][begin:-1]) for name in ("time_s", "acked"))
    rate = (acked[-1] - acked[0]) / (time_s[-1] - time_s[0])
    return float(rate), float(np.median(trips["rtt_s"][begin:-1]))


EXPERIMENTS = (
    Experiment(
        id="MSS-F5",
        figure="Fig. 5",
        question="What do both senders send over T1, at first and in the steady state?",
        run=_run,
        quick=True,
    ),
)
