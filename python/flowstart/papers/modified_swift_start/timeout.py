"""What the jump at a delay of 0.5 s hangs on: one input moved at a time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING, Any

from flowstart.papers.experiment import Findings, Picture, Table
from flowstart.papers.modified_swift_start import published
from flowstart.papers.modified_swift_start.setups import (
    AVOIDANCE,
    HEADER,
    MODIFIED,
    MSS,
    OC1,
    SLOW_START,
    T1,
    Line,
    own_way_s,
    transfer,
)
from flowstart.papers.modified_swift_start.tables import LATE_S
from flowstart.papers.modified_swift_start.transfers import PAPER_SLOW_START, connections
from flowstart.papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flowstart.model.document import Document
    from flowstart.papers.lab import Lab

DELAYS_S = (0.1, 0.2, 0.3, 0.4, *LATE_S)
NEAR_RTTS = 1.0
"""How far from three round trips a difference may be and still be near."""
RFC_6298 = {
    "preset": "rfc",
    "iw": "4",
    "recovery": "go-back-n",
    "rto_min": "500ms",
    "rto_max": "64s",
    "window": "100000B",
    "window_scaling": False,
}
"""Table 1's hosts, which after a lost SYN begin with one segment and a timeout of 3 s."""


@dataclass(frozen=True)
class Reading:
    """The set-up with one input moved."""

    slow_start: str = PAPER_SLOW_START
    avoidance: str = AVOIDANCE
    base: bool = True
    """Whether round trips have what they have beyond the packets' own way."""
    more: Mapping[str, Any] = field(default_factory=dict)
    """Of the transfer."""

    def rtt_s(self, line: Line, delay_s: float) -> float:
        """The first pair's round trip."""
        if self.base:
            return published.rtt_s(line.key, delay_s)
        return replace(line, base_rtt_s=own_way_s(line, MSS + HEADER)).rtt_s(delay_s)

    def documents(self, line: Line, delay_s: float) -> "list[Document]":
        """Slow start and modified Swift Start."""
        rtt_s = self.rtt_s(line, delay_s)
        return [
            transfer(line, delay_s, startup, rtt_s=rtt_s, avoidance=self.avoidance, **self.more)
            for startup in (self.slow_start, MODIFIED)
        ]


PRINTED = "the paper's rules"
PATIENT = "initial RTO 3 s"
HALF_FLIGHT = "threshold half the flight"
BOTH = "threshold half the flight, one segment per RTT"
COUNTING = "reno:growth=counting"
READINGS = {
    PRINTED: Reading(),
    "initial RTO 1.2 s": Reading(more={"rto_initial": "1200ms"}),
    "initial RTO 1.5 s": Reading(more={"rto_initial": "1500ms"}),
    PATIENT: Reading(more={"rto_initial": "3s"}),
    "RTO 3 s and one segment after a lost SYN": Reading(more=RFC_6298),
    "a lost SYN leaves the threshold": Reading(slow_start=f"{PAPER_SLOW_START}:syn=False"),
    "one segment after a timeout": Reading(slow_start=f"{PAPER_SLOW_START}:restart=1"),
    "one segment per RTT": Reading(avoidance=COUNTING),
    HALF_FLIGHT: Reading(slow_start=SLOW_START),
    BOTH: Reading(SLOW_START, COUNTING),
    "an ACK for each segment": Reading(more={"ack": "every"}),
    "ACKs delayed by 0.1 s": Reading(more={"ack_timer": "100ms"}),
    "window of 100 000 bytes": Reading(more={"window_scaling": True}),
    "10 MB are 10^7 bytes": Reading(more={"size": "10000000B"}),
    "queue of 44 packets": Reading(more={"path": {"buffer": "44pkt"}}),
    "no base round trip": Reading(base=False),
}
DRAWN = (PRINTED, "initial RTO 1.2 s", PATIENT, HALF_FLIGHT)

