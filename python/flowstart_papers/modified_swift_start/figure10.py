"""Figures 10 and 11: OC-1 with the shortest delay."""

from typing import TYPE_CHECKING

from flowstart_papers.experiment import Experiment, Findings
from flowstart_papers.modified_swift_start import curves, measures, published
from flowstart_papers.modified_swift_start.figure4 import BY_FORMULA
from flowstart_papers.modified_swift_start.setups import LITERAL, OC1, Setup
from flowstart_papers.target import Measured

if TYPE_CHECKING:
    from flowstart_papers.lab import Lab

DELAY_S = 0.0001
WINDOWS_SHOWN_S = 1.0
SENT_SHOWN_S = (1.0, 0.2)


def tried(lab: "Lab", setup: Setup) -> dict[str, Measured]:
    """What both send in the second round trip, under a reading."""
    seconds = lab.runs(setup.both(OC1, DELAY_S), measures.second_round, trace=True)
    return {
        "mss.f11.ss": Measured(seconds[0]["segments"]),
        "mss.f11.mss": Measured(seconds[1]["segments"]),
    }


def _run(lab: "Lab") -> Findings:
    documents = LITERAL.both(OC1, DELAY_S)
    probes = [LITERAL.probe(OC1, DELAY_S), BY_FORMULA.probe(OC1, DELAY_S)]
    pairs, by_formula = lab.runs(probes, measures.pairs, trace=True)
    seconds = lab.runs(documents, measures.second_round, trace=True)
    printed = [published.number(f"mss.oc1.cwnd{i}.{DELAY_S:g}") for i in (1, 2)]
    sent = [published.number(f"mss.f11.{name}") for name in ("ss", "mss")]
    moments = [pair["rtt_s"] for pair in pairs]
    return Findings(
        measured=tried(lab, LITERAL)
        | {
            "mss.f10.D": Measured(by_formula[0]["gap_s"]),
            "mss.f10.cwnd.formula": Measured(by_formula[0]["window"]),
        },
        answers=[
            (
                f"The estimates are {pairs[0]['window']:.0f} and {pairs[1]['window']:.0f} bytes "
                f"where the text has {printed[0]:.0f} and {printed[1]:.0f}, but the receiver's "
                f"window lets {seconds[1]['segments']} segments go in the second round trip; slow "
                f"start sends {seconds[0]['segments']}."
            ),
        ],
        pictures=[
            curves.window_picture(
                "figure10",
                "The congestion window over OC-1; rings: the two windows that the text prints.",
                curves.windows(lab, documents),
                list(zip(moments, printed, strict=True)),
                WINDOWS_SHOWN_S,
            ),
            curves.sent_picture(
                "figure11",
                "Sent sequence numbers over OC-1; rings: 6 and 44 segments in the second round "
                "trip, as printed.",
                curves.flights(lab, documents),
                SENT_SHOWN_S,
                curves.second_round(seconds, sent),
            ),
        ],
    )


EXPERIMENTS = (
    Experiment(
        id="MSS-F10",
        figure="Figs. 10 and 11",
        question="What do the pairs give over OC-1, and how much of it can be sent?",
        run=_run,
        quick=True,
    ),
)
