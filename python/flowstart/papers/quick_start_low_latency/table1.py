"""Table I: one transfer of 120 kB over nine delays and three rates."""

import math
from itertools import pairwise
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from flowstart.papers import measures
from flowstart.papers.experiment import Cell, Findings, Picture, Table
from flowstart.papers.lab import Lab
from flowstart.papers.quick_start_low_latency import grid, published
from flowstart.papers.quick_start_low_latency.setups import (
    DELAYS,
    RATES,
    SLOW_START,
    TABLE1,
    transfer,
)
from flowstart.papers.target import Measured
from flowstart.simulation.run import Run
from flowstart.simulation.series import EVENTS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ENDLESS = 10_000
"""A one-way delay in milliseconds beside which serialisation is nothing."""
PATIENT = TABLE1.but(rto_initial="60s")
"""So that no timer interrupts a handshake of twenty seconds."""

PACKET_BITS = 1500 * 8
CODES = [40_000 << n for n in range(1, 16)]
"""The rates that a request can name, in bit/s."""


class Look(TypedDict):
    """What a trace shows of a transfer."""

    seconds: float
    dropped: int
    handshake: float
    """In seconds."""
    window: float
    """What the connection opens with, in packets."""
    flights: int
    """Bursts of data with more than half a round trip between them."""


def look(run: Run) -> Look:
    """Reads the opening and the flights of the only transfer from its trace."""
    row = measures.first(run)
    samples = (run.outcome["trace"] or {})["flow_samples"]
    opened = np.flatnonzero(samples["event"] == EVENTS.index("open"))[0]
    handshake = samples["time_ns"][opened].item() / 1e9
    sends = samples["time_ns"][samples["event"] == EVENTS.index("send")] / 1e9
    return {
        "seconds": row["duration_s"],
        "dropped": row["packets_dropped"],
        "handshake": handshake,
        "window": samples["cwnd"][opened].item(),
        "flights": 1 + int(np.count_nonzero(np.diff(sends) > handshake / 2)),
    }


def granted(window: float, handshake: float) -> int:
    """The only rate that opens such a window after such a handshake, in bit/s."""
    windows = {math.floor(code * handshake / PACKET_BITS): code for code in CODES}
    return windows[round(window)]


def run(lab: Lab) -> Findings:
    """Runs the table and sets it beside the published one."""
    cells = [(TABLE1, *place) for place in grid.PLACES] + [(PATIENT, "1Gbps", ENDLESS)]
    documents = [
        transfer(setting, rate, delay, startup)
        for setting, rate, delay in cells
        for startup in (SLOW_START, setting.quick_start)
    ]
    seen = lab.runs(documents, look, trace=True)
    *both, limit = zip(seen[::2], seen[1::2], strict=True)
    looks = dict(zip(grid.PLACES, both, strict=True))
    ours = {place: _improvement(*pair) for place, pair in looks.items()}
    return Findings(
        measured=grid.measured("t1", ours) | _inside(looks) | _shape(ours, _improvement(*limit)),
        answers=_sentences(ours, looks),
        tables=[_table(ours)],
        pictures=[
            Picture("table1", "Table I: ours as lines, published as rings", lambda: _draw(ours))
        ],
    )


def _improvement(slow: Look, quick: Look) -> float:
    return measures.improvement(slow["seconds"], quick["seconds"])


def _inside(looks: dict[tuple[str, int], tuple[Look, Look]]) -> dict[str, Measured]:
    """What the traces show beside the durations."""
    slow, _ = looks["1Gbps", 1000]
    _, at_50ms = looks["384kbps", 50]
    at_100ms = {rate: looks[rate, 100][1] for rate in RATES}
    grants = {rate: granted(seen["window"], seen["handshake"]) for rate, seen in at_100ms.items()}
    return {
        "qs.t1.rounds": Measured(1 + slow["flights"]),
        "qs.t1.loss": Measured(sum(each["dropped"] for both in looks.values() for each in both)),
        "qs.t1.neg": Measured(at_50ms["window"]),
        "qs.t1.grant.384k": Measured(grants["384kbps"]),
        "qs.t1.grant.100m": Measured(grants["100Mbps"]),
        "qs.t1.grant.1g": Measured(grants["1Gbps"]),
    }


def _shape(ours: grid.Improvements, limit: float) -> dict[str, Measured]:
    step = min(
        ours[rate, later] - ours[rate, earlier]
        for rate in ("100Mbps", "1Gbps")
        for earlier, later in pairwise(DELAYS)
    )
    upper = min(ours["1Gbps", delay] - ours["100Mbps", delay] for delay in DELAYS)
    lower = min(ours["100Mbps", delay] - ours["384kbps", delay] for delay in DELAYS)
    gaps = {"1 Gbit/s over 100 Mbit/s": upper, "100 Mbit/s over 384 kbit/s": lower}
    return {
        "qs.t1.asymptote": Measured(round(limit, 2)),
        "qs.t1.monotone": Measured(round(step, 3), holds=step > 0),
        "qs.t1.rate.order": Measured(
            {name: round(gap, 3) for name, gap in gaps.items()}, holds=upper >= 0 and lower > 0
        ),
    }


def _sentences(
    ours: grid.Improvements, looks: dict[tuple[str, int], tuple[Look, Look]]
) -> list[str]:
    worst = max(map(abs, grid.errors(ours)))
    slow, quick = looks["384kbps", 50]
    return [
        (
            f"The 27 cells lie {grid.rms(ours):.3f} points (rms) from the published ones, the "
            f"worst {worst:.2f}; the table prints tenths."
        ),
        (
            f"At 384 kbit/s and 50 ms the approved window is {quick['window']:.0f} packets where "
            f"slow start opens with {slow['window']:.0f}: Quick-Start takes "
            f"{1000 * (quick['seconds'] - slow['seconds']):.0f} ms longer, of "
            f"{slow['seconds']:.2f} s."
        ),
    ]


def _table(ours: grid.Improvements) -> Table:
    rows: list[dict[str, Cell]] = []
    for delay in DELAYS:
        row: dict[str, Cell] = {"delay (ms)": delay}
        for rate, name in RATES.items():
            row[f"{name}: published (%)"] = published.TABLE1[rate, delay]
            row[f"{name}: ours (%)"] = round(ours[rate, delay], 2)
        rows.append(row)
    return Table("table1", "Improvement of one transfer of 120 packets", rows)


def _draw(ours: grid.Improvements) -> "Figure":
    from flowstart.papers import drawing

    return drawing.single(
        drawing.Axis("one-way delay (ms)", "log", ticks=DELAYS),
        drawing.Axis("improvement (%)"),
        {name: grid.over_delays(ours, rate) for rate, name in RATES.items()},
        published={name: grid.over_delays(published.TABLE1, rate) for rate, name in RATES.items()},
    )
