"""What the paper leaves open, and which of its statements hold under which reading."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import polars as pl

from flowstart.model.document import Document
from flowstart_papers import published, readings
from flowstart_papers.experiment import Cell, Findings, Table
from flowstart_papers.frames import grid
from flowstart_papers.jump_start import figures, measures, setups
from flowstart_papers.jump_start.setups import BOTH
from flowstart_papers.lab import Lab
from flowstart_papers.readings import Reading, Tried
from flowstart_papers.target import Measured

RECOVERY, WINDOW, STARTS = "recovery", "initial window", "starts"
ACKS, TIMER, QUEUE = "acknowledgements", "least timeout", "queue of 60"
GAP, CLOCK, LINES, DURATION = "gap", "pacing clock", "access lines", "duration"
PAGES, PAUSE, REQUEST = "pages", "pause", "request"

LATE_SEEDS = range(1, 4)
WEB_SEEDS = range(1, 31)
PACKAGE = "flowstart_papers.jump_start"
TARGETS = published.of(PACKAGE).targets

INPUTS = readings.open_inputs(PACKAGE)
CELLS = readings.grid(
    readings.alone(INPUTS),
    readings.crossed(INPUTS, [RECOVERY, STARTS]),
    readings.crossed(INPUTS, [RECOVERY, WINDOW]),
    readings.crossed(INPUTS, [PAGES, PAUSE, REQUEST]),
)
"""Each reading by itself; what figure 2 depends on most and the web's inputs also together."""


@dataclass(frozen=True)
class Moved:
    """What a reading changes in a set-up."""

    stack: Mapping[str, Any] = field(default_factory=dict)
    path: Mapping[str, Any] = field(default_factory=dict)
    flow: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the flows, or of the web's entry."""
    jump: str = ""
    """Parameters of Jump Start."""


SetUp = Literal["single", "crowd", "web"]
EVERYWHERE: Mapping[tuple[str, str], Moved] = {
    **{(RECOVERY, name): Moved(stack=fields) for name, fields in setups.RECOVERIES.items()},
    (WINDOW, "2"): Moved(stack={"iw": "2"}),
    (WINDOW, "4"): Moved(stack={"iw": "4"}),
    (ACKS, "delayed"): Moved(stack={"ack": "delayed"}),
    (TIMER, "1 s"): Moved(stack={"rto_min": "1s"}),
    (QUEUE, "60 wait next to it"): Moved(path={"buffer_accounting": "linux"}),
    (GAP, "RTT/(D-1)"): Moved(jump=":gap=rtt/(d-1)"),
    (CLOCK, "10 ms"): Moved(stack={"coarse_pacing": True}),
}
"""What a reading moves in all set-ups; those that are neither here nor below move nothing."""
LINE = {"rtt": "60ms", "access_rate": "50Mbps", "access_delay": "1ms"}
ONLY: Mapping[SetUp, Mapping[tuple[str, str], Moved]] = {
    "single": {
        (LINES, "all: 1 ms"): Moved(path=LINE),
        (DURATION, "without"): Moved(flow={"handshake": False}),
    },
    "crowd": {
        (STARTS, "up to 10 ms late"): Moved(flow={"jitter": "10ms"}),
        (STARTS, "up to 50 ms late"): Moved(flow={"jitter": "50ms"}),
        (LINES, "figure 2: 5 ms"): Moved(path={"rtt": "44ms", "access_delay": "5ms"}),
        (LINES, "none"): Moved(path={"rtt": "64ms", "access_rate": None, "access_delay": None}),
        (DURATION, "without"): Moved(flow={"handshake": False}),
    },
    "web": {
        (LINES, "all: 1 ms"): Moved(path=LINE),
        (PAGES, "exponential"): Moved(flow={"pages": "exponential:mean=5"}),
        (PAUSE, "from its start"): Moved(flow={"page_pause_from": "start"}),
        (REQUEST, "the response's"): Moved(flow={"single_connection": True}),
    },
}
"""And in one of them alone."""


