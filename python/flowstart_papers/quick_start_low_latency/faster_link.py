"""The paper's last question: whether faster links would help more than Quick-Start."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from flowstart_papers import measures
from flowstart_papers.experiment import Cell, Experiment, Findings, Picture, Table
from flowstart_papers.lab import Lab
from flowstart_papers.quick_start_low_latency.measures import PACKET_BITS, Ending, ending
from flowstart_papers.quick_start_low_latency.setups import (
    HOST_RATE,
    LITERAL,
    RATES,
    SLOW_START,
    TABLE1_KB,
    transfer,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TENFOLD = {"384kbps": "3.84Mbps", "100Mbps": "1Gbps", "1Gbps": "10Gbps"}
BITS = {"384kbps": 384e3, "100Mbps": 100e6, "1Gbps": 1e9}
DELAYS = (1, 3, 5, 10, 20, 50, 100, 200, 500)
"""Milliseconds; at 1000 the handshake outlasts the first timeout, and the request with it."""
DRAWN = LITERAL.packets(TABLE1_KB)
SIZES = (4, 10, 46, DRAWN, 382, 1000, 10_000)
"""Packets."""


@dataclass(frozen=True)
class Choice:
    """A transfer as it is, with Quick-Start, and over the faster link."""

    slow: Ending
    quick: Ending
    faster: Ending

    @property
    def by_quick_start(self) -> float:
        """What Quick-Start saves, in percent."""
        return measures.improvement(self.slow["seconds"], self.quick["seconds"])

    @property
    def by_link(self) -> float:
        """What the link of ten times the rate saves, in percent."""
        return measures.improvement(self.slow["seconds"], self.faster["seconds"])

    @property
    def better(self) -> str:
        """Which of the two saves more."""
        return "Quick-Start" if self.by_quick_start > self.by_link else "faster link"

    @property
    def loss_free(self) -> bool:
        """Whether no packet was dropped in any of the three."""
        return not any(each["dropped"] for each in (self.slow, self.quick, self.faster))


Place = tuple[str, int, int]
"""Rate, delay in milliseconds, packets."""
Choices = Mapping[Place, Choice]


def run(lab: Lab) -> Findings:
    """Runs the transfers on each rate with both startups, and on the tenfold with slow start."""
    places = [(rate, delay, n) for rate in RATES for delay in DELAYS for n in SIZES]
    documents = [
        document
        for rate, delay, packets in places
        for hosts in ["10Gbps" if rate == HOST_RATE else HOST_RATE]
        for document in (
            transfer(LITERAL, rate, delay, packets, SLOW_START),
            transfer(LITERAL, rate, delay, packets, LITERAL.quick_start),
            transfer(replace(LITERAL, host_rate=hosts), TENFOLD[rate], delay, packets, SLOW_START),
        )
    ]
    ends = lab.runs(documents, ending)
    found = {
        place: Choice(*three)
        for place, *three in zip(places, ends[::3], ends[1::3], ends[2::3], strict=True)
    }
    return Findings(
        answers=[*_at_table1(found), _by_size(found)],
        tables=[_where(found), _table(found)],
        pictures=[
            Picture(
                "faster-link",
                f"{DRAWN} packets: what Quick-Start and a link of ten times the rate save",
                lambda: _draw(found),
            )
        ],
    )


def in_bdps(place: Place) -> float:
    """The size of a transfer in bandwidth-delay products of its path."""
    rate, delay, packets = place
    return packets * PACKET_BITS / (BITS[rate] * LITERAL.round_trip(delay))


def _at_table1(found: Choices) -> list[str]:
    """For each rate, at how many delays Quick-Start saves more of Table I's transfers."""
    return [
        f"{DRAWN} packets on {name}: Quick-Start saves more than ten times the rate at "
        f"{sum(c.better == 'Quick-Start' for c in column.values())} of {len(column)} delays"
        f"{_from(column)}."
        for rate, name in RATES.items()
        for column in [{delay: found[rate, delay, DRAWN] for delay in DELAYS}]
    ]


def _from(column: Mapping[int, Choice]) -> str:
    first = threshold(column)
    return "" if first is None else f", from {first} ms on"


def threshold(column: Mapping[int, Choice]) -> int | None:
    """The smallest delay from which on Quick-Start always saves more."""
    first = None
    for delay, choice in sorted(column.items(), reverse=True):
        if choice.better != "Quick-Start":
            break
        first = delay
    return first


def _by_size(found: Choices) -> str:
    free = [(in_bdps(place), c.better) for place, c in found.items() if c.loss_free]
    link = min(size for size, better in free if better == "faster link")
    quick = max(size for size, better in free if better == "Quick-Start")
    return (
        f"Among {len(free)} transfers without loss Quick-Start saves more in all below "
        f"{math.floor(10 * link) / 10} bandwidth-delay products and the faster link in all above "
        f"{math.ceil(10 * quick) / 10}."
    )


def _where(found: Choices) -> Table:
    rows: list[dict[str, Cell]] = []
    for packets in SIZES:
        row: dict[str, Cell] = {"packets": packets}
        for rate, name in RATES.items():
            first = threshold({delay: found[rate, delay, packets] for delay in DELAYS})
            row[f"{name} (ms)"] = first
        rows.append(row)
    return Table(
        "faster-link-where", "The delay from which Quick-Start saves more; none where empty", rows
    )


def _table(found: Choices) -> Table:
    rows: list[dict[str, Cell]] = [
        {
            "rate": RATES[rate],
            "delay (ms)": delay,
            "packets": packets,
            "size (BDP)": float(f"{in_bdps((rate, delay, packets)):.3g}"),
            "slow start (s)": round(choice.slow["seconds"], 6),
            "saved by Quick-Start (%)": round(choice.by_quick_start, 1),
            "saved by ten times the rate (%)": round(choice.by_link, 1),
            "saves more": choice.better,
            "loss-free": choice.loss_free,
        }
        for (rate, delay, packets), choice in found.items()
    ]
    return Table("faster-link", "Quick-Start or ten times the rate", rows)


def _draw(found: Choices) -> "Figure":
    from flowstart_papers import drawing

    return drawing.panels(
        *(
            drawing.Panel(
                drawing.Axis("one-way delay (ms)", "log", ticks=(1, 3, 10, 50, 200, 500)),
                drawing.Axis("saved (%)", limits=(-5, 100)),
                {
                    "Quick-Start": (DELAYS, [c.by_quick_start for c in column]),
                    "ten times the rate": (DELAYS, [c.by_link for c in column]),
                },
                title=name,
            )
            for rate, name in RATES.items()
            for column in [[found[rate, delay, DRAWN] for delay in DELAYS]]
        ),
    )


EXPERIMENTS = (
    Experiment(
        id="QS-FASTER",
        figure="study",
        question="Would a link of ten times the rate help more than Quick-Start?",
        run=run,
    ),
)
