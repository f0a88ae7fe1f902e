"""Fig. 2 to 11: slow start over round trips, and both senders over T1 and OC-1."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from flowstart.model.document import Document
from flowstart_papers.experiment import Findings, Picture, experiment, table
from flowstart_papers.lab import Lab
from flowstart_papers.modified_swift_start import measures, tables
from flowstart_papers.modified_swift_start.hosts import (
    FILE,
    HEADER,
    MSS,
    PROBE,
    RECEIVER_WINDOW,
)
from flowstart_papers.modified_swift_start.setups import (
    ACCESS_BPS,
    DELAYS_S,
    FAST,
    FORMULA_HEADER,
    LITERAL,
    OC1,
    ROUTER_PPS,
    T1,
    Line,
    Setup,
    number,
    transfer,
)
from flowstart_papers.plot import Axis, Panel, lines
from flowstart_papers.target import Measured, Value

Found = dict[str, Measured | Value]
KB = 1000
MODIFIED = "modified Swift Start"
SINCE = "seconds since the connection opened"
SHORTEST_S, LONG_S = 0.0001, 0.1
"""Delays of the line in the figures."""

# Fig. 2 and 3: what a longer round trip does to slow start at 49.5 Mbit/s.

RTTS_S = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
"""The paper prints none; with these its figures' statements can be checked."""
LIMITED_S = 0.02
"""From this round trip on the receiver's window is less than what the path holds."""
PROPORTIONAL = 0.1
"""How far times over round trips may differ and still be proportional."""
FULL = RECEIVER_WINDOW // MSS * MSS
RATE_SHOWN_S = 4.0


def over_rtts(**path: Any) -> list[Document]:
    """Slow start at each round trip."""
    return [transfer(FAST, rtt_s, LITERAL.slow_start, path=path) for rtt_s in RTTS_S]


def _by_rtt(values: Sequence[float], digits: int) -> dict[str, float]:
    return {f"{1000 * rtt_s:g} ms": round(value, digits)
            for rtt_s, value in zip(RTTS_S, values, strict=True)}  # fmt: skip


@experiment("MSS-F2", "Fig. 2", quick=True)
def mss_f2(lab: Lab) -> Findings:
    """How does slow start's connection time grow with the round trip at 49.5 Mbit/s?"""
    took_s = [one["duration_s"] for one in lab.runs(over_rtts(), measures.connection)]
    rounds = [t / rtt_s for t, rtt_s in zip(took_s, RTTS_S, strict=True) if rtt_s >= LIMITED_S]
    rises = all(before < after for before, after in pairwise(took_s))
    proportional = max(rounds) / min(rounds) - 1 <= PROPORTIONAL
    return Findings(
        measured={"mss.f2.time": Measured(_by_rtt(took_s, 2), rises and proportional)},
        answers=[
            f"10 MB take {took_s[0]:.2f} s at a round trip of {1000 * RTTS_S[0]:.0f} ms and "
            f"{took_s[-1]:.1f} s at {1000 * RTTS_S[-1]:.0f} ms. From {1000 * LIMITED_S:.0f} ms on "
            f"that is always {min(rounds):.0f} to {max(rounds):.0f} round trips: {FULL // MSS} "
            "segments in each, whatever the line.",
        ],
        pictures=[lines("figure2", "Connection time of 10 MB", Panel(
            Axis("round-trip time (s)", limits=(0, None)),
            Axis("connection time (s)", limits=(0, None)), {"slow start": (RTTS_S, took_s)}))],
    )  # fmt: skip


