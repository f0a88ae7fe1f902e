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
from flowstart_papers.readings import OpenInput, Reading, Tried
from flowstart_papers.target import Measured, Value
from flowstart_papers.tried import in_words

BASES: Mapping[str, Literal["line", "access", "none"]] = {
    "on the line": "line",
    "on the access links": "access",
    "none": "none",
}

INPUTS = (
    OpenInput(
        name="window",
        says="advertised in a field of 16 bits, not scaled (Sec. III, Table 1); a receive buffer "
        "of 100 000 bytes (Table 1)",
        readings={
            "65 535 bytes": "the text, and the 44 segments that it counts",
            "100 000 bytes": "the receive buffer, if the field did not limit it",
        },
    ),
    OpenInput(
        name="first threshold",
        says="a window cannot exceed a threshold that the receiver advertises (Sec. II)",
        readings={
            "65 535 bytes": "the largest window that a receiver advertises",
            "none": "RFC 2581: it may be arbitrarily high",
        },
    ),
    OpenInput(
        name="timeout leaves",
        says="the threshold is divided by two (Sec. III); it drops to half of the present value "
        "(Sec. II)",
        readings={
            "half the threshold": "Sec. III",
            "half the flight": "Sec. II, if the value is the window's, as in RFC 2581",
        },
    ),
    OpenInput(
        name="SYN's timeout",
        says="only of packets that a window too large has lost (Sec. III)",
        readings={
            "leaves the threshold": "no window has lost a SYN",
            "lowers it": "a timeout is a timeout, as in ns-2",
        },
    ),
    OpenInput(
        name="window after it",
        says="the initial window (Sec. III), four segments in Table 1 and typically one in Sec. "
        "III; one segment (Sec. II)",
        readings={
            "4 segments": "the initial window of Table 1, with which both begin",
            "1 segment": "Sec. II, and what RFC 2581 has",
        },
    ),
    OpenInput(
        name="RTO after a SYN",
        says="initially 1 s, Karn's algorithm on (Table 1)",
        readings={
            "1 s": "the initial RTO, until a round trip has been measured",
            "2 s": "Karn's algorithm keeps what the SYN's timeout has doubled",
            "3 s": "RFC 6298, with which data then begins with one segment",
        },
    ),
    OpenInput(
        name="cc",
        says="equation 3 for each ACK (Sec. III); about one packet in a round trip (Sec. II)",
        readings={
            "equation 3": "it is there as a formula; with delayed ACKs half a segment",
            "1 segment per RTT": "Sec. II, and RFC 3465",
        },
    ),
    OpenInput(
        name="ACK timer",
        says="segment and clock based, at most 0.2 s (Table 1)",
        readings={
            "0.2 s": "a timer that begins with the segment",
            "0.1 s": "what a clock that ticks every 0.2 s takes on average",
            "0.001 s": "the minimum that such a clock takes",
        },
    ),
    OpenInput(
        name="frame",
        says="1460, 20 and 7 bytes in the formula; a gap of 7.772 ms in the simulation (Sec. 4.1)",
        readings={
            "1500 bytes": "a segment with both its headers, and the simulation's gap",
            "1487 bytes": "the formula",
        },
    ),
    OpenInput(
        name="processor",
        says="a router forwards 5000 packets a second (Sec. 4.1)",
        readings={
            "for both directions": "a router's rate, not a direction's",
            "one for each": "then it is faster than either line, and nothing waits for it",
        },
    ),
    OpenInput(
        name="receiver's link",
        says="both hosts have Ethernet at 100 Mbit/s (Sec. 4.1)",
        readings={
            "100 Mbit/s": "printed",
            "none": "the second windows over OC-1 need a receiver right behind its router",
        },
    ),
    OpenInput(
        name="base RTT",
        says="nothing; all printed round trips exceed what links and delay give, by one amount for "
        "each line",
        readings={
            "on the line": "the paper controls the delay by the line's",
            "on the access links": "in hosts or their links; the sender's where it alone has one",
            "none": "the printed setup has none",
        },
    ),
    OpenInput(
        name="10 MB",
        says="10 MB, 10 Mbytes",
        readings={"10 · 2^20 bytes": "the usual reading", "10^7 bytes": "powers of ten"},
    ),
)

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
TARGETS = published.of("flowstart_papers.modified_swift_start").targets
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
