"""Tables 2 and 3: both windows and the difference in connection time over the line's delay."""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.modified_swift_start import measures, published
from flowstart_papers.modified_swift_start.setups import DELAYS_S, LITERAL, OC1, T1, Line, Setup
from flowstart_papers.modified_swift_start.setups import transfer as one_transfer
from flowstart_papers.modified_swift_start.slow_start import FIRST_THRESHOLD
from flowstart_papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flowstart_papers.lab import Lab

LATE_S = (0.5, 0.6, 0.7, 0.8)
"""Delays at which the round trip exceeds the first timeout."""
JUMP = 5
"""From here on a ratio of neighbours is a jump, and no growth with the delay."""


@dataclass(frozen=True)
class Row:
    """One delay of a table."""

    delay_s: float
    rtt_s: float
    """As the set-up has it: the printed one."""
    pairs: Sequence[Mapping[str, float]]
    """What the sender learns from its pairs; a connection that begins with less has fewer."""
    slow_start_s: float
    modified_s: float

    @property
    def difference_s(self) -> float:
        """How much sooner modified Swift Start is done."""
        return self.slow_start_s - self.modified_s

    @property
    def difference_rtts(self) -> float:
        """The same in round trips."""
        return self.difference_s / self.rtt_s

    def window(self, pair: int) -> float | None:
        """In bytes, by the first pair or by the second."""
        return self.pairs[pair - 1]["window"] if len(self.pairs) >= pair else None

    @property
    def late(self) -> bool:
        """Whether the round trip exceeds the first timeout."""
        return self.delay_s in LATE_S


def rows(lab: "Lab", line: Line, setup: Setup = LITERAL) -> list[Row]:
    """The rows of a table."""
    pairs = lab.runs([setup.probe(line, d) for d in DELAYS_S], measures.pairs, trace=True)
    wholes = [document for delay_s in DELAYS_S for document in setup.both(line, delay_s)]
    took_s = [one["duration_s"] for one in lab.runs(wholes, measures.connection)]
    return [
        Row(
            delay_s=delay_s,
            rtt_s=setup.rtt_s(line, delay_s),
            pairs=both,
            slow_start_s=took_s[2 * i],
            modified_s=took_s[2 * i + 1],
        )
        for i, (delay_s, both) in enumerate(zip(DELAYS_S, pairs, strict=True))
    ]


def statements(line: Line, found: Sequence[Row]) -> dict[str, Measured]:
    """What the table prints and the runs could have missed: windows and differences."""
    windows = {
        name: published.measured(name, row.window(i), _between(row), "MSS-P")
        for row in found
        for i in (1, 2)
        for name in [f"mss.{line.key}.cwnd{i}.{row.delay_s:g}"]
    }
    return windows | {
        f"mss.{line.key}.diff.{row.delay_s:g}": _difference(line, row) for row in found
    }


def _between(row: Row) -> str:
    """Why a second window is not the printed one."""
    if len(row.pairs) < 2:
        return "A connection that begins with one segment has no second pair."
    return (
        "The acknowledgement of the first pair comes back over the receiver's access link and "
        "takes its turn at the router between the segments of the second, which arrive "
        f"{1e6 * row.pairs[1]['gap_s']:.0f} µs apart. The printed windows stand for "
        f"{1e6 * published.number('mss.pp.compression'):.0f} µs, and need a receiver without this "
        "link."
    )


CLOCK = (
    "The set-up's ACK timer begins with the segment. Table 1's may be a ticking clock, with which "
    "a lone segment's ACK waits for anything up to 0.2 s, in each run for another time; that spans "
    "more than the printed difference and ours are apart."
)
UNKNOWN = (
    "It comes from nothing in the set-up: where the receiver's window is the limit, slow start "
    "takes three round trips more, as over OC-1. What an ACK clock spans is less than it is off."
)
WINDOW_LIMITED_S = 0.2
"""From this delay on T1 carries a receiver's window in less than a round trip."""
SYN = (
    f"The timeout of the first data leaves slow start a threshold of {FIRST_THRESHOLD / 2:.0f} "
    f"segments. The paper's difference comes with {FIRST_THRESHOLD / 4:.0f}, which are left if the "
    "SYN's timeout counts too."
)


def _difference(line: Line, row: Row) -> Measured:
    name = f"mss.{line.key}.diff.{row.delay_s:g}"
    if row.late:
        return published.measured(name, row.difference_s, SYN, "MSS-RTO")
    because = CLOCK if row.delay_s < WINDOW_LIMITED_S else UNKNOWN
    return published.measured(name, row.difference_s, because, "MSS-CLOCK")


def _run(line: Line, name: str, lab: "Lab") -> Findings:
    found = rows(lab, line)
    by_rule_s = _by_rule_s(lab, line)
    return Findings(
        measured=statements(line, found) | _repeats(line, found) | _rtts(line, by_rule_s),
        answers=_says(line, found),
        tables=[
            Table(
                name,
                f"Both windows and connection times over {line.name}.",
                _cells(line, found, by_rule_s),
            )
        ],
        pictures=[
            Picture(
                f"{name}_difference",
                f"How much faster modified Swift Start is over {line.name}, in seconds and in "
                "round trips.",
                lambda: _draw(line, found),
            )
        ],
    )


def _by_rule_s(lab: "Lab", line: Line) -> list[float]:
    """The first pair's round trips where all rows have the same base."""
    documents = [
        one_transfer(line, line.rtt_s(delay_s), LITERAL.modified, size="40pkt")
        for delay_s in DELAYS_S
    ]
    return [pair[0]["rtt_s"] for pair in lab.runs(documents, measures.pairs, trace=True)]


