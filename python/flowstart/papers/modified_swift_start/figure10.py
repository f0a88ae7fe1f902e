"""Figures 10 and 11: OC-1 with the shortest delay."""

from typing import TYPE_CHECKING

from flowstart.papers.experiment import Findings
from flowstart.papers.modified_swift_start import curves, published, traces
from flowstart.papers.modified_swift_start.setups import OC1
from flowstart.papers.target import Measured

if TYPE_CHECKING:
    from flowstart.papers.lab import Lab

DELAY_S = 0.0001
WINDOWS_SHOWN_S = 1.0
SENT_SHOWN_S = (1.0, 0.2)


def run(lab: "Lab") -> Findings:
    """Runs the experiment."""
    rtt_s = published.rtt_s(OC1.key, DELAY_S)
    documents = curves.both(OC1, DELAY_S, rtt_s)
    formula = curves.by_formula(OC1, DELAY_S, rtt_s)
    pairs, by_formula = lab.runs([documents[1], formula], traces.pairs, trace=True)
    seconds = lab.runs(documents, traces.second_round, trace=True)
    printed = [published.number(f"mss.oc1.cwnd{i}.{DELAY_S:g}") for i in (1, 2)]
    moments = [pair["rtt_s"] for pair in pairs]
    return Findings(
        measured={
            "mss.f10.D": Measured(by_formula[0]["gap_s"]),
            "mss.f10.cwnd.formula": Measured(by_formula[0]["window"]),
            "mss.f11.ss": Measured(seconds[0]),
            "mss.f11.mss": Measured(seconds[1]),
        },
        answers=[
            (
                f"The estimates are {pairs[0]['window']:.0f} and {pairs[1]['window']:.0f} bytes, "
                f"but the receiver's window lets {seconds[1]} segments go in the second round "
                f"trip; slow start sends {seconds[0]}."
            ),
        ],
        pictures=[
            curves.window_picture(
                "figure10",
                "The congestion window over OC-1; hollow: as printed.",
                curves.windows(lab, documents),
                list(zip(moments, printed, strict=True)),
                WINDOWS_SHOWN_S,
            ),
            curves.sent_picture(
                "figure11",
                "Sent sequence numbers over OC-1.",
                curves.flights(lab, documents),
                SENT_SHOWN_S,
            ),
        ],
    )
