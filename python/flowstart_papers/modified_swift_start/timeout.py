"""What the jump at a delay of 0.5 s hangs on: one input moved at a time."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.modified_swift_start import measures, published
from flowstart_papers.modified_swift_start.setups import LINES, LITERAL, Line
from flowstart_papers.modified_swift_start.slow_start import PAPER_SLOW_START
from flowstart_papers.modified_swift_start.table2 import LATE_S
from flowstart_papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flowstart_papers.lab import Lab

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


def _slow_start(**parameters: Any) -> str:
    return f"{PAPER_SLOW_START}:" + ",".join(f"{k}={v}" for k, v in parameters.items())


LITERALLY = "the paper's words"
PATIENT = "initial RTO 3 s"
SYN = "the SYN's timeout counts"
HALF_FLIGHT = "threshold half the flight, SYN too"
BOTH = "threshold half the flight, SYN too, one segment per RTT"
COUNTING = "reno:growth=counting"
VARIANTS = {
    LITERALLY: LITERAL,
    "initial RTO 1.2 s": replace(LITERAL, stack={"rto_initial": "1200ms"}),
    "initial RTO 1.5 s": replace(LITERAL, stack={"rto_initial": "1500ms"}),
    PATIENT: replace(LITERAL, stack={"rto_initial": "3s"}),
    "RTO doubled by the SYN's timeout": replace(LITERAL, stack={"syn_backoff_lasts": True}),
    "RTO 3 s and one segment after a lost SYN": replace(LITERAL, stack=RFC_6298),
    SYN: replace(LITERAL, slow_start=_slow_start(syn=True)),
    f"{SYN}, RTO 1.2 s": replace(
        LITERAL, slow_start=_slow_start(syn=True), stack={"rto_initial": "1200ms"}
    ),
    f"{SYN}, one segment after it": replace(LITERAL, slow_start=_slow_start(syn=True, restart=1)),
    "one segment after a timeout": replace(LITERAL, slow_start=_slow_start(restart=1)),
    "one segment per RTT": replace(LITERAL, cc=COUNTING),
    HALF_FLIGHT: replace(LITERAL, slow_start=_slow_start(syn=True, flight=True)),
    BOTH: replace(LITERAL, slow_start=_slow_start(syn=True, flight=True), cc=COUNTING),
    "an ACK for each segment": replace(LITERAL, stack={"ack": "every"}),
    "ACKs delayed by 0.1 s": replace(LITERAL, stack={"ack_timer": "100ms"}),
    "window of 100 000 bytes": replace(LITERAL, stack={"window_scaling": True}),
    "10 MB are 10^7 bytes": replace(LITERAL, size="10000000B"),
    "queue of 44 packets": replace(LITERAL, path={"buffer": "44pkt"}),
    "no base round trip": replace(LITERAL, base="none"),
}
DRAWN = (LITERALLY, SYN, PATIENT, HALF_FLIGHT)

Differences = dict[tuple[str, str, float], float]
"""How many round trips modified Swift Start saves, by reading, line and delay."""


def _run(lab: "Lab") -> Findings:
    found = _measure(lab)
    return Findings(
        measured={f"mss.{line.key}.norto": _no_jump(found, line) for line in LINES},
        answers=[
            *_says(found),
            (
                "Modified Swift Start itself loses at most "
                f"{_own_loss(lab):.2f} round trips to the timeout, because its estimate "
                "overwrites the window; so by which rule it continues after one matters little."
            ),
        ],
        tables=[
            Table(
                "timeout",
                "Round trips that modified Swift Start saves, one input moved at a time.",
                [_row(name, found) for name in VARIANTS],
            )
        ],
        pictures=[
            Picture(
                "timeout",
                "Round trips saved over the line's delay; rings: Tables 2 and 3.",
                lambda: _draw(found),
            )
        ],
    )


def _measure(lab: "Lab") -> Differences:
    keys = list(product(VARIANTS, LINES, DELAYS_S))
    documents = [
        document for name, line, delay_s in keys for document in VARIANTS[name].both(line, delay_s)
    ]
    ended = [one["duration_s"] for one in lab.runs(documents, measures.connection)]
    return {
        (name, line.key, delay_s): (slow_s - modified_s) / VARIANTS[name].rtt_s(line, delay_s)
        for (name, line, delay_s), slow_s, modified_s in zip(
            keys, ended[::2], ended[1::2], strict=True
        )
    }


def _own_loss(lab: "Lab") -> float:
    """How many round trips modified Swift Start takes longer where its first data times out."""
    keys = list(product(LINES, LATE_S))
    took_s = [
        [
            one["duration_s"]
            for one in lab.runs(
                [setup.transfer(line, d, setup.modified) for line, d in keys], measures.connection
            )
        ]
        for setup in (VARIANTS[LITERALLY], VARIANTS[PATIENT])
    ]
    lost = [
        (late_s - in_time_s) / LITERAL.rtt_s(line, delay_s)
        for (line, delay_s), late_s, in_time_s in zip(keys, *took_s, strict=True)
    ]
    return float(max(lost))


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
        return [rtts for line in LINES for rtts in _late(found, name, line)]

    def span(values: Sequence[float]) -> str:
        ends = dict.fromkeys((f"{min(values):.1f}", f"{max(values):.1f}"))
        return " to ".join(ends)

    printed = [
        published.number(f"mss.{line.key}.diff.{delay_s:g}") / published.rtt_s(line.key, delay_s)
        for line in LINES
        for delay_s in LATE_S
    ]
    return [
        (
            f"From 0.5 s on the paper's advantage is {span(printed)} round trips; its rules by its "
            "words, a threshold that the data's timeout halves and equation 3 with delayed ACKs, "
            f"give {span(late(LITERALLY))}."
        ),
        f"If the SYN's timeout halves the threshold too, {span(late(SYN))} round trips are saved.",
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
    for line in LINES:
        for delay_s in DELAYS_S:
            row[f"{line.name} {delay_s:g} s"] = round(found[name, line.key, delay_s], 1)
    return row


def _draw(found: Differences) -> "Figure":
    from flowstart_papers import drawing

    def panel(line: Line) -> "drawing.Panel":
        printed = [
            published.number(f"mss.{line.key}.diff.{delay_s:g}")
            / published.rtt_s(line.key, delay_s)
            for delay_s in DELAYS_S
        ]
        return drawing.Panel(
            drawing.Axis("delay of the line (s)"),
            drawing.Axis("difference (round trips)", limits=(-1, None)),
            {name: (DELAYS_S, [found[name, line.key, d] for d in DELAYS_S]) for name in DRAWN},
            published={LITERALLY: (DELAYS_S, printed)},
            title=line.name,
        )

    return drawing.panels(*map(panel, LINES))


EXPERIMENTS = (
    Experiment(
        id="MSS-RTO",
        figure="study",
        question="What makes the advantage jump between delays of 0.4 and 0.5 s?",
        run=_run,
        quick=True,
    ),
)
