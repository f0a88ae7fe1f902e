"""A study: what the paper does not print, moved one input at a time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from flowstart.model.document import Document
from flowstart.papers.experiment import Experiment, Findings, Picture, Table
from flowstart.papers.jump_start import measures, setups
from flowstart.papers.lab import Lab
from flowstart.papers.measures import improvement, interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIZES = (2, 4, 8, 16, 32, 64)
NEAR_FIRST_LOSS = tuple(range(80, 96))
CROWDED, FREE = 0.1, 1.0
CROWD_SEEDS = range(1, 5)
WEB_SEEDS = range(1, 31)
LOW, HIGH = 8.0, 46.0
"""The paper's 10 to 40+ % with the tolerance of its points."""


@dataclass(frozen=True)
class Moved:
    """One input other than chosen."""

    stack: Mapping[str, Any] = field(default_factory=dict)
    path: Mapping[str, Any] = field(default_factory=dict)
    flow: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the flows, or of the web's entry."""
    jump: str = ""
    """Parameters of Jump Start."""

    def applied(self, document: Document, startup: str) -> Document:
        """The set-up with this input moved."""
        kind = "web" if "web" in document else "flows"
        chosen = self.jump if startup == setups.JUMP_START else ""
        entry = document[kind][0] | {"startup": startup + chosen} | self.flow
        moved = setups.along(document, **self.path)
        return moved | {"stack": document["stack"] | self.stack, kind: [entry]}


CHOSEN = "as chosen"
SINGLE = {
    CHOSEN: Moved(),
    "access lines of 50 Mbit/s, 1 ms": Moved(
        path={"rtt": "60ms", "access_rate": "50Mbps", "access_delay": "1ms"}
    ),
    "gap rtt/(d-1)": Moved(jump=":gap=rtt/(d-1)"),
    "gap in ticks of 10 ms": Moved(stack={"coarse_pacing": True}),
    "handshake not counted": Moved(flow={"handshake": False}),
    "delayed ACKs": Moved(stack={"ack": "delayed"}),
    "initial window of 2": Moved(stack={"iw": "2"}),
    "initial window of 4": Moved(stack={"iw": "4"}),
    "unpaced within the initial window": Moved(jump=":iw_refinement=true"),
    "60 wait beside the one in service": Moved(path={"buffer_reading": "linux"}),
}
CROWD = {
    CHOSEN: Moved(),
    "exact starts": Moved(flow={"jitter": "0ms"}),
    "starts moved by up to 50 ms": Moved(flow={"jitter": "50ms"}),
    "no access lines": Moved(
        path={"rtt": "64ms", "access_rate": None, "access_delay": None},
    ),
    "access delay 5 ms": Moved(path={"rtt": "44ms", "access_delay": "5ms"}),
    "gap in ticks of 10 ms": Moved(stack={"coarse_pacing": True}),
    "delayed ACKs": Moved(stack={"ack": "delayed"}),
    "initial window of 4": Moved(stack={"iw": "4"}),
    "minimum timeout 1 s": Moved(stack={"rto_min": "1s"}),
    "minimum timeout 10 ms": Moved(stack={"rto_min": "10ms"}),
}
WEB = {
    CHOSEN: Moved(),
    "response on its request's connection": Moved(flow={"single_connection": True}),
    "pages exponential": Moved(flow={"pages": "exponential:mean=5"}),
    "access delay 1 ms": Moved(
        path={"rtt": "60ms", "access_rate": "50Mbps", "access_delay": "1ms"}
    ),
    "delayed ACKs": Moved(stack={"ack": "delayed"}),
    "SACK of RFC 6675": Moved(stack=setups.RECOVERIES["SACK"]),
    "objects of 12 packets": Moved(flow={"size": "pareto2:mean=12,shape=1.2"}),
}


def _single(startup: str, case: tuple[str, int]) -> Document:
    moved, size = case
    return SINGLE[moved].applied(setups.single(startup, size), startup)


def _crowd(startup: str, case: tuple[str, float, int]) -> Document:
    moved, seconds, seed = case
    return CROWD[moved].applied(setups.contention(f"{seconds}s", startup, seed), startup)


def _web(startup: str, case: tuple[str, int]) -> Document:
    moved, seed = case
    return WEB[moved].applied(setups.web(startup, seed), startup)