Differences = dict[tuple[str, str, float], float]
"""How many round trips modified Swift Start saves, by reading, line and delay."""


def run(lab: "Lab") -> Findings:
    """Runs the experiment."""
    found = _measure(lab)
    return Findings(
        measured={f"mss.{line.key}.norto": _no_jump(found, line) for line in (T1, OC1)},
        answers=_says(found),
        tables=[
            Table(
                "timeout",
                "Round trips that modified Swift Start saves, one input moved at a time.",
                [_row(name, found) for name in READINGS],
            )
        ],
        pictures=[
            Picture(
                "timeout",
                "Round trips saved over the line's delay; hollow: Tables 2 and 3.",
                lambda: _draw(found),
            )
        ],
    )


def _measure(lab: "Lab") -> Differences:
    keys = list(product(READINGS, (T1, OC1), DELAYS_S))
    documents = [
        document
        for name, line, delay_s in keys
        for document in READINGS[name].documents(line, delay_s)
    ]
    ended = [one["duration_s"] for one in connections(lab, documents)]
    return {
        (name, line.key, delay_s): (slow_s - modified_s) / READINGS[name].rtt_s(line, delay_s)
        for (name, line, delay_s), slow_s, modified_s in zip(
            keys, ended[::2], ended[1::2], strict=True
        )
    }


def _late(found: Differences, name: str, line: Line) -> list[float]:
    return [found[name, line.key, delay_s] for delay_s in LATE_S]


def _no_jump(found: Differences, line: Line) -> Measured:
    late = _late(found, PATIENT, line)
    return Measured(
        {f"{delay_s:g} s": round(rtts, 2) for delay_s, rtts in zip(LATE_S, late, strict=True)},
        holds=all(abs(rtts - 3) <= NEAR_RTTS for rtts in late),
    )


def _says(found: Differences) -> list[str]:
    def late(name: str) -> list[float]:
        return _late(found, name, T1) + _late(found, name, OC1)

    def span(values: Sequence[float]) -> str:
        ends = dict.fromkeys((f"{min(values):.1f}", f"{max(values):.1f}"))
        return " to ".join(ends)

    printed = [
        published.number(f"mss.{line.key}.diff.{delay_s:g}") / published.rtt_s(line.key, delay_s)
        for line in (T1, OC1)
        for delay_s in LATE_S
    ]
    return [
        (
            f"From 0.5 s on the paper's advantage is {span(printed)} round trips; its rules as "
            "read here, a threshold that each timeout halves and equation 3 with delayed ACKs, "
            f"give {span(late(PRINTED))}."
        ),
        (
            f"With an initial RTO of 3 s no data times out and {span(late(PATIENT))} round trips "
            "are left: the jump is what a timer shorter than the path does to slow start."
        ),
        (
            f"A threshold of half the flight, two segments, gives {span(late(HALF_FLIGHT))} round "
            f"trips with equation 3 and {span(late(BOTH))} with a segment per round trip."
        ),
    ]


def _row(name: str, found: Differences) -> dict[str, Any]:
    row: dict[str, Any] = {"input": name}
    for line in (T1, OC1):
        for delay_s in DELAYS_S:
            row[f"{line.name} {delay_s:g} s"] = round(found[name, line.key, delay_s], 1)
    return row


def _draw(found: Differences) -> "Figure":
    from flowstart.papers import drawing

    def panel(line: Line) -> "drawing.Panel":
        printed = [
            published.number(f"mss.{line.key}.diff.{delay_s:g}")
            / published.rtt_s(line.key, delay_s)
            for delay_s in DELAYS_S
        ]
        return drawing.Panel(
            drawing.Axis("delay of the line (s)"),
            drawing.Axis("difference (round trips)", limits=(0, None)),
            {name: (DELAYS_S, [found[name, line.key, d] for d in DELAYS_S]) for name in DRAWN},
            published={PRINTED: (DELAYS_S, printed)},
            title=line.name,
        )

    return drawing.panels(panel(T1), panel(OC1))
