"""Tables 2 and 3: both windows and the difference in connection time over the line's delay."""

from dataclasses import replace
from typing import Any

import polars as pl

from flowstart_papers.experiment import Experiment, Findings, experiment, table
from flowstart_papers.lab import Lab
from flowstart_papers.modified_swift_start import measures
from flowstart_papers.modified_swift_start.setups import (
    DELAYS_S,
    DIRECT,
    LINES,
    LITERAL,
    OC1,
    T1,
    Line,
    Setup,
    number,
    transfer,
)
from flowstart_papers.plot import Axis, Panel, lines, panel
from flowstart_papers.target import Measured

LATE_S = (0.5, 0.6, 0.7, 0.8)
"""Delays at which the round trip exceeds the first timeout."""
JUMP = 5
"""From here on a ratio of neighbours is a jump, and no growth with the delay."""


def rows(lab: Lab, line: Line, setup: Setup = LITERAL) -> pl.DataFrame:
    """A table: windows and gaps by both pairs, and connection times.

    A connection that begins with one segment has no second pair.
    """
    found = lab.runs([setup.probe(line, d) for d in DELAYS_S], measures.pairs, trace=True)
    wholes = [document for delay_s in DELAYS_S for document in setup.both(line, delay_s)]
    took_s = [one["duration_s"] for one in lab.runs(wholes, measures.connection)]
    nothing: dict[str, Any] = {"window": None, "gap_s": None}
    frame = pl.DataFrame(
        [
            {"delay": delay_s, "rtt_s": setup.rtt_s(line, delay_s),
             "cwnd1": [*pair, nothing][0]["window"], "gap1_s": [*pair, nothing][0]["gap_s"],
             "cwnd2": [*pair, nothing, nothing][1]["window"],
             "gap2_s": [*pair, nothing, nothing][1]["gap_s"],
             "slow_s": took_s[2 * i], "modified_s": took_s[2 * i + 1]}
            for i, (delay_s, pair) in enumerate(zip(DELAYS_S, found, strict=True))
        ],
        infer_schema_length=None,
    )  # fmt: skip
    printed = {
        f"printed_{what}": [number(f"mss.{line.key}.{what}.{d:g}") for d in DELAYS_S]
        for what in ("rtt", "cwnd1", "cwnd2", "diff")
    }
    return frame.with_columns(
        diff=pl.col("slow_s") - pl.col("modified_s"),
        **{k: pl.Series(v) for k, v in printed.items()},
    ).with_columns(
        rounds=pl.col("diff") / pl.col("rtt_s"),
        printed_rounds=pl.col("printed_diff") / pl.col("rtt_s"),
    )


