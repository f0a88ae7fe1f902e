"""Tables 2 and 3: both windows and the difference in connection time over the line's delay."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flowstart.papers.experiment import Findings, Picture, Table
from flowstart.papers.modified_swift_start import published, traces
from flowstart.papers.modified_swift_start.setups import (
    DELAYS_S,
    MODIFIED,
    OC1,
    T1,
    Line,
    transfer,
)
from flowstart.papers.modified_swift_start.transfers import PAPER_SLOW_START, connections
from flowstart.papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flowstart.papers.lab import Lab

PROBE = "40pkt"
"""Enough for both windows, and for the segments that they release."""
RTT_ALLOWED_S = 0.0002
LATE_S = (0.5, 0.6, 0.7, 0.8)
"""Delays at which the round trip exceeds the first timeout."""
JUMP = 5
"""From here on a ratio of neighbours is a jump, and no growth with the delay."""


@dataclass(frozen=True)
class Row:
    """One delay of a table."""

    delay_s: float
    rtt_s: float
    """As published; the run's as well, but for the rounding to nanoseconds."""
    rtt_by_rule_s: float
    """Measured where the access link is the same in all rows."""
    windows: Sequence[float]
    gaps_s: Sequence[float]
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


def run_t1(lab: "Lab") -> Findings:
    """Table 2."""
    return _findings(T1, "table2", measure(lab, T1))


def run_oc1(lab: "Lab") -> Findings:
    """Table 3."""
    return _findings(OC1, "table3", measure(lab, OC1))


def measure(lab: "Lab", line: Line) -> list[Row]:
    """The rows of a table."""
    printed_s = [published.rtt_s(line.key, delay_s) for delay_s in DELAYS_S]
    probes = [
        transfer(line, delay_s, MODIFIED, rtt_s=rtt_s, size=PROBE)
        for delay_s, printed in zip(DELAYS_S, printed_s, strict=True)
        for rtt_s in (line.rtt_s(delay_s), printed)
    ]
    wholes = [
        transfer(line, delay_s, startup, rtt_s=rtt_s)
        for delay_s, rtt_s in zip(DELAYS_S, printed_s, strict=True)
        for startup in (PAPER_SLOW_START, MODIFIED)
    ]
    pairs = lab.runs(probes, traces.pairs, trace=True)
    ended = connections(lab, wholes)
    return [
        Row(
            delay_s=delay_s,
            rtt_s=printed_s[i],
            rtt_by_rule_s=pairs[2 * i][0]["rtt_s"],
            windows=[pair["window"] for pair in pairs[2 * i + 1]],
            gaps_s=[pair["gap_s"] for pair in pairs[2 * i + 1]],
            slow_start_s=ended[2 * i]["duration_s"],
            modified_s=ended[2 * i + 1]["duration_s"],
        )
        for i, delay_s in enumerate(DELAYS_S)
    ]


def _findings(line: Line, name: str, rows: Sequence[Row]) -> Findings:
    return Findings(
        measured=_measured(line, rows),
        answers=_says(line, rows),
        tables=[
            Table(name, f"Both windows and connection times over {line.name}.", _cells(line, rows))
        ],
        pictures=[
            Picture(
                f"{name}_difference",
                f"How much sooner modified Swift Start is done over {line.name}.",
                lambda: _draw(line, rows),
            )
        ],
    )


def _measured(line: Line, rows: Sequence[Row]) -> dict[str, Measured]:
    late = [row for row in rows if row.delay_s in LATE_S]
    jump = late[0].difference_s / rows[-len(LATE_S) - 1].difference_s
    found = {
        f"mss.{line.key}.jump": Measured(jump, holds=jump >= JUMP),
        f"mss.{line.key}.jump.rtts": Measured([row.difference_rtts for row in late]),
    }
    for row in rows:
        key = f"{row.delay_s:g}"
        found[f"mss.{line.key}.rtt.{key}"] = _rtt(line, row)
        found[f"mss.{line.key}.cwnd1.{key}"] = Measured(row.windows[0])
        found[f"mss.{line.key}.cwnd2.{key}"] = Measured(row.windows[1])
        name = f"mss.{line.key}.diff.{key}"
        trend = published.TARGETS[name].kind == "trend"
        holds = row.difference_s > 0 if trend else None
        found[name] = Measured(row.difference_s, holds=holds)
    return found


