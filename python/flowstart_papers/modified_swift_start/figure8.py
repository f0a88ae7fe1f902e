"""Figures 8 and 9: T1 with a line delay of 0.1 s, and how the advantage grows with the delay."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from flowstart_papers.experiment import Experiment, Findings
from flowstart_papers.modified_swift_start import curves, measures, published, table2
from flowstart_papers.modified_swift_start.setups import DELAYS_S, LITERAL, T1, Setup
from flowstart_papers.target import Measured

if TYPE_CHECKING:
    from flowstart_papers.lab import Lab

DELAY_S = 0.1
WINDOWS_SHOWN_S = 3.0
SENT_SHOWN_S = (4.0, 1.0)


def tried(lab: "Lab", setup: Setup, rows: Sequence[table2.Row]) -> dict[str, Measured]:
    """The second pair's round trip, and whether the advantage of Table 2 grows, under a reading."""
    (pairs,) = lab.runs([setup.probe(T1, DELAY_S)], measures.pairs, trace=True)
    ordered = sorted(rows, key=lambda row: row.rtt_s)
    grows = all(a.difference_s < b.difference_s for a, b in pairwise(ordered))
    return {
        "mss.f8.rtt2": Measured(pairs[1]["rtt_s"]),
        "mss.f9.gap": Measured(
            {f"{row.rtt_s:g} s": round(row.difference_s, 4) for row in ordered}, holds=grows
        ),
    }


def _run(lab: "Lab") -> Findings:
    documents = LITERAL.both(T1, DELAY_S)
    (pairs,) = lab.runs([LITERAL.probe(T1, DELAY_S)], measures.pairs, trace=True)
    rows = sorted(table2.rows(lab, T1), key=lambda row: row.rtt_s)
    printed = [published.number(f"mss.t1.cwnd{i}.{DELAY_S:g}") for i in (1, 2)]
    moments = [pair["rtt_s"] for pair in pairs]
    return Findings(
        measured=tried(lab, LITERAL, rows) | {"mss.f8.cwnd1": Measured(pairs[0]["window"])},
        answers=[
            (
                f"The first pair takes {moments[0]:.5f} s and the second, which waits for the "
                f"first, {moments[1]:.5f} s; the second is what the captions call the path's "
                "round trip."
            ),
            (
                f"Over T1 the advantage is {rows[0].difference_s:.2f} s at a round trip of "
                f"{rows[0].rtt_s:.3f} s and {rows[-1].difference_s:.1f} s at {rows[-1].rtt_s:.2f} "
                f"s; the published one falls {_falls()} times on the way."
            ),
        ],
        pictures=[
            curves.window_picture(
                "figure8",
                "The congestion window over T1 with a delay of 0.1 s; rings: the two windows that "
                "the text prints.",
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


def _falls() -> int:
    """How often a published difference is below that of the next shorter delay."""
    printed = [published.number(f"mss.t1.diff.{delay_s:g}") for delay_s in DELAYS_S]
    return sum(after < before for before, after in pairwise(printed))


EXPERIMENTS = (
    Experiment(
        id="MSS-F8",
        figure="Figs. 8 and 9",
        question="What changes over T1 with a delay of 0.1 s, and does the advantage grow with it?",
        run=_run,
        quick=True,
    ),
)