def _of_table(line: Line, name: str) -> "Experiment":
    """The experiment of one table."""

    @experiment(
        f"MSS-T{name[-1]}",
        f"Table {name[-1]}",
        f"Over {line.name} and 14 delays: which windows, and how much faster is the transfer?",
        quick=True,
    )
    def of_line(lab: Lab) -> Findings:
        rules = [transfer(line, line.rtt_s(d), LITERAL.modified, size="40pkt") for d in DELAYS_S]
        by_rule = [pair[0]["rtt_s"] for pair in lab.runs(rules, measures.pairs, trace=True)]
        found = rows(lab, line).with_columns(by_rule=pl.Series(by_rule))
        early, late = (
            found.filter(pl.col("delay").is_in(LATE_S) == is_late) for is_late in (False, True)
        )
        jump = late["diff"][0] / early["diff"][-1]
        ordered = found.sort("rtt_s")
        x = Axis("round-trip time (s)", "log", ticks=(0.1, 0.2, 0.5, 1, 1.5))
        curve = "slow start minus modified Swift Start"
        first = found.row(0, named=True)

        def drawn(column: str, y: Axis) -> Panel:
            rings = {curve: (ordered["rtt_s"].to_list(), ordered[f"printed_{column}"].to_list())}
            return panel(ordered, ("rtt_s", x), (column, y), name=curve, published=rings)

        return Findings(
            values=found,
            measured={
                f"mss.{line.key}.jump": Measured(jump, jump >= JUMP),
                f"mss.{line.key}.jump.rtts": late["rounds"].to_list(),
            },
            answers=[
                f"The receiver measures {1e6 * first['gap1_s']:.4g} µs between the segments of the "
                f"first pair and {1e6 * first['gap2_s']:.4g} µs in the second; the line takes "
                f"{12e9 / line.bps:.4g} µs for a packet.",
                f"Modified Swift Start saves {min(early['rounds']):.1f} to "
                f"{max(early['rounds']):.1f} round trips up to a delay of 0.4 s, and "
                f"{min(late['rounds']):.1f} to {max(late['rounds']):.1f} from 0.5 s on, where slow "
                f"start's first data times out; the table has {min(late['printed_rounds']):.1f} to "
                f"{max(late['printed_rounds']):.1f} there.",
            ],
            tables=[table(name, f"Both windows and connection times over {line.name}", found)],
            pictures=[lines(
                f"{name}_difference",
                f"How much faster modified Swift Start is over {line.name}, in seconds and in "
                "round trips",
                drawn("diff", Axis("difference in connection time (s)", "log")),
                drawn("rounds", Axis("difference (round trips)", limits=(-1, None))))],
        )  # fmt: skip

    return of_line


MSS_T2, MSS_T3 = _of_table(T1, "table2"), _of_table(OC1, "table3")

SHOWN_KB = {"t1": (10.0, 1000.0), "oc1": (100.0, 20_000.0)}


@experiment("MSS-W", "Tables 2 and 3", quick=True)
def mss_w(lab: Lab) -> Findings:
    """How do both windows grow with the delay, and where do they part from the published ones?"""
    # A receiver right behind its router, as the second windows over OC-1 need it.
    direct = replace(LITERAL, base="access", path=DIRECT)
    delay = Axis("delay of the line (s)", "log", ticks=(0.0001, 0.001, 0.01, 0.1, 0.8))
    sizes, ratios, said = [], [], []
    for line in LINES:
        ours, near = rows(lab, line), rows(lab, line, direct)
        columns = {"first pair": (ours, "cwnd1"), "second pair": (ours, "cwnd2"),
                   "second pair, no link to the receiver": (near, "cwnd2")}  # fmt: skip
        rings = {"first pair": "printed_cwnd1", "second pair": "printed_cwnd2"}
        kb = {
            name: (DELAYS_S, [x / 1000 for x in frame[of]]) for name, (frame, of) in columns.items()
        }
        over = {name: (DELAYS_S, (frame[of] / frame["cwnd1"]).to_list())
                for name, (frame, of) in columns.items()}  # fmt: skip
        printed = (ours["printed_cwnd2"] / ours["printed_cwnd1"]).to_list()
        sizes.append(Panel(
            delay, Axis("window (kB)", "log", limits=SHOWN_KB[line.key]), kb, title=line.name,
            published={n: (DELAYS_S, [x / 1000 for x in ours[of]]) for n,
                       of in rings.items()}))  # fmt: skip
        ratios.append(Panel(
            delay, Axis("window over the first", limits=(0.5, 1.25)), over, title=line.name,
            published={"second pair": (DELAYS_S, printed)}))  # fmt: skip
        spans = [f"{min(each):.3f} to {max(each):.3f}" for each in
                 (over["second pair"][1], printed,
                  over["second pair, no link to the receiver"][1])]  # fmt: skip
        said.append(
            f"Over {line.name} the second window is {spans[0]} of the first, published {spans[1]}; "
            f"without the receiver's access link {spans[2]}."
        )
    return Findings(
        answers=said,
        pictures=[lines(
            "windows", "Both windows over the line's delay, and the second over the first, which "
            "shows where ours and the published ones part", *sizes, *ratios)],
    )  # fmt: skip