def _rtts(line: Line, by_rule_s: Sequence[float]) -> dict[str, Measured]:
    """The round trips by the rule; the rows that break it say so."""
    found = {}
    for delay_s, ours_s in zip(DELAYS_S, by_rule_s, strict=True):
        name = f"mss.{line.key}.rtt.{delay_s:g}"
        off_ms = 1000 * (published.number(name) - ours_s)
        because = (
            f"All other rows are twice the delay and {line.base_rtt_s:g} s; this one is printed "
            f"{off_ms:.2f} ms above that."
        )
        found[name] = published.measured(name, ours_s, because, "MSS-T2")
    return found


def _repeats(line: Line, found: Sequence[Row]) -> dict[str, Measured]:
    """The jump between 0.4 and 0.5 s, and the late differences in round trips."""
    late = [row for row in found if row.late]
    jump = late[0].difference_s / found[-len(LATE_S) - 1].difference_s
    name = f"mss.{line.key}.jump.rtts"
    return {
        f"mss.{line.key}.jump": Measured(jump, holds=jump >= JUMP),
        name: published.measured(name, [row.difference_rtts for row in late], SYN, "MSS-RTO"),
    }


def _says(line: Line, found: Sequence[Row]) -> list[str]:
    def worst(pair: int) -> str:
        off = 100 * max(
            abs(row.pairs[pair - 1]["window"] / _printed(line, f"cwnd{pair}", row) - 1)
            for row in found
        )
        share = f"{off:.0f}" if off >= 1 else f"{off:.1g}"
        return f"within {share} % of the published ones" if off else "the published ones"

    gaps_us = [1e6 * pair["gap_s"] for pair in found[0].pairs]
    early = [row.difference_rtts for row in found if not row.late]
    late = [row.difference_rtts for row in found if row.late]
    printed = sorted(_printed(line, "diff", row) / row.rtt_s for row in found if row.late)
    theirs = dict.fromkeys(f"{rtts:.1f}" for rtts in (printed[0], printed[-1]))
    return [
        (
            f"Over {line.name} the first windows are {worst(1)}, and the second windows are "
            f"{worst(2)}."
        ),
        (
            f"The receiver measures {gaps_us[0]:.4g} µs between the segments of the first pair and "
            f"{gaps_us[1]:.4g} µs in the second; the line takes {12e9 / line.bps:.4g} µs for a "
            "packet."
        ),
        (
            f"Modified Swift Start saves {min(early):.1f} to {max(early):.1f} round trips up to a "
            f"delay of {found[-len(LATE_S) - 1].delay_s:g} s, and {min(late):.1f} to "
            f"{max(late):.1f} from {LATE_S[0]:g} s on, where slow start's first data times out; "
            f"the table has {' to '.join(theirs)} there."
        ),
    ]


def _printed(line: Line, what: str, row: Row) -> float:
    return published.number(f"mss.{line.key}.{what}.{row.delay_s:g}")


def _cells(line: Line, found: Sequence[Row], by_rule_s: Sequence[float]) -> list[Mapping[str, Any]]:
    return [
        {
            "delay (s)": row.delay_s,
            "RTT (s)": round(by_rule, 5),
            "RTT published": _printed(line, "rtt", row),
            "CWND 1 (bytes)": row.window(1),
            "CWND 1 published": _printed(line, "cwnd1", row),
            "CWND 2 (bytes)": row.window(2),
            "CWND 2 published": _printed(line, "cwnd2", row),
            "slow start (s)": round(row.slow_start_s, 3),
            "modified (s)": round(row.modified_s, 3),
            "difference (s)": round(row.difference_s, 4),
            "difference published": _printed(line, "diff", row),
            "difference (RTT)": round(row.difference_rtts, 2),
            "published (RTT)": round(_printed(line, "diff", row) / row.rtt_s, 2),
        }
        for row, by_rule in zip(found, by_rule_s, strict=True)
    ]


def _draw(line: Line, found: Sequence[Row]) -> "Figure":
    from flowstart_papers import drawing

    ordered = sorted(found, key=lambda row: row.rtt_s)
    rtts_s = [row.rtt_s for row in ordered]
    printed_s = [_printed(line, "diff", row) for row in ordered]
    printed = [at / rtt_s for at, rtt_s in zip(printed_s, rtts_s, strict=True)]
    name = "slow start minus modified Swift Start"
    x = drawing.Axis("round-trip time (s)", "log", ticks=(0.1, 0.2, 0.5, 1, 1.5))
    return drawing.panels(
        drawing.Panel(
            x,
            drawing.Axis("difference in connection time (s)", "log"),
            {name: (rtts_s, [row.difference_s for row in ordered])},
            published={name: (rtts_s, printed_s)},
        ),
        drawing.Panel(
            x,
            drawing.Axis("difference (round trips)", limits=(-1, None)),
            {name: (rtts_s, [row.difference_rtts for row in ordered])},
            published={name: (rtts_s, printed)},
        ),
    )


EXPERIMENTS = (
    Experiment(
        id="MSS-T2",
        figure="Table 2",
        question="Over T1 and 14 delays: which windows, and how much faster is the transfer?",
        run=functools.partial(_run, T1, "table2"),
        quick=True,
    ),
    Experiment(
        id="MSS-T3",
        figure="Table 3",
        question="Over OC-1 and 14 delays: which windows, and how much faster is the transfer?",
        run=functools.partial(_run, OC1, "table3"),
        quick=True,
    ),
)
