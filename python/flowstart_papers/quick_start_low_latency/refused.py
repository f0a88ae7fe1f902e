"""Section IV: what a refused request costs."""

from dataclasses import replace

from flowstart_papers.experiment import Cell, Experiment, Findings, Table
from flowstart_papers.lab import Lab
from flowstart_papers.quick_start_low_latency import cells
from flowstart_papers.quick_start_low_latency.measures import Pair
from flowstart_papers.quick_start_low_latency.setups import LITERAL, RATES, Setting
from flowstart_papers.target import Measured

REFUSE = {"admission": "none"}
"""The routers do not know the option, and no request comes through."""


def statements(lab: Lab, setting: Setting) -> dict[str, Measured]:
    """What the paper prints of refusals, as it comes out in a setting."""
    return _statements(cells.table(lab, replace(setting, routers=REFUSE)))


def _statements(refused: cells.Cells) -> dict[str, Measured]:
    return {"qs.deny.cost": Measured(round(max(map(_cost, refused.values())), 3))}


def run(lab: Lab) -> Findings:
    """Runs Table I's transfers with routers that approve and with routers that do not."""
    approved = cells.table(lab, LITERAL)
    refused = cells.table(lab, replace(LITERAL, routers=REFUSE))
    worst = max(map(_cost, refused.values()))
    trips = [_round_trip(delay, pair) for (_, delay), pair in refused.items()]
    rows: list[dict[str, Cell]] = [
        {
            "delay (ms)": delay,
            "rate": RATES[rate],
            "slow start (s)": round(pair.slow["seconds"], 6),
            "refused (s)": round(pair.quick["seconds"], 6),
            "approved (s)": round(approved[rate, delay].quick["seconds"], 6),
            "cost of the refusal (%)": round(_cost(pair), 3),
            "cost of a round trip (%)": round(_round_trip(delay, pair), 2),
        }
        for (rate, delay), pair in refused.items()
    ]
    return Findings(
        measured=_statements(refused),
        answers=[
            (
                f"A refused request costs at most {worst:.3f} % of slow start's time in Table I's "
                f"transfers; a wasted round trip would cost {min(trips):.1f} to "
                f"{max(trips):.1f} %."
            ),
        ],
        tables=[Table("refused", "Table I's transfers when every request is refused", rows)],
    )


def _cost(pair: Pair) -> float:
    """What the refused transfer takes longer than slow start, in percent of that."""
    return 100 * (pair.quick["seconds"] / pair.slow["seconds"] - 1)


def _round_trip(delay: int, pair: Pair) -> float:
    """The path's round trip as a share of slow start's time, in percent."""
    return 100 * LITERAL.round_trip(delay) / pair.slow["seconds"]


EXPERIMENTS = (
    Experiment(
        id="QS-D1",
        figure="Sec. IV",
        question="What does a refused request cost?",
        run=run,
        quick=True,
    ),
)