@experiment("MSS-F3", "Fig. 3", quick=True)
def mss_f3(lab: Lab) -> Findings:
    """How much of 49.5 Mbit/s does slow start use, and how soon is it at its full rate?"""
    documents, unbound = over_rtts(), over_rtts(router_pps=None)
    took_s = [one["duration_s"] for one in lab.runs([*documents, *unbound], measures.connection)]
    windows = lab.runs(documents, measures.windows, trace=True)
    trips = lab.runs(documents, measures.round_trips, trace=True)
    shares = [100 * 8 * FILE / (t * FAST.bps) for t in took_s]
    used, without = shares[: len(RTTS_S)], shares[len(RTTS_S) :]
    full_s = [next(at for at, size in zip(*each, strict=True) if size >= FULL) for each in windows]
    falls = all(before > after for before, after in pairwise(used))
    rises = all(before < after for before, after in pairwise(full_s))
    rows = {"RTT (s)": RTTS_S, "connection time (s)": took_s[: len(RTTS_S)], "line used (%)": used,
            "without the routers' limit (%)": without, "full window after (s)": full_s}  # fmt: skip
    rates = {f"RTT {1000 * rtt_s:g} ms": _rates(trip, rtt_s)
             for rtt_s, trip in zip(RTTS_S, trips, strict=True)}  # fmt: skip
    return Findings(
        measured={"mss.f3.util": Measured(_by_rtt(used, 1), falls and rises)},
        answers=[
            f"Of the line's rate {used[0]:.0f} % are used at {1000 * RTTS_S[0]:.0f} ms and "
            f"{used[-1]:.1f} % at {1000 * RTTS_S[-1]:.0f} ms; the full window is reached after "
            f"{full_s[0]:.2f} and {full_s[-1]:.2f} s. Without the routers' limit of 5000 packets a "
            f"second it would be {without[0]:.0f} % at {1000 * RTTS_S[0]:.0f} ms.",
        ],
        tables=[table("figure3", "Slow start at 49.5 Mbit/s", pl.DataFrame(rows))],
        pictures=[lines(
            "figure3", "Transmission rate over time: what was acknowledged within each round trip",
            # To the right of the curves there is room for the legend.
            Panel(Axis(SINCE, limits=(0, 1.4 * RATE_SHOWN_S)),
                  Axis("transmission rate (Mbit/s)", "log"), rates, steps=True, marks=False,
                  level={"the line": FAST.bps / 1e6}))],
    )  # fmt: skip


def _rates(trips: Mapping[str, Any], rtt_s: float) -> tuple[list[float], list[float]]:
    """Mbit/s acknowledged within each round trip from the opening on."""
    # The last acknowledgement has waited for the receiver's timer, and the round before is short.
    ends_s = trips["time_s"][-2] - rtt_s
    begins = np.arange(rtt_s, min(RATE_SHOWN_S, ends_s), rtt_s)
    until = np.searchsorted(trips["time_s"], begins + rtt_s / 2)
    acked = np.append(0, trips["acked"])[until]
    return begins.tolist(), (8e-6 * np.diff(acked, prepend=0) / rtt_s).tolist()


# Windows and sequence numbers over time.


def by_startup(lab: Lab, setup: Setup, line: Line, delay_s: float, read: Any) -> dict[str, Any]:
    """What is read from the traces of both startups."""
    found = lab.runs(setup.both(line, delay_s), read, trace=True)
    return dict(zip(setup.startups, found, strict=True))


def pairs(lab: Lab, line: Line, delay_s: float, setup: Setup = LITERAL) -> list[dict[str, float]]:
    """What the sender learns from its pairs."""
    (found,) = lab.runs([setup.probe(line, delay_s)], measures.pairs, trace=True)
    return found


def window_picture(
    lab: Lab, name: str, caption: str, line: Line, delay_s: float, until_s: float
) -> Picture:
    """The window over time, with both published windows as rings."""
    found = by_startup(lab, LITERAL, line, delay_s, measures.windows)
    moments = [pair["rtt_s"] for pair in pairs(lab, line, delay_s)]
    printed = [number(f"mss.{line.key}.cwnd{i}.{delay_s:g}") / KB for i in (1, 2)]
    curves: dict[str, Any] = {
        key: (time_s, [size / KB for size in sizes]) for key, (time_s, sizes) in found.items()
    }
    shown = [y for xs, ys in curves.values() for x, y in zip(xs, ys, strict=True) if x <= until_s]
    curves["receiver's window"] = ((0, until_s), (RECEIVER_WINDOW / KB,) * 2)
    y = Axis("CWND (kB)", limits=(0, 1.1 * max(*shown, *printed)))
    return lines(name, caption, Panel(
        Axis(SINCE, limits=(0, until_s)), y, curves, published={MODIFIED: (moments, printed)},
        steps=True, marks=False))  # fmt: skip


def sent_picture(
    lab: Lab, name: str, caption: str, line: Line, delay_s: float, until_s: Sequence[float],
    printed: Sequence[float] = (),
) -> Picture:  # fmt: skip
    """What has been sent over time, a panel for each of `until_s`.

    `printed` are segments in the second round trip, a ring at the last of them.
    """
    flights = by_startup(lab, LITERAL, line, delay_s, measures.flight)
    seconds = by_startup(lab, LITERAL, line, delay_s, measures.second_round)
    rings = {
        key: ([seconds[key]["over_s"]], [(PROBE + sent - 1) * MSS / KB])
        for key, sent in zip(seconds, printed, strict=False)
    }
    return lines(name, caption, *(
        Panel(Axis(SINCE, limits=(0, end)), Axis("sent sequence number (kB)", limits=(0, None)),
              {key: _numbers(one["sent_s"], end) for key, one in flights.items()},
              published=rings or None, steps=True, marks=False) for end in until_s))  # fmt: skip


