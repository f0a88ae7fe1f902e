"""Table I as decoded, without what the tool takes from Quick-Start."""

from typing import TYPE_CHECKING

from flowstart_papers.experiment import Cell, Experiment, Findings, Picture, Table
from flowstart_papers.lab import Lab
from flowstart_papers.quick_start_low_latency import cells, published
from flowstart_papers.quick_start_low_latency.setups import (
    DECODED,
    DELAYS,
    OPEN_REQUEST,
    RATES,
    TABLE1_KB,
)
from flowstart_papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SETTINGS = {
    "as in Table I": DECODED,
    "exact clock": DECODED.but(coarse_pacing=False),
    "no cap": DECODED.asking(**OPEN_REQUEST),
    "ideal": DECODED.but(coarse_pacing=False).asking(**OPEN_REQUEST),
}
FAST = ("100Mbps", "1Gbps")


def run(lab: Lab) -> Findings:
    """Runs the table with an exact pacing clock, with an open request, and with both."""
    packets = DECODED.packets(TABLE1_KB)
    tables = cells.tables(lab, [(setting, packets) for setting in SETTINGS.values()])
    found = dict(zip(SETTINGS, map(cells.improvements, tables), strict=True))
    return Findings(
        measured=_measured(found["ideal"]),
        answers=_sentences(found),
        tables=[_table(found)],
        pictures=[
            Picture(
                "table1-ideal",
                "Table I as the paper has it and with an ideal Quick-Start",
                lambda: _draw(found),
            )
        ],
    )


def _measured(found: cells.Improvements) -> dict[str, Measured]:
    """The cells of which something is predicted."""
    named = {published.cell("t1ideal", *place): value for place, value in found.items()}
    return {
        name: Measured(round(value, 2)) for name, value in named.items() if name in published.BY_ID
    }


def _sentences(found: dict[str, cells.Improvements]) -> list[str]:
    paper, clock, cap, both = (found[name]["1Gbps", 1] for name in SETTINGS)
    slower = found["as in Table I"]["100Mbps", 1], found["ideal"]["100Mbps", 1]
    return [
        (
            f"On 1 Gbit/s at 1 ms Quick-Start saves {paper:.1f} % as in Table I, {clock:.1f} % "
            f"with an exact clock, {cap:.1f} % with no cap on the request, and {both:.1f} % with "
            f"both; on 100 Mbit/s {slower[0]:.1f} % become {slower[1]:.1f} %."
        ),
        (
            f"At 1000 ms on 1 Gbit/s it is {found['as in Table I']['1Gbps', 1000]:.1f} % as in "
            f"Table I and {found['ideal']['1Gbps', 1000]:.1f} % with both."
        ),
    ]


def _table(found: dict[str, cells.Improvements]) -> Table:
    rows: list[dict[str, Cell]] = [
        {"delay (ms)": delay}
        | {
            f"{RATES[rate]}: {name} (%)": round(each[rate, delay], 2)
            for rate in FAST
            for name, each in found.items()
        }
        for delay in DELAYS
    ]
    return Table("table1-ideal", "Improvement with and without the tool's two limits", rows)


def _draw(found: dict[str, cells.Improvements]) -> "Figure":
    from flowstart_papers import drawing

    delay = drawing.Axis("one-way delay (ms)", "log", ticks=DELAYS)
    improvement = drawing.Axis("improvement (%)", limits=(30, 75))
    return drawing.panels(
        *(
            drawing.Panel(
                delay,
                improvement,
                {name: cells.over_delays(each, rate) for name, each in found.items()},
                published={"as in Table I": cells.over_delays(published.TABLE1, rate)},
                title=RATES[rate],
            )
            for rate in FAST
        )
    )


EXPERIMENTS = (
    Experiment(
        id="QS-T1i",
        figure="Table I, decoded",
        question="How much of the small gain at low latency is due to ns-2's clock and to a cap on "
        "the request?",
        run=run,
        quick=True,
    ),
)
