"""Figures 8 and 9: T1 with a line delay of 0.1 s, and how the advantage grows with the delay."""

from itertools import pairwise
from typing import TYPE_CHECKING

from flowstart.papers.experiment import Findings
from flowstart.papers.modified_swift_start import curves, published, tables, traces
from flowstart.papers.modified_swift_start.setups import T1
from flowstart.papers.target import Measured

if TYPE_CHECKING:
    from flowstart.papers.lab import Lab

DELAY_S = 0.1
WINDOWS_SHOWN_S = 3.0
SENT_SHOWN_S = (4.0, 1.0)


def run(lab: "Lab") -> Findings:
    """Runs the experiment."""
    documents = curves.both(T1, DELAY_S, published.rtt_s(T1.key, DELAY_S))
    (pairs,) = lab.runs(documents[1:], traces.pairs, trace=True)
    rows = sorted(tables.measure(lab, T1), key=lambda row: row.rtt_s)
    grows = all(before.difference_s < after.difference_s for before, after in pairwise(rows))
    printed = [published.number(f"mss.t1.cwnd{i}.{DELAY_S:g}") for i in (1, 2)]
    moments = [pair["rtt_s"] for pair in pairs]
    return Findings(
        measured={
            "mss.f8.cwnd1": Measured(pairs[0]["window"]),
            "mss.f8.rtt2": Measured(pairs[1]["rtt_s"]),
            "mss.f9.gap": Measured(
                {f"{row.rtt_s:g} s": round(row.difference_s, 4) for row in rows}, holds=grows
            ),
        },
        answers=[
            (
                f"The first pair takes {moments[0]:.5f} s and the second, which waits for the "
                f"first, {moments[1]:.5f} s; the second is what the captions call the path's "
                "round trip."
            ),
            (
                f"Over T1 the advantage is {rows[0].difference_s:.2f} s at a round trip of "
                f"{rows[0].rtt_s:.3f} s and {rows[-1].difference_s:.1f} s at {rows[-1].rtt_s:.2f} "
                "s."
            ),
        ],
        pictures=[
            curves.window_picture(
                "figure8",
                "The congestion window over T1 with a delay of 0.1 s; hollow: as printed.",
                curves.windows(lab, documents),
                list(zip(moments, printed, strict=True)),
                WINDOWS_SHOWN_S,
            ),
            curves.sent_picture(
                "figure9",
                "Sent sequence numbers over T1 with a delay of 0.1 s.",
                curves.flights(lab, documents),
                SENT_SHOWN_S,
            ),
        ],
    )
