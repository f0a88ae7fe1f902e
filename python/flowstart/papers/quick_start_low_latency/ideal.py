"""Table I once more, without what the tool takes from Quick-Start."""

from typing import TYPE_CHECKING

from flowstart.papers.experiment import Cell, Findings, Picture, Table
from flowstart.papers.lab import Lab
from flowstart.papers.quick_start_low_latency import grid
from flowstart.papers.quick_start_low_latency.setups import DELAYS, RATES, TABLE1

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LARGEST = "1.31072Gbps"
"""The largest rate that a request can name."""

SETTINGS = {
    "as in Table I": TABLE1,
    "exact clock": TABLE1.but(coarse_pacing=False),
    "no cap": TABLE1.asking(request=LARGEST),
    "ideal": TABLE1.but(coarse_pacing=False).asking(request=LARGEST),
}
FAST = ("100Mbps", "1Gbps")


def run(lab: Lab) -> Findings:
    """Runs the table with an exact pacing clock, with an open request, and with both."""
    found = dict(zip(SETTINGS, grid.grids(lab, list(SETTINGS.values())), strict=True))
    return Findings(
        measured=grid.measured("t1ideal", found["ideal"]),
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


def _sentences(found: dict[str, grid.Improvements]) -> list[str]:
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


def _table(found: dict[str, grid.Improvements]) -> Table:
    rows: list[dict[str, Cell]] = [
        {"delay (ms)": delay}
        | {
            f"{RATES[rate]}: {name} (%)": round(cells[rate, delay], 2)
            for rate in FAST
            for name, cells in found.items()
        }
        for delay in DELAYS
    ]
    return Table("table1-ideal", "Improvement with and without the tool's two limits", rows)


def _draw(found: dict[str, grid.Improvements]) -> "Figure":
    from flowstart.papers import drawing

    delay = drawing.Axis("one-way delay (ms)", "log", ticks=DELAYS)
    improvement = drawing.Axis("improvement (%)", limits=(30, 75))
    return drawing.panels(
        *(
            drawing.Panel(
                delay,
                improvement,
                {name: grid.over_delays(cells, rate) for name, cells in found.items()},
                title=RATES[rate],
            )
            for rate in FAST
        )
    )
