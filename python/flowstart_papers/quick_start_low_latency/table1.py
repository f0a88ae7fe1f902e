"""Table I: one transfer of 120 kB over nine delays and three rates."""

from itertools import pairwise
from typing import TYPE_CHECKING

from flowstart_papers.experiment import Cell, Experiment, Findings, Picture, Table
from flowstart_papers.lab import Lab
from flowstart_papers.quick_start_low_latency import cells, published
from flowstart_papers.quick_start_low_latency.setups import (
    DECODED,
    DELAYS,
    LITERAL,
    RATES,
    TABLE1_KB,
    Setting,
)
from flowstart_papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ENDLESS = 10_000
"""A one-way delay in milliseconds beside which serialisation is nothing."""
CLOSE = 0.3
"""Points within which a cell counts as the published one, as in the targets."""

SIZE = (
    f"{TABLE1_KB} kB are {LITERAL.packets(TABLE1_KB)} packets, which take slow start one round "
    f"trip less than the table's 71.4 % need."
)
SHORT = (
    f"{TABLE1_KB} kB are {LITERAL.packets(TABLE1_KB)} packets, and the round trip is four times "
    f"the delay, without any of the hosts' lines."
)
UNCAPPED = f"{SHORT} The request is not capped."
WINDOW = (
    "Both router links have the delay: the round trip and with it the approved window are twice "
    "as large as decoded."
)
TIMEOUT = (
    "Both router links have the delay, so that the handshake takes 4 s: ns-2's first timeout of "
    "3 s sends the SYN again, without a request."
)


def statements(lab: Lab, setting: Setting) -> dict[str, Measured]:
    """What the paper prints of the table, as it comes out in a setting."""
    return _statements(cells.improvements(cells.table(lab, setting)))


def _statements(ours: cells.Improvements) -> dict[str, Measured]:
    step = min(
        ours[rate, later] - ours[rate, earlier]
        for rate in ("100Mbps", "1Gbps")
        for earlier, later in pairwise(DELAYS)
    )
    upper = min(ours["1Gbps", delay] - ours["100Mbps", delay] for delay in DELAYS)
    lower = min(ours["100Mbps", delay] - ours["384kbps", delay] for delay in DELAYS)
    gaps = {"1 Gbit/s over 100 Mbit/s": upper, "100 Mbit/s over 384 kbit/s": lower}
    return {
        **{
            published.cell("t1", *place): Measured(round(value, 2)) for place, value in ours.items()
        },
        "qs.t1.monotone": Measured(round(step, 3), holds=step > 0),
        "qs.t1.rate.order": Measured(
            {name: round(gap, 3) for name, gap in gaps.items()}, holds=upper >= 0 and lower > 0
        ),
    }


def limit(lab: Lab, setting: Setting) -> Measured:
    """What the improvement tends to as the round trip grows."""
    # The first timer must not interrupt a handshake that takes most of a minute.
    patient = setting.but(rto_initial="60s")
    pair = cells.pairs(lab, [(patient, "1Gbps", ENDLESS, setting.packets(TABLE1_KB))])[0]
    return Measured(round(pair.improvement, 2))


def run(lab: Lab) -> Findings:
    """Runs the table as the paper's words have it and as it was decoded."""
    ours, decoded = (
        cells.improvements(cells.table(lab, setting)) for setting in (LITERAL, DECODED)
    )
    why = {published.cell("t1", rate, delay): _why(rate, delay) for rate, delay in cells.PLACES} | {
        "qs.t1.monotone": TIMEOUT,
        "qs.t1.rate.order": TIMEOUT,
        "qs.t1.asymptote": SIZE,
    }
    return Findings(
        measured=published.explained(
            _statements(ours) | {"qs.t1.asymptote": limit(lab, LITERAL)},
            _statements(decoded) | {"qs.t1.asymptote": limit(lab, DECODED)},
            why,
        ),
        answers=_sentences(ours, decoded),
        tables=[_table(ours, decoded)],
        pictures=[
            Picture(
                "table1",
                "Table I, lines as measured and rings as published: the paper's words on the left, "
                "the five inputs that were fitted to these rings on the right",
                lambda: _draw({"literal reading": ours, "decoded from the table": decoded}),
            )
        ],
    )


def _why(rate: str, delay: int) -> str:
    """What a cell that is missed is due to most."""
    if delay == DELAYS[-1]:
        return TIMEOUT
    if rate == "384kbps":
        return WINDOW
    if delay > 10:
        return SIZE
    return UNCAPPED if rate == "1Gbps" else SHORT


def _sentences(ours: cells.Improvements, decoded: cells.Improvements) -> list[str]:
    close = sum(abs(error) <= CLOSE for error in cells.errors(ours))
    fitted = sum(abs(error) <= CLOSE for error in cells.errors(decoded))
    worst = max(map(abs, cells.errors(decoded)))
    return [
        (
            f"As the paper's words have it {close} of 27 cells lie within {CLOSE} points of the "
            f"published ones, and the table is {cells.rms(ours):.1f} points (rms) away."
        ),
        (
            f"With five inputs fitted to the table {fitted} of 27 do; it is "
            f"{cells.rms(decoded):.3f} points (rms) away, its worst cell {worst:.2f}, and the "
            f"paper prints tenths."
        ),
    ]


def _table(ours: cells.Improvements, decoded: cells.Improvements) -> Table:
    rows: list[dict[str, Cell]] = []
    for delay in DELAYS:
        row: dict[str, Cell] = {"delay (ms)": delay}
        for rate, name in RATES.items():
            row[f"{name}: published (%)"] = published.TABLE1[rate, delay]
            row[f"{name}: literal (%)"] = round(ours[rate, delay], 2)
            row[f"{name}: decoded (%)"] = round(decoded[rate, delay], 2)
        rows.append(row)
    return Table("table1", f"Improvement of one transfer of {TABLE1_KB} kB", rows)


def _draw(found: dict[str, cells.Improvements]) -> "Figure":
    from flowstart_papers import drawing

    rings = {name: cells.over_delays(published.TABLE1, rate) for rate, name in RATES.items()}
    return drawing.panels(
        *(
            drawing.Panel(
                drawing.Axis("one-way delay (ms)", "log", ticks=(1, 3, 10, 50, 200, 1000)),
                drawing.Axis("improvement (%)", limits=(-5, 80)),
                {name: cells.over_delays(ours, rate) for rate, name in RATES.items()},
                published=rings,
                title=title,
            )
            for title, ours in found.items()
        )
    )


EXPERIMENTS = (
    Experiment(
        id="QS-T1",
        figure="Table I",
        question="How much faster is a transfer of 120 kB with Quick-Start, over nine delays "
        "and three rates?",
        run=run,
        quick=True,
    ),
)