def _rtt(line: Line, row: Row) -> Measured:
    """The round trip by the rule; a row that breaks the rule says so itself."""
    target = published.TARGETS[f"mss.{line.key}.rtt.{row.delay_s:g}"]
    if target.kind != "trend":
        return Measured(row.rtt_by_rule_s)
    off_s = row.rtt_s - row.rtt_by_rule_s
    holds = abs(off_s) <= RTT_ALLOWED_S
    reason = (
        f"All other rows are twice the delay and {line.base_rtt_s:g} s; this one is printed "
        f"{1000 * off_s:.2f} ms above that."
    )
    return Measured(row.rtt_by_rule_s, holds=holds, because="" if holds else reason)


def _says(line: Line, rows: Sequence[Row]) -> list[str]:
    worst = max(
        abs(ours / published.number(f"mss.{line.key}.cwnd{i}.{row.delay_s:g}") - 1)
        for row in rows
        for i, ours in enumerate(row.windows, 1)
    )
    early = [row.difference_rtts for row in rows if row.delay_s not in LATE_S]
    late = [row.difference_rtts for row in rows if row.delay_s in LATE_S]
    return [
        (
            f"All {2 * len(rows)} windows over {line.name} come out of packets within "
            f"{100 * worst:.2g} % of the published ones."
        ),
        (
            f"The receiver measures {1e6 * rows[0].gaps_s[0]:.4g} µs between the segments of the "
            f"first pair and {1e6 * rows[0].gaps_s[1]:.4g} µs in the second; the line takes "
            f"{12e9 / line.bps:.4g} µs for a packet."
        ),
        (
            f"Modified Swift Start saves {min(early):.1f} to {max(early):.1f} round trips up to a "
            f"delay of {rows[-len(LATE_S) - 1].delay_s:g} s, and {min(late):.1f} to "
            f"{max(late):.1f} from {LATE_S[0]:g} s on, where slow start's first data times out."
        ),
    ]


def _cells(line: Line, rows: Sequence[Row]) -> list[Mapping[str, Any]]:
    def printed(what: str, row: Row) -> float:
        return published.number(f"mss.{line.key}.{what}.{row.delay_s:g}")

    return [
        {
            "delay (s)": row.delay_s,
            "RTT (s)": round(row.rtt_by_rule_s, 5),
            "RTT published": printed("rtt", row),
            "CWND 1 (bytes)": row.windows[0],
            "CWND 1 published": printed("cwnd1", row),
            "CWND 2 (bytes)": row.windows[1],
            "CWND 2 published": printed("cwnd2", row),
            "slow start (s)": round(row.slow_start_s, 3),
            "modified (s)": round(row.modified_s, 3),
            "difference (s)": round(row.difference_s, 4),
            "difference published": printed("diff", row),
            "difference (RTT)": round(row.difference_rtts, 2),
            "published (RTT)": round(printed("diff", row) / row.rtt_s, 2),
        }
        for row in rows
    ]


def _draw(line: Line, rows: Sequence[Row]) -> "Figure":
    from flowstart.papers import drawing

    rows = sorted(rows, key=lambda row: row.rtt_s)
    rtts_s = [row.rtt_s for row in rows]
    printed = [published.number(f"mss.{line.key}.diff.{row.delay_s:g}") for row in rows]
    name = "slow start minus modified Swift Start"
    return drawing.single(
        drawing.Axis("round-trip time (s)"),
        drawing.Axis("difference in connection time (s)", "log"),
        {name: (rtts_s, [row.difference_s for row in rows])},
        published={name: (rtts_s, printed)},
    )
