"""Figure 5: FTP transfers of 1 to 100 MB over the three rates."""

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from flowstart.papers.experiment import Cell, Findings, Picture, Table
from flowstart.papers.lab import Lab
from flowstart.papers.quick_start_low_latency import published
from flowstart.papers.quick_start_low_latency.setups import ENDLESS_QUEUE, RATES, TABLE1
from flowstart.papers.quick_start_low_latency.transfers import Pair, pairs
from flowstart.papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIZES = (1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000)
"""Packets, of which the paper's axis counts each as 1 kB."""
DELAY = 1
"""The figure does not say at which delay it was made: the one that fits its axis."""
OTHER_DELAYS = (3, 5, 10)
AXIS = 40
"""Where the paper's ordinate ends, in percent."""

Curves = dict[tuple[str, int], Pair]
"""By rate and size."""


def run(lab: Lab) -> Findings:
    """Runs the figure, and its first points also with other delays and with endless queues."""
    places = [(rate, packets) for rate in RATES for packets in SIZES]
    first = replace(TABLE1, packets=SIZES[0])
    *found, endless = pairs(
        lab,
        [
            *((replace(TABLE1, packets=n), rate, DELAY) for rate, n in places),
            *((first, "1Gbps", delay) for delay in OTHER_DELAYS),
            (replace(first, queue=ENDLESS_QUEUE), "100Mbps", DELAY),
        ],
    )
    curves = dict(zip(places, found, strict=False))
    elsewhere = dict(zip(OTHER_DELAYS, found[len(places) :], strict=True))
    return Findings(
        measured=_points(curves) | _shape(curves),
        answers=_sentences(curves, elsewhere, endless),
        tables=[_table(curves)],
        pictures=[Picture("figure5", "Fig. 5: improvement of FTP", lambda: _draw(curves))],
    )


def _points(curves: Curves) -> dict[str, Measured]:
    measured = {
        published.point(*place): Measured(round(pair.improvement, 2))
        for place, pair in curves.items()
    }
    return {name: point for name, point in measured.items() if name in published.NUMBERS}


def _shape(curves: Curves) -> dict[str, Measured]:
    slow, middle, fast = (_improvements(curves, rate) for rate in RATES)
    top = max(slow + middle + fast)
    falling = all(later < earlier for each in (middle, fast) for earlier, later in pairwise(each))
    ordered = all(f > m > s for s, m, f in zip(slow, middle, fast, strict=True))
    return {
        "qs.f5.384k": Measured(
            [round(min(slow), 2), round(max(slow), 2)], holds=max(map(abs, slow)) <= 0.5
        ),
        "qs.f5.axis": Measured(round(top, 2), holds=30 <= top <= AXIS),
        "qs.f5.decay": Measured(
            f"{'falling' if falling else 'not falling'}, "
            f"{'in order' if ordered else 'not in order'}",
            holds=falling and ordered,
        ),
    }


def _improvements(curves: Curves, rate: str) -> list[float]:
    return [curves[rate, packets].improvement for packets in SIZES]


def _sentences(curves: Curves, elsewhere: dict[int, Pair], endless: Pair) -> list[str]:
    fast, middle = (_improvements(curves, rate) for rate in ("1Gbps", "100Mbps"))
    others = ", ".join(
        f"{pair.improvement:.1f} % at {delay} ms" for delay, pair in elsewhere.items()
    )
    lossy = [rate for rate in RATES if not all(curves[rate, n].loss_free for n in SIZES)]
    names = " and ".join(RATES[rate] for rate in lossy)
    return [
        (
            f"From {SIZES[0]} to {SIZES[-1]} packets the gain falls from {fast[0]:.1f} to "
            f"{fast[-1]:.1f} % on 1 Gbit/s and from {middle[0]:.1f} to {middle[-1]:.1f} % on "
            f"100 Mbit/s."
        ),
        (
            f"The figure names no delay: at {DELAY} ms its highest point is {fast[0]:.1f} %, below "
            f"the end of its axis at {AXIS} %; it would be {others}."
        ),
        (
            f"Packets are lost on {names or 'no rate'}; with an endless queue 100 Mbit/s would "
            f"begin at {endless.improvement:.1f} %."
        ),
    ]


def _table(curves: Curves) -> Table:
    rows: list[dict[str, Cell]] = []
    for packets in SIZES:
        row: dict[str, Cell] = {"packets": packets}
        for rate, name in RATES.items():
            pair = curves[rate, packets]
            row[f"{name}: predicted (%)"] = published.NUMBERS.get(published.point(rate, packets))
            row[f"{name}: ours (%)"] = round(pair.improvement, 2)
            row[f"{name}: dropped"] = pair.slow["dropped"] + pair.quick["dropped"]
        rows.append(row)
    return Table("figure5", f"FTP at {DELAY} ms", rows)


def _draw(curves: Curves) -> "Figure":
    from flowstart.papers import drawing

    return drawing.single(
        drawing.Axis("transfer (kB, a packet each)", "log"),
        drawing.Axis("improvement (%)", limits=(-1, AXIS)),
        {name: (SIZES, _improvements(curves, rate)) for rate, name in RATES.items()},
    )
