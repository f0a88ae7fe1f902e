"""Figure 4: the window over T1 with the shortest delay, and the paper's arithmetic beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from flowstart_papers.experiment import Experiment, Findings, Table
from flowstart_papers.modified_swift_start import curves, measures, published
from flowstart_papers.modified_swift_start.setups import (
    FORMULA_HEADER,
    LITERAL,
    T1,
    Setup,
)
from flowstart_papers.target import Measured

if TYPE_CHECKING:
    from flowstart_papers.lab import Lab

DELAY_S = 0.0001
SHOWN_S = 1.5
BY_FORMULA = replace(LITERAL, stack={"header": FORMULA_HEADER})
"""Frames as the paper reckons them."""

Pairs = Sequence[Mapping[str, float]]
"""What each pair tells the sender."""


def pairs_over_t1(lab: "Lab", setup: Setup = LITERAL) -> Pairs:
    """What the sender learns from its pairs."""
    (found,) = lab.runs([setup.probe(T1, DELAY_S)], measures.pairs, trace=True)
    return found


def statements(pairs: Pairs) -> dict[str, Measured]:
    """What the text prints of the simulation."""
    return {
        "mss.f4.D.sim": Measured(pairs[0]["gap_s"]),
        "mss.f4.rtt2": Measured(pairs[1]["rtt_s"]),
    }


def _run(lab: "Lab") -> Findings:
    pairs, by_formula = pairs_over_t1(lab), pairs_over_t1(lab, BY_FORMULA)
    found = curves.windows(lab, LITERAL.both(T1, DELAY_S))
    printed = [published.number(f"mss.t1.cwnd{i}.{DELAY_S:g}") for i in (1, 2)]
    moments = [pair["rtt_s"] for pair in pairs]
    slow = found["slow start"]
    caught_s = next(t for t, b in zip(*slow, strict=True) if b >= pairs[0]["window"])
    return Findings(
        measured=statements(pairs)
        | {
            "mss.f4.D.formula": Measured(by_formula[0]["gap_s"]),
            "mss.f4.cwnd.formula": Measured(by_formula[0]["window"]),
        },
        answers=[
            (
                f"Modified Swift Start has a window of {pairs[0]['window']:.0f} bytes "
                f"{moments[0]:.3f} s after the connection opened, and {pairs[1]['window']:.0f} "
                f"bytes {1000 * (moments[1] - moments[0]):.1f} ms later; slow start reaches the "
                f"first of these after {caught_s:.3f} s."
            ),
            (
                f"The {by_formula[0]['window']:.0f} bytes of the paper's formula belong to frames "
                "of 1487 bytes, one header short of the simulated 1500."
            ),
        ],
        tables=[
            Table(
                "figure4",
                "Information of the sender from the two pairs.",
                [
                    {
                        "frame (bytes)": frame,
                        "pair": i,
                        "RTT (s)": round(pair["rtt_s"], 6),
                        "gap (ms)": round(1000 * pair["gap_s"], 4),
                        "CWND (bytes)": pair["window"],
                    }
                    for frame, both in ((1500, pairs), (1487, by_formula))
                    for i, pair in enumerate(both, 1)
                ],
            )
        ],
        pictures=[
            curves.window_picture(
                "figure4",
                "The congestion window over T1; rings: the two windows that the text prints.",
                found,
                list(zip(moments, printed, strict=True)),
                SHOWN_S,
            )
        ],
    )


EXPERIMENTS = (
    Experiment(
        id="MSS-F4",
        figure="Fig. 4",
        question="Which windows do the two pairs give over T1 with the shortest delay?",
        run=_run,
        quick=True,
    ),
)
