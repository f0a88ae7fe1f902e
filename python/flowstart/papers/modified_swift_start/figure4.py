"""Figure 4: the window over T1 with the shortest delay, and the paper's arithmetic beside it."""

from typing import TYPE_CHECKING

from flowstart.papers.experiment import Findings, Table
from flowstart.papers.modified_swift_start import curves, published, traces
from flowstart.papers.modified_swift_start.setups import T1
from flowstart.papers.target import Measured

if TYPE_CHECKING:
    from flowstart.papers.lab import Lab

DELAY_S = 0.0001
SHOWN_S = 1.5


def run(lab: "Lab") -> Findings:
    """Runs the experiment."""
    rtt_s = published.rtt_s(T1.key, DELAY_S)
    documents = curves.both(T1, DELAY_S, rtt_s)
    formula = curves.by_formula(T1, DELAY_S, rtt_s)
    pairs, by_formula = lab.runs([documents[1], formula], traces.pairs, trace=True)
    found = curves.windows(lab, documents)
    printed = [published.number(f"mss.t1.cwnd{i}.{DELAY_S:g}") for i in (1, 2)]
    moments = [pair["rtt_s"] for pair in pairs]
    slow = found["slow start"]
    caught_s = next(t for t, b in zip(*slow, strict=True) if b >= pairs[0]["window"])
    return Findings(
        measured={
            "mss.f4.D.formula": Measured(by_formula[0]["gap_s"]),
            "mss.f4.D.sim": Measured(pairs[0]["gap_s"]),
            "mss.f4.cwnd.formula": Measured(by_formula[0]["window"]),
            "mss.f4.rtt2": Measured(pairs[1]["rtt_s"]),
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
                "What the two pairs tell the sender.",
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
                "The congestion window over T1; hollow: the two windows that the text prints.",
                found,
                list(zip(moments, printed, strict=True)),
                SHOWN_S,
            )
        ],
    )