def run(lab: Lab) -> Findings:
    """Each set-up with each of its inputs moved."""
    single, crowd, web = _single_rows(lab), _crowd_rows(lab), _web_rows(lab)
    fits = [
        str(row["input"])
        for row in single
        if all(LOW <= float(row[f"{size}, %"] or 0) <= HIGH for size in SIZES if size > 2)
    ]
    gains = {str(row["input"]): float(row[f"gain at {FREE:g} s, %"] or 0) for row in crowd}
    least, most = min(gains, key=gains.__getitem__), max(gains, key=gains.__getitem__)
    ratios = [float(row["25th percentile, ratio"] or 0) for row in web]
    points = [float(row["without loss, points"] or 0) for row in web]
    return Findings(
        answers=[
            f"Figure 1's 10 to 40+ % comes out with: {', '.join(fits)}.",
            (
                f"Without contention Jump Start's gain in figure 2 goes from {gains[least]:.0f} % "
                f"({least}) to {gains[most]:+.0f} % ({most}); as chosen it is "
                f"{gains[CHOSEN]:.0f} %."
            ),
            (
                f"In figure 4 the ratio at the 25th percentile stays between {min(ratios):.2f} and "
                f"{max(ratios):.2f}, and the difference without loss between {min(points):.1f} and "
                f"{max(points):.1f} points."
            ),
        ],
        tables=[
            Table("sensitivity_figure1", "Figure 1: gain of Jump Start by packets", single),
            Table(
                "sensitivity_figure2",
                "Figure 2: gain in median duration, and drops per packet sent",
                crowd,
            ),
            Table("sensitivity_figure4", "Figure 4", web),
        ],
        pictures=[
            Picture(
                "sensitivity",
                "Figure 1 with one input moved at a time; the paper has 10 to 40+ % from 4 packets",
                lambda: _draw(single),
            )
        ],
    )


Rows = list[dict[str, str | float | bool | None]]


def _single_rows(lab: Lab) -> Rows:
    cases = [(moved, size) for moved in SINGLE for size in (*SIZES, *NEAR_FIRST_LOSS)]
    read = dict(zip(cases, measures.both(lab, _single, cases, measures.transfer), strict=True))
    rows: Rows = []
    for moved in SINGLE:
        pairs = {size: read[moved, size] for size in (*SIZES, *NEAR_FIRST_LOSS)}
        lossy = [size for size in NEAR_FIRST_LOSS if pairs[size][1]["packets_dropped"]]
        gains = {
            f"{size}, %": round(improvement(*(flow["duration_s"] for flow in pairs[size])), 1)
            for size in SIZES
        }
        rows.append({"input": moved, **gains, "first loss, packets": min(lossy, default=None)})
    return rows


def _crowd_rows(lab: Lab) -> Rows:
    cases = [(moved, s, seed) for moved in CROWD for s in (CROWDED, FREE) for seed in CROWD_SEEDS]
    read = dict(zip(cases, measures.both(lab, _crowd, cases, measures.crowd), strict=True))
    rows: Rows = []
    for moved in CROWD:
        row: dict[str, str | float | bool | None] = {"input": moved}
        for seconds in (CROWDED, FREE):
            pairs = [read[moved, seconds, seed] for seed in CROWD_SEEDS]
            gains = [improvement(a["median_s"], b["median_s"]) for a, b in pairs]
            row[f"gain at {seconds:g} s, %"] = round(float(np.mean(gains)), 1)
            losses = [float(np.mean([pair[i]["loss"] for pair in pairs])) for i in (0, 1)]
            row[f"slow start loses at {seconds:g} s, %"] = round(100 * losses[0], 1)
            row[f"Jump Start loses at {seconds:g} s, %"] = round(100 * losses[1], 1)
        rows.append(row)
    return rows


def _web_rows(lab: Lab) -> Rows:
    cases = [(moved, seed) for moved in WEB for seed in WEB_SEEDS]
    read = dict(
        zip(cases, measures.both(lab, _web, cases, measures.responses_in_short), strict=True)
    )
    rows: Rows = []
    for moved in WEB:
        pairs = [read[moved, seed] for seed in WEB_SEEDS]
        ratios = [a["p25_s"] / b["p25_s"] for a, b in pairs]
        points = [b["free"] - a["free"] for a, b in pairs]
        rows.append(
            {
                "input": moved,
                "25th percentile, ratio": round(float(np.mean(ratios)), 2),
                "ratio, 95 %": _between(ratios, 2),
                "without loss, points": round(float(np.mean(points)), 1),
                "points, 95 %": _between(points, 1),
            }
        )
    return rows


def _between(values: Sequence[float], digits: int) -> str:
    return " to ".join(f"{end:.{digits}f}" for end in interval(values))


def _draw(rows: Rows) -> "Figure":
    from flowstart.papers import drawing

    shown = (
        CHOSEN,
        "gap rtt/(d-1)",
        "handshake not counted",
        "delayed ACKs",
        "initial window of 4",
    )
    return drawing.single(
        drawing.Axis("transfer size (packets)", "log", ticks=SIZES),
        drawing.Axis("gain in duration (%)"),
        {
            str(row["input"]): (SIZES, [float(row[f"{size}, %"] or 0) for size in SIZES])
            for row in rows
            if row["input"] in shown
        },
        level={"10 %": 10, "40 %": 40},
    )


EXPERIMENTS = (
    Experiment(
        id="JS-SENS",
        figure="study",
        question="What happens when an input moves that the paper does not print?",
        run=run,
    ),
)