def _numbers(times_s: Sequence[float], until_s: float) -> tuple[list[float], list[float]]:
    """Sequence numbers in kB over the times of their segments."""
    shown = [t for t in times_s if t <= until_s]
    return shown, [i * MSS / KB for i in range(len(shown))]


# Fig. 4 to 7: T1 with the shortest delay.

BY_FORMULA = replace(LITERAL, stack={"header": FORMULA_HEADER})
"""Frames as the paper reckons them."""


def figure4(lab: Lab, setup: Setup = LITERAL) -> Found:
    """What the text prints of the simulation."""
    first, second = [*pairs(lab, T1, SHORTEST_S, setup), {}][:2]
    return {"mss.f4.D.sim": first["gap_s"], "mss.f4.rtt2": second["rtt_s"]}


@experiment("MSS-F4", "Fig. 4", quick=True)
def mss_f4(lab: Lab) -> Findings:
    """Which windows do the two pairs give over T1 with the shortest delay?"""
    ours, by_formula = (pairs(lab, T1, SHORTEST_S, each) for each in (LITERAL, BY_FORMULA))
    slow = by_startup(lab, LITERAL, T1, SHORTEST_S, measures.windows)["slow start"]
    caught_s = next(t for t, size in zip(*slow, strict=True) if size >= ours[0]["window"])
    later_ms = 1000 * (ours[1]["rtt_s"] - ours[0]["rtt_s"])
    rows = [{"frame (bytes)": frame, "pair": i, **pair}
            for frame, both in ((1500, ours), (1487, by_formula))
            for i, pair in enumerate(both, 1)]  # fmt: skip
    return Findings(
        measured=figure4(lab)
        | {
            "mss.f4.D.formula": by_formula[0]["gap_s"],
            "mss.f4.cwnd.formula": by_formula[0]["window"],
        },
        answers=[
            f"Modified Swift Start has a window of {ours[0]['window']:.0f} bytes "
            f"{ours[0]['rtt_s']:.3f} s after the connection opened, and {ours[1]['window']:.0f} "
            f"bytes {later_ms:.1f} ms later; slow start reaches the first of these after "
            f"{caught_s:.3f} s. The {by_formula[0]['window']:.0f} bytes of the paper's formula "
            "belong to frames of 1487 bytes, one header short of the simulated 1500.",
        ],
        tables=[table("figure4", "Information of the sender from the two pairs",
                      pl.DataFrame(rows))],
        pictures=[window_picture(
            lab, "figure4", "The congestion window over T1; rings: the two windows that the text "
            "prints", T1, SHORTEST_S, 1.5)],
    )  # fmt: skip


def _steady(trips: Mapping[str, Any]) -> tuple[float, float]:
    """Bytes a second and round trip in the second half of a transfer, its end left out."""
    begin = int(0.5 * len(trips["time_s"]))
    time_s, acked = (np.asarray(trips[name][begin:-1]) for name in ("time_s", "acked"))
    rate = (acked[-1] - acked[0]) / (time_s[-1] - time_s[0])
    return float(rate), float(np.median(trips["rtt_s"][begin:-1]))


def figure5(lab: Lab, setup: Setup = LITERAL) -> Found:
    """What the text prints of the second round trip and of the steady state."""
    seconds = by_startup(lab, setup, T1, SHORTEST_S, measures.second_round)
    trips = lab.runs(setup.both(T1, SHORTEST_S)[1:], measures.round_trips, trace=True)[0]
    flights = by_startup(lab, setup, T1, SHORTEST_S, measures.flight)
    rate, rtt_s = _steady(trips)
    saturated = {name: measures.busy_from_s(flight, T1.bps) for name, flight in flights.items()}
    slow_s, modified_s = saturated.values()
    slow, modified = seconds.values()
    return {
        "mss.f5.second.rtt.ss": slow["segments"],
        "mss.f5.second.rtt.mss": modified["segments"],
        "mss.f5.rate": rate,
        "mss.f5.steady.rtt": rtt_s,
        "mss.f5.window": rate * rtt_s,
        "mss.f5.faster": Measured(saturated, modified_s < slow_s),
    }


