"""What the paper's words leave open, and which of its statements hold under which reading."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from flowstart_papers import published, readings
from flowstart_papers.counting import Tally
from flowstart_papers.experiment import Findings
from flowstart_papers.lab import Lab
from flowstart_papers.modified_swift_start import figures, tables
from flowstart_papers.modified_swift_start.setups import (
    DELAYS_S,
    DIRECT,
    FORMULA_HEADER,
    LINES,
    LITERAL,
    MODIFIED,
    THRESHOLD,
    Setup,
)
from flowstart_papers.modified_swift_start.slow_start import PAPER_SLOW_START
from flowstart_papers.modified_swift_start.studies import COUNTING, RFC_6298
from flowstart_papers.readings import Reading, Tried, in_words
from flowstart_papers.target import Measured, Value

BASES: Mapping[str, Literal["line", "access", "none"]] = {
    "on the line": "line",
    "on the access links": "access",
    "none": "none",
}

PACKAGE = "flowstart_papers.modified_swift_start"
INPUTS = readings.open_inputs(PACKAGE)
TIMEOUTS = ("timeout leaves", "SYN's timeout", "window after it", "RTO after a SYN", "cc")
WAYS = ("frame", "processor", "receiver's link", "base RTT")
BETWEEN = ("SYN's timeout", "receiver's link", "base RTT")
SHOWN = readings.grid(readings.alone(INPUTS), readings.crossed(INPUTS, BETWEEN))
"""The cells that the picture has room for."""
CELLS = readings.grid(SHOWN, readings.crossed(INPUTS, TIMEOUTS), readings.crossed(INPUTS, WAYS))

GROUPS = {
    f"{line.name}, {what}": [f"mss.{line.key}.{column}.{d:g}" for d in delays]
    for line in LINES
    for what, column, delays in (
        ("first windows", "cwnd1", DELAYS_S),
        ("second windows", "cwnd2", DELAYS_S),
        ("differences up to 0.4 s", "diff", DELAYS_S[: -len(tables.LATE_S)]),
        ("differences from 0.5 s", "diff", tables.LATE_S),
    )
}
"""The statements of the tables, as the picture counts them."""
FIGURES = "figures 4 to 11"


def setup(reading: Reading) -> Setup:
    """The set-up of a reading."""
    path: dict[str, Any] = {}
    stack: dict[str, Any] = {}
    if reading["window"] == "100 000 bytes":
        stack["window_scaling"] = True
    if reading["RTO after a SYN"] == "2 s":
        stack["syn_backoff_lasts"] = True
    if reading["RTO after a SYN"] == "3 s":
        stack |= RFC_6298 | {"window_scaling": "window_scaling" in stack}
    if reading["ACK timer"] != "0.2 s":
        stack["ack_timer"] = reading["ACK timer"].replace(" ", "")
    if reading["frame"] == "1487 bytes":
        stack["header"] = FORMULA_HEADER
    if reading["processor"] == "one for each":
        path["router_pps"] = None
    if reading["receiver's link"] == "none":
        path |= DIRECT
    threshold = "" if reading["first threshold"] == "none" else f",{THRESHOLD}"
    return replace(
        LITERAL,
        slow_start=_slow_start(reading),
        modified=f"{MODIFIED}{threshold}",
        cc=LITERAL.cc if reading["cc"] == "equation 3" else COUNTING,
        base=BASES[reading["base RTT"]],
        size=LITERAL.size if reading["10 MB"] == "10 · 2^20 bytes" else "10000000B",
        path=path,
        stack=stack,
    )


def _slow_start(reading: Reading) -> str:
    """Slow start with what the reading departs in."""
    departs = {
        "threshold=None": reading["first threshold"] == "none",
        "restart=1": reading["window after it"] == "1 segment",
        "syn=True": reading["SYN's timeout"] == "lowers it",
        "flight=True": reading["timeout leaves"] == "half the flight",
    }
    given = ",".join(parameter for parameter, departed in departs.items() if departed)
    return f"{PAPER_SLOW_START}:{given}" if given else PAPER_SLOW_START


FIGURE = (figures.figure4, figures.figure5, figures.figure6, figures.figure7, figures.figure8,
          figures.figure10)  # fmt: skip
TARGETS = published.of(PACKAGE).targets
NUMBERS = [target for target in TARGETS if target.column in ("cwnd1", "cwnd2", "diff")]


def measure(lab: Lab, cells: Sequence[Reading]) -> list[Mapping[str, Measured | Value]]:
    """All statements about the transfers of tables and figures, under each reading."""
    return [_statements(lab, setup(cell)) for cell in cells]


def _statements(lab: Lab, moved: Setup) -> dict[str, Measured | Value]:
    found: dict[str, Measured | Value] = {}
    for line, name in zip(LINES, ("MSS-T2", "MSS-T3"), strict=True):
        values = Findings(values=tables.rows(lab, line, moved))
        found |= readings.statements(values, NUMBERS, name)
    return {**found, **{k: v for figure in FIGURE for k, v in figure(lab, moved).items()}}


def show(tried: Tried) -> Findings:
    """The grid, with its many statements put together by the columns of the tables."""
    tables = {name for names in GROUPS.values() for name in names}
    groups = {**GROUPS, FIGURES: [name for name in tried.names if name not in tables]}
    counts = tried.by_group(groups)
    held = tried.held()
    picture = tried.picture_by_group(
        groups,
        [tried.row_name(cell) for cell in SHOWN],
        "How many statements hold under which reading: the literal one above, then one input moved "
        "at a time, then combinations of those that the tables fit best. The table below has all "
        "readings.",
    )
    return Findings(
        held=held,
        answers=[f"{held}.", *_says(tried, counts)],
        tables=tried.tables(),
        pictures=[picture],
    )


def _says(tried: Tried, counts: Sequence[Mapping[str, Tally]]) -> list[str]:
    said = []
    for group, first in counts[0].items():
        literal, of = first.hold, first.of
        all_held = [cell for cell, by in zip(CELLS, counts, strict=True) if by[group].hold == of]
        most = max(by[group].hold for by in counts)
        if literal == of:
            said.append(
                f"{group}: all {of} hold literally, and under {len(all_held)} of {len(CELLS)} "
                "readings."
            )
        elif all_held:
            moved = in_words(min(map(tried.departures, all_held), key=len))
            said.append(
                f"{group}: {literal} of {of} hold literally, all under {len(all_held)} readings, "
                f"with the fewest departures {moved}."
            )
        else:
            said.append(f"{group}: {literal} of {of} hold literally, and {most} at best.")
    return said


MSS_READINGS = readings.experiment(
    name="MSS-READINGS",
    question="Which statements hold under which reading of what the words leave open?",
    inputs=INPUTS,
    cells=CELLS,
    targets=TARGETS,
    measure=measure,
    show=show,
)
