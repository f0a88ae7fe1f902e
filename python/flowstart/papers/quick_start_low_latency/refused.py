"""Section IV: what a refused request costs."""

from dataclasses import replace

from flowstart.papers.experiment import Cell, Findings, Table
from flowstart.papers.lab import Lab
from flowstart.papers.quick_start_low_latency import grid
from flowstart.papers.quick_start_low_latency.setups import RATES, TABLE1
from flowstart.papers.quick_start_low_latency.transfers import Pair
from flowstart.papers.target import Measured

REFUSING = replace(TABLE1, routers={"admission": "none"})
"""The routers do not know the option, and no request comes through."""


def run(lab: Lab) -> Findings:
    """Runs Table I's transfers with routers that approve and with routers that do not."""
    approved, refused = grid.runs(lab, [TABLE1, REFUSING])
    worst = max(_cost(pair) for pair in refused.values())
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
        measured={"qs.deny.cost": Measured(round(worst, 3), holds=0 <= worst <= 0.5)},
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
    seconds = (2 * delay + 4 * REFUSING.host_delay) / 1000
    return 100 * seconds / pair.slow["seconds"]