@experiment("MSS-F5", "Fig. 5", quick=True)
def mss_f5(lab: Lab) -> Findings:
    """What do both senders send over T1, at first and in the steady state?"""
    found = figure5(lab)
    printed = [number(f"mss.f5.second.rtt.{name}") for name in ("ss", "mss")]
    return Findings(
        measured=found,
        answers=[
            f"In the second round trip slow start sends {found['mss.f5.second.rtt.ss']} segments "
            f"and modified Swift Start {found['mss.f5.second.rtt.mss']}, spread over the round "
            f"trip. In the steady state {found['mss.f5.rate']:.0f} bytes/s pass with a round trip "
            f"of {found['mss.f5.steady.rtt']:.3f} s.",
        ],
        pictures=[sent_picture(
            lab, "figure5", "Sent sequence numbers over T1: until the rate is constant, and the "
            "beginning; rings: 6 and 14 segments in the second round trip, as printed", T1,
            SHORTEST_S, (4.0, 0.5), printed)],
    )  # fmt: skip


MOST_WAITING = 2
ROUNDS = 5
IDLE_SHARE = 0.01
"""A line that is idle for less than this share of the time is not idle."""


def figure6(lab: Lab, setup: Setup = LITERAL) -> Found:
    """The queue, and the line's idle time from the second round trip to the fifth."""
    rtt_s = setup.rtt_s(T1, SHORTEST_S)
    seconds = by_startup(lab, setup, T1, SHORTEST_S, measures.second_round)
    flights = by_startup(lab, setup, T1, SHORTEST_S, measures.flight)
    waiting: dict[str, float] = {}
    idle: dict[str, float] = {}
    for name, flight in flights.items():
        waiting[name] = max(flight["waiting"][PROBE : PROBE + int(seconds[name]["segments"])])
        # As the line sees these round trips.
        begin = flight["began_s"][0]
        spans = (begin + rtt_s, begin + ROUNDS * rtt_s)
        idle[name] = round(measures.idle_s(flight, T1.bps, *spans), 6)
    slow, modified = idle.values()
    allowed_s = IDLE_SHARE * (ROUNDS - 1) * rtt_s
    return {
        "mss.f6.noqueue": Measured(waiting, waiting[MODIFIED] <= MOST_WAITING),
        "mss.f6.idle": Measured(idle, slow > allowed_s >= modified),
    }


@experiment("MSS-F6", "Fig. 6", quick=True)
def mss_f6(lab: Lab) -> Findings:
    """Does the paced round trip leave the routers' queue empty and the line busy?"""
    flights = by_startup(lab, LITERAL, T1, SHORTEST_S, measures.flight)
    # Over the line, the second router's turn, and the receiver's access link.
    bits = 8 * (MSS + HEADER)
    takes_s = bits / T1.bps + LITERAL.one_way_s(T1, SHORTEST_S) + 1 / ROUTER_PPS + bits / ACCESS_BPS
    return Findings(
        measured=figure6(lab),
        pictures=[lines("figure6", "Sent and received sequence numbers over T1", *(
            Panel(Axis(SINCE, limits=(0, 0.8)), Axis("sequence number (kB)", limits=(0, 180)),
                  {"sent": _numbers(one["sent_s"], 0.8),
                   "received": _numbers([t + takes_s for t in one["began_s"]], 0.8)},
                  title=name, steps=True, marks=False) for name, one in flights.items()))],
    )  # fmt: skip


