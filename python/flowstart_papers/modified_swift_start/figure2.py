"""Figures 2 and 3: what a longer round trip does to slow start at 49.5 Mbit/s."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.modified_swift_start import measures
from flowstart_papers.modified_swift_start.hosts import FILE, MSS, RECEIVER_WINDOW
from flowstart_papers.modified_swift_start.setups import FAST, LITERAL, transfer
from flowstart_papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flowstart.model.document import Document
    from flowstart_papers.lab import Lab

RTTS_S = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
"""The paper prints none; with these its figures' statements can be checked."""
LIMITED_S = 0.02
"""From this round trip on the receiver's window is less than what the path holds."""
PROPORTIONAL = 0.1
"""How far times over round trips may differ and still be proportional."""
FULL = RECEIVER_WINDOW // MSS * MSS
SHOWN_S = 4.0


def _run_time(lab: "Lab") -> Findings:
    took_s = [one["duration_s"] for one in lab.runs(_documents(), measures.connection)]
    rounds = [t / rtt_s for t, rtt_s in zip(took_s, RTTS_S, strict=True) if rtt_s >= LIMITED_S]
    spread = max(rounds) / min(rounds) - 1
    rises = all(before < after for before, after in pairwise(took_s))
    return Findings(
        measured={
            "mss.f2.time": Measured(_by_rtt(took_s, 2), holds=rises and spread <= PROPORTIONAL)
        },
        answers=[
            (
                f"10 MB take {took_s[0]:.2f} s at a round trip of {1000 * RTTS_S[0]:.0f} ms and "
                f"{took_s[-1]:.1f} s at {1000 * RTTS_S[-1]:.0f} ms."
            ),
            (
                f"From {1000 * LIMITED_S:.0f} ms on that is always {min(rounds):.0f} to "
                f"{max(rounds):.0f} round trips: {FULL // MSS} segments in each, whatever the line."
            ),
        ],
        pictures=[Picture("figure2", "Connection time of 10 MB.", lambda: _draw_time(took_s))],
    )


def _run_rate(lab: "Lab") -> Findings:
    documents, unbound = _documents(), _documents(router_pps=None)
    took_s = [one["duration_s"] for one in lab.runs([*documents, *unbound], measures.connection)]
    windows = lab.runs(documents, measures.windows, trace=True)
    trips = lab.runs(documents, measures.round_trips, trace=True)
    shares = [100 * 8 * FILE / (t * FAST.bps) for t in took_s]
    used, without = shares[: len(RTTS_S)], shares[len(RTTS_S) :]
    full_s = [_full_s(*window) for window in windows]
    falls = all(before > after for before, after in pairwise(used))
    rises = all(before < after for before, after in pairwise(full_s))
    return Findings(
        measured={"mss.f3.util": Measured(_by_rtt(used, 1), holds=falls and rises)},
        answers=[
            (
                f"Of the line's rate {used[0]:.0f} % are used at {1000 * RTTS_S[0]:.0f} ms and "
                f"{used[-1]:.1f} % at {1000 * RTTS_S[-1]:.0f} ms; the full window is reached after "
                f"{full_s[0]:.2f} and {full_s[-1]:.2f} s."
            ),
            (
                "Without the routers' limit of 5000 packets a second it would be "
                f"{without[0]:.0f} % at {1000 * RTTS_S[0]:.0f} ms."
            ),
        ],
        tables=[
            Table(
                "figure3",
                "Slow start at 49.5 Mbit/s.",
                [
                    {
                        "RTT (ms)": 1000 * rtt_s,
                        "connection time (s)": round(took_s[i], 2),
                        "line used (%)": round(used[i], 1),
                        "without the routers' limit (%)": round(without[i], 1),
                        "full window after (s)": round(full_s[i], 3),
                    }
                    for i, rtt_s in enumerate(RTTS_S)
                ],
            )
        ],
        pictures=[
            Picture(
                "figure3",
                "Transmission rate over time: what was acknowledged within each round trip.",
                lambda: _draw_rate(trips),
            )
        ],
    )


def _documents(**path: Any) -> "list[Document]":
    return [transfer(FAST, rtt_s, LITERAL.slow_start, path=path) for rtt_s in RTTS_S]


def _by_rtt(values: Sequence[float], digits: int) -> dict[str, float]:
    return {
        f"{1000 * rtt_s:g} ms": round(value, digits)
        for rtt_s, value in zip(RTTS_S, values, strict=True)
    }


def _full_s(time_s: Sequence[float], window: Sequence[float]) -> float:
    """When the window first allows all that the receiver takes."""
    return next(at for at, size in zip(time_s, window, strict=True) if size >= FULL)


def _draw_time(took_s: Sequence[float]) -> "Figure":
    from flowstart_papers import drawing

    return drawing.single(
        drawing.Axis("round-trip time (s)", limits=(0, None)),
        drawing.Axis("connection time (s)", limits=(0, None)),
        {"slow start": (RTTS_S, took_s)},
    )


def _rates(trips: Mapping[str, Any], rtt_s: float) -> tuple[list[float], list[float]]:
    """Mbit/s acknowledged within each round trip from the opening on."""
    # The last acknowledgement has waited for the receiver's timer, and the round before is short.
    ends_s = trips["time_s"][-2] - rtt_s
    begins = np.arange(rtt_s, min(SHOWN_S, ends_s), rtt_s)
    until = np.searchsorted(trips["time_s"], begins + rtt_s / 2)
    acked = np.append(0, trips["acked"])[until]
    return begins.tolist(), (8e-6 * np.diff(acked, prepend=0) / rtt_s).tolist()


def _draw_rate(trips: Sequence[Mapping[str, Any]]) -> "Figure":
    from flowstart_papers import drawing

    return drawing.single(
        # To the right of the curves there is room for the legend.
        drawing.Axis("seconds since the connection opened", limits=(0, 1.4 * SHOWN_S)),
        drawing.Axis("transmission rate (Mbit/s)", "log"),
        {
            f"RTT {1000 * rtt_s:g} ms": _rates(trip, rtt_s)
            for rtt_s, trip in zip(RTTS_S, trips, strict=True)
        },
        steps=True,
        marks=False,
        level={"the line": FAST.bps / 1e6},
    )


EXPERIMENTS = (
    Experiment(
        id="MSS-F2",
        figure="Fig. 2",
        question="How does slow start's connection time grow with the round trip at 49.5 Mbit/s?",
        run=_run_time,
        quick=True,
    ),
    Experiment(
        id="MSS-F3",
        figure="Fig. 3",
        question="How much of 49.5 Mbit/s does slow start use, and how soon is it at its full "
        "rate?",
        run=_run_rate,
        quick=True,
    ),
)
