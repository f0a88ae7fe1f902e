"""The windows of Tables 2 and 3 as a picture, which the paper does not draw."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from flowstart_papers.experiment import Experiment, Findings, Picture
from flowstart_papers.modified_swift_start import published, table2
from flowstart_papers.modified_swift_start.curves import KB
from flowstart_papers.modified_swift_start.setups import DELAYS_S, DIRECT, LINES, LITERAL, Line
from flowstart_papers.modified_swift_start.table2 import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flowstart_papers import drawing
    from flowstart_papers.lab import Lab

DIRECT_RECEIVER = replace(LITERAL, base="access", path=DIRECT)
"""A receiver right behind its router, as the second windows over OC-1 need it."""
FIRST = "first pair"
SECOND = "second pair"
WITHOUT = "second pair, no link to the receiver"

SHOWN_KB = {"t1": (10.0, 1000.0), "oc1": (100.0, 20_000.0)}

Rows = Mapping[str, Sequence[Row]]
"""By line."""


def _run(lab: "Lab") -> Findings:
    literal = {line.key: table2.rows(lab, line) for line in LINES}
    direct = {line.key: table2.rows(lab, line, DIRECT_RECEIVER) for line in LINES}
    return Findings(
        answers=[_says(line, literal[line.key], direct[line.key]) for line in LINES],
        pictures=[
            Picture(
                "windows",
                "Both windows over the line's delay, and the second over the first, which shows "
                "where ours and the published ones part.",
                lambda: _draw(literal, direct),
            )
        ],
    )


def _window(row: Row, pair: int) -> float:
    return row.pairs[pair - 1]["window"]


def _printed(line: Line, pair: int) -> list[float]:
    return [published.number(f"mss.{line.key}.cwnd{pair}.{delay_s:g}") for delay_s in DELAYS_S]


def _ratios(rows: Sequence[Row]) -> list[float]:
    return [_window(row, 2) / _window(row, 1) for row in rows]


def _says(line: Line, literal: Sequence[Row], direct: Sequence[Row]) -> str:
    def span(values: Sequence[float]) -> str:
        ends = dict.fromkeys((f"{min(values):.3f}", f"{max(values):.3f}"))
        return " to ".join(ends)

    theirs = [b / a for a, b in zip(_printed(line, 1), _printed(line, 2), strict=True)]
    return (
        f"Over {line.name} the second window is {span(_ratios(literal))} of the first, published "
        f"{span(theirs)}; without the receiver's access link {span(_ratios(direct))}."
    )


def _draw(literal: Rows, direct: Rows) -> "Figure":
    from flowstart_papers import drawing

    delays = drawing.Axis("delay of the line (s)", "log", ticks=(0.0001, 0.001, 0.01, 0.1, 0.8))

    def panel(
        line: Line,
        y: "drawing.Axis",
        ours: Callable[[Row, int], float],
        theirs: Mapping[str, Sequence[float]],
    ) -> "drawing.Panel":
        rows = literal[line.key], literal[line.key], direct[line.key]
        curves = {
            name: (DELAYS_S, [ours(row, pair) for row in each])
            for name, each, pair in zip((FIRST, SECOND, WITHOUT), rows, (1, 2, 2), strict=True)
        }
        rings = {name: (DELAYS_S, values) for name, values in theirs.items()}
        return drawing.Panel(delays, y, curves, published=rings, title=line.name)

    def sizes(line: Line) -> "drawing.Panel":
        theirs = {
            name: [size / KB for size in _printed(line, pair)]
            for name, pair in ((FIRST, 1), (SECOND, 2))
        }
        y = drawing.Axis("window (kB)", "log", limits=SHOWN_KB[line.key])
        return panel(line, y, lambda row, pair: _window(row, pair) / KB, theirs)

    def ratios(line: Line) -> "drawing.Panel":
        theirs = [b / a for a, b in zip(_printed(line, 1), _printed(line, 2), strict=True)]
        y = drawing.Axis("window over the first", limits=(0.5, 1.25))
        return panel(
            line, y, lambda row, pair: _window(row, pair) / _window(row, 1), {SECOND: theirs}
        )

    return drawing.panels(*map(sizes, LINES), *map(ratios, LINES))


EXPERIMENTS = (
    Experiment(
        id="MSS-W",
        figure="Tables 2 and 3",
        question="How do both windows grow with the delay, and where do they part from the "
        "published ones?",
        run=_run,
        quick=True,
    ),
)
