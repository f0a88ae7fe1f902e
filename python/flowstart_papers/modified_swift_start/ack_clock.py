"""How far an ACK timer that is a ticking clock moves the differences of Tables 2 and 3.

Table 1 calls the delayed ACKs "segment/clock based". A clock that ticks every 0.2 s, whatever
comes when, makes a lone segment's ACK wait anything up to that, and in each run something else.
The set-up's timer begins with the segment; so here it takes values between nothing and 0.2 s.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any

from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.modified_swift_start import measures, published
from flowstart_papers.modified_swift_start.setups import DELAYS_S, LINES, LITERAL, Line
from flowstart_papers.modified_swift_start.table2 import LATE_S

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flowstart_papers.lab import Lab

TIMERS_MS = (25, 50, 75, 100, 125, 150, 175, 200)
"""All longer than T1 takes for a packet: of two segments in a row only one is acknowledged."""
SETUPS = [replace(LITERAL, stack={"ack_timer": f"{ms}ms"}) for ms in TIMERS_MS]
EARLY_S = tuple(delay_s for delay_s in DELAYS_S if delay_s not in LATE_S)
"""Delays at which nothing times out."""


@dataclass(frozen=True)
class Spread:
    """A row of a table under all timers."""

    line: Line
    delay_s: float
    slow_start_s: Sequence[float]
    modified_s: Sequence[float]

    @property
    def published_s(self) -> float:
        """The printed difference."""
        return published.number(f"mss.{self.line.key}.diff.{self.delay_s:g}")

    @property
    def together_s(self) -> list[float]:
        """The differences where both runs have the same timer; the last one is the literal."""
        return [a - b for a, b in zip(self.slow_start_s, self.modified_s, strict=True)]

    @property
    def apart_s(self) -> tuple[float, float]:
        """The least and the largest difference if each run has a timer of its own."""
        return (
            min(self.slow_start_s) - max(self.modified_s),
            max(self.slow_start_s) - min(self.modified_s),
        )

    @property
    def within_together(self) -> bool:
        """Whether the printed difference is between those with the same timer."""
        return min(self.together_s) <= self.published_s <= max(self.together_s)

    @property
    def within_apart(self) -> bool:
        """Whether it is between those with timers of their own."""
        least_s, most_s = self.apart_s
        return least_s <= self.published_s <= most_s


def _run(lab: "Lab") -> Findings:
    found = {line.key: _spreads(lab, line) for line in LINES}
    return Findings(
        answers=[_says(line, found[line.key]) for line in LINES],
        tables=[
            Table(
                "ack_clock",
                f"Differences with ACK timers from {TIMERS_MS[0]} to {TIMERS_MS[-1]} ms, seconds.",
                [_row(spread) for spreads in found.values() for spread in spreads],
            )
        ],
        pictures=[
            Picture(
                "ack_clock",
                "The difference in connection time with 0.2 s for each lone segment, and (shaded) "
                "what any timers up to that in either run span.",
                lambda: _draw(found),
            )
        ],
    )


def _spreads(lab: "Lab", line: Line) -> list[Spread]:
    documents = [
        setup.transfer(line, delay_s, startup)
        for delay_s, startup, setup in product(EARLY_S, LITERAL.startups.values(), SETUPS)
    ]
    took_s = iter([one["duration_s"] for one in lab.runs(documents, measures.connection)])
    return [
        Spread(line, delay_s, *([next(took_s) for _ in SETUPS] for _ in LITERAL.startups))
        for delay_s in EARLY_S
    ]


def _says(line: Line, spreads: Sequence[Spread]) -> str:
    together = sum(spread.within_together for spread in spreads)
    apart = sum(spread.within_apart for spread in spreads)
    return (
        f"Over {line.name} up to a delay of {EARLY_S[-1]:g} s, {together} of {len(spreads)} "
        f"published differences are within what one timer for both runs spans, and {apart} within "
        "what a timer for each does."
    )


def _row(spread: Spread) -> dict[str, Any]:
    least_s, most_s = spread.apart_s
    return {
        "line": spread.line.name,
        "delay (s)": spread.delay_s,
        "published": spread.published_s,
        "0.2 s": round(spread.together_s[-1], 3),
        "same timer, least": round(min(spread.together_s), 3),
        "largest": round(max(spread.together_s), 3),
        "a timer each, least": round(least_s, 3),
        "most": round(most_s, 3),
    }


def _draw(found: Mapping[str, Sequence[Spread]]) -> "Figure":
    from flowstart_papers import drawing

    name = "slow start minus modified Swift Start"

    def panel(line: Line) -> "drawing.Panel":
        ordered = sorted(found[line.key], key=lambda spread: LITERAL.rtt_s(line, spread.delay_s))
        rtts_s = [LITERAL.rtt_s(line, spread.delay_s) for spread in ordered]

        def in_rtts(values_s: Sequence[float]) -> list[float]:
            return [value_s / rtt_s for value_s, rtt_s in zip(values_s, rtts_s, strict=True)]

        least, most = ([spread.apart_s[i] for spread in ordered] for i in (0, 1))
        return drawing.Panel(
            drawing.Axis("round-trip time (s)", "log", ticks=(0.1, 0.2, 0.5, 0.9)),
            drawing.Axis("difference (round trips)", limits=(-2, 6)),
            {name: (rtts_s, in_rtts([spread.together_s[-1] for spread in ordered]))},
            published={name: (rtts_s, in_rtts([spread.published_s for spread in ordered]))},
            title=line.name,
            bands={name: (rtts_s, in_rtts(least), in_rtts(most))},
        )

    return drawing.panels(*map(panel, LINES))


EXPERIMENTS = (
    Experiment(
        id="MSS-CLOCK",
        figure="study",
        question="Can an ACK timer that is a ticking clock be why the differences below 0.5 s are "
        "irregular?",
        run=_run,
    ),
)