def figure7(lab: Lab, setup: Setup = LITERAL) -> Found:
    """When each mean round trip first reaches 99 % of that of the steady state."""
    reached = {}
    for name, trips in by_startup(lab, setup, T1, SHORTEST_S, measures.round_trips).items():
        steady_s = float(np.median(trips["rtt_s"][len(trips["rtt_s"]) // 2 :]))
        both = zip(trips["time_s"], trips["mean_s"], strict=True)
        reached[name] = float(next(at for at, mean_s in both if mean_s >= 0.99 * steady_s))
    slow_s, modified_s = reached.values()
    return {"mss.f7.rtt": Measured(reached, modified_s < slow_s)}


@experiment("MSS-F7", "Fig. 7", quick=True)
def mss_f7(lab: Lab) -> Findings:
    """When does each sender's mean round trip reach its final value?"""
    found = by_startup(lab, LITERAL, T1, SHORTEST_S, measures.round_trips)
    path_s, steady_s = number(f"mss.t1.rtt.{SHORTEST_S:g}"), number("mss.f5.steady.rtt")
    return Findings(
        measured=figure7(lab),
        pictures=[lines(
            "figure7", "The mean round trip over T1, gain 1/8; rings: the path's, and that at the "
            "constant rate, as the text prints them",
            Panel(Axis(SINCE, limits=(0, 3)), Axis("mean round-trip time (s)", limits=(0, 0.4)),
                  {name: (trips["time_s"], trips["mean_s"]) for name, trips in found.items()},
                  published={MODIFIED: ([path_s, 2.85], [path_s, steady_s])}, marks=False))],
    )  # fmt: skip


# Fig. 8 and 9: T1 with a line delay of 0.1 s, and how the advantage grows with the delay.


def figure8(lab: Lab, setup: Setup = LITERAL) -> Found:
    """The second pair's round trip, and whether the advantage of Table 2 grows."""
    rows = tables.rows(lab, T1, setup).sort("rtt_s")
    advantages = rows["diff"].to_list()
    return {
        "mss.f8.rtt2": pairs(lab, T1, LONG_S, setup)[1]["rtt_s"],
        "mss.f9.gap": Measured(
            {f"{rtt_s:g} s": round(diff, 4) for rtt_s, diff in rows.select("rtt_s", "diff").rows()},
            all(a < b for a, b in pairwise(advantages)),
        ),
    }


@experiment("MSS-F8", "Figs. 8 and 9", quick=True)
def mss_f8(lab: Lab) -> Findings:
    """What changes over T1 with a delay of 0.1 s, and does the advantage grow with it?"""
    first, second = pairs(lab, T1, LONG_S)
    printed = [number(f"mss.t1.diff.{delay_s:g}") for delay_s in DELAYS_S]
    falls = sum(after < before for before, after in pairwise(printed))
    return Findings(
        measured=figure8(lab) | {"mss.f8.cwnd1": first["window"]},
        answers=[
            f"The first pair takes {first['rtt_s']:.5f} s and the second, which waits for the "
            f"first, {second['rtt_s']:.5f} s; the second is what the captions call the path's "
            f"round trip. The published advantage falls {falls} times as the round trip grows, "
            "ours never.",
        ],
        pictures=[
            window_picture(lab, "figure8", "The congestion window over T1 with a delay of 0.1 s; "
                           "rings: the two windows that the text prints", T1, LONG_S, 3.0),
            sent_picture(lab, "figure9", "Sent sequence numbers over T1 with a delay of 0.1 s", T1,
                         LONG_S, (4.0, 1.0)),
        ],
    )  # fmt: skip


# Fig. 10 and 11: OC-1 with the shortest delay.


def figure10(lab: Lab, setup: Setup = LITERAL) -> Found:
    """What both send in the second round trip."""
    slow, modified = by_startup(lab, setup, OC1, SHORTEST_S, measures.second_round).values()
    return {"mss.f11.ss": slow["segments"], "mss.f11.mss": modified["segments"]}


@experiment("MSS-F10", "Figs. 10 and 11", quick=True)
def mss_f10(lab: Lab) -> Findings:
    """What do the pairs give over OC-1, and how much of it can be sent?"""
    ours, by_formula = (pairs(lab, OC1, SHORTEST_S, each) for each in (LITERAL, BY_FORMULA))
    found = figure10(lab)
    return Findings(
        measured=found
        | {"mss.f10.D": by_formula[0]["gap_s"], "mss.f10.cwnd.formula": by_formula[0]["window"]},
        answers=[
            f"The estimates are {ours[0]['window']:.0f} and {ours[1]['window']:.0f} bytes, but the "
            f"receiver's window lets {found['mss.f11.mss']} segments go in the second round trip; "
            f"slow start sends {found['mss.f11.ss']}.",
        ],
        pictures=[
            window_picture(lab, "figure10", "The congestion window over OC-1; rings: the two "
                           "windows that the text prints", OC1, SHORTEST_S, 1.0),
            sent_picture(lab, "figure11", "Sent sequence numbers over OC-1; rings: 6 and 44 "
                         "segments in the second round trip, as printed", OC1, SHORTEST_S, (1.0,
                                                                                            0.2),
                         [number(f"mss.f11.{name}") for name in ("ss", "mss")]),
        ],
    )  # fmt: skip