def read_as(document: Document, set_up: SetUp, reading: Reading) -> Document:
    """The set-up with its open inputs read so."""
    kind = "web" if set_up == "web" else "flows"
    for chosen in reading.items():
        moved = ONLY[set_up].get(chosen) or EVERYWHERE.get(chosen) or Moved()
        (entry,) = document[kind]
        jumps = str(entry["startup"]).startswith(setups.JUMP_START)
        startup = f"{entry['startup']}{moved.jump if jumps else ''}"
        document = setups.along(document, **moved.path) | {
            "stack": document["stack"] | moved.stack,
            kind: [entry | {"startup": startup} | moved.flow],
        }
    return document


def _cases(cells: Sequence[Reading], **axes: Sequence[Any]) -> list[dict[str, Any]]:
    """Every case under every reading; starts that are late have several seeds."""
    return grid(cell=range(len(cells)), **axes, startup=BOTH)


def measure(lab: Lab, cells: Sequence[Reading]) -> list[dict[str, Measured]]:
    """The paper's statements about figures 1, 2 and 4 under every reading."""

    def scenario(set_up: SetUp, cell: int, startup: str, **case: Any) -> Document:
        make = {"single": setups.single, "crowd": figures.crowd, "web": setups.web}[set_up]
        return read_as(make(startup, **case), set_up, cells[cell])  # type: ignore[operator]

    singles = lab.frame(
        lambda **case: scenario("single", **case),
        _cases(cells, packets=(*figures.SIZES, figures.NEXT)),
        measures.transfer,
    )
    crowds = lab.frame(
        lambda **case: scenario("crowd", **case),
        [case for case in _cases(cells, interval=figures.INTERVALS, seed=LATE_SEEDS)
         if case["seed"] == 1 or cells[case["cell"]][STARTS] != "periodic"],
        measures.crowd,
    ).with_columns(jitter=pl.lit(""))  # fmt: skip
    draws = lab.frame(
        lambda **case: scenario("web", **case), _cases(cells, seed=WEB_SEEDS), measures.web
    )
    found = []
    for cell in range(len(cells)):
        single, crowd, draw = (every.filter(cell=cell) for every in (singles, crowds, draws))
        contending = figures.crowds(crowd)
        loads = figures.webs(draw)
        figure = {
            "JS-F1": figures.figure1(single),
            "JS-F2a": figures.figure2a(contending),
            "JS-F2b": figures.figure2b(contending),
            "JS-F4a": figures.figure4a(loads),
            "JS-F4b": figures.figure4b(loads),
        }
        found.append(
            {
                target: measured
                for name, findings in figure.items()
                for target, measured in readings.statements(findings, TARGETS, name).items()
            }
        )
    return found


def show(tried: Tried) -> Findings:
    """The grid, and where all of figure 2 comes out as printed."""
    found = tried.findings()
    rows = [_figure2_row(tried, i) for i in range(len(tried.cells))]
    whole = [str(row["reading"]) for row in rows if not row["do not hold"]]
    said = (
        f"All that the paper states of figure 2 holds under {len(whole)} of {len(rows)} readings: "
        f"{'; '.join(whole)}."
    )
    table = Table("figure2_readings", "Figure 2's statements by reading", rows)
    return replace(found, answers=[*found.answers, said], tables=[table, *found.tables])


def _figure2_row(tried: Tried, cell: int) -> dict[str, Cell]:
    missed = [name for name in tried.names if "js.f2." in name and name in tried.missing(cell)]

    def value(name: str) -> Cell:
        found = tried.columns[cell][name].value
        return round(found, 2) if isinstance(found, float) else str(found)

    return {
        "reading": tried.row_name(tried.cells[cell]),
        "gain from 1 s, %": value("js.f2.free.time"),
        "knee, s": value("js.f2.knee"),
        "loss ratio, apart": value("js.f2.free.ratio"),
        "do not hold": ", ".join(missed),
    }


JS_READINGS = readings.experiment(
    name="JS-READINGS",
    question="Which statements of figures 1, 2 and 4 hold under which reading of the set-up?",
    inputs=INPUTS,
    cells=CELLS,
    targets=TARGETS,
    measure=measure,
    show=show,
)
