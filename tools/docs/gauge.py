"""What the page of gauge is made of.

`make gauge` judges it and calls this with the folder: what the page shows of it is kept as
`gauge.csv` and pictures, for the judging takes long. `make docs` makes the page's tables of what is
kept. The tables themselves are those that the judge prints (`examples/gauge/shown.py`).
"""

import csv
import dataclasses
import functools
import pathlib
import sys
from collections.abc import Iterator, Sequence

import numpy as np
from matplotlib.figure import Figure

import gauge_figure
import grid
import judge
import parts
import results
import shown
from asking import GAUGE, HYSTART, QUICLY
from constants import FRONTIER
from flowstart.maps import figures
from measures import CORE
from results import Row

DOCS = pathlib.Path(__file__).parents[2] / "docs"
KEPT = pathlib.Path(__file__).with_suffix(".csv")
MAPPED = (GAUGE, HYSTART, "search", "bbr-startup", parts.CAREFUL, QUICLY)
"""The startups of the map of regret."""
PICTURES = ("gauge-regret.png", "gauge-frontier.png")
DIGITS = 4
NOTHING = "Not measured yet: `make gauge`."
IMAGES = {
    "map": (PICTURES[0], "Mean regret by queue, rate and round trip"),
    "trades": (PICTURES[1], "What each constant trades for what"),
}
"""Pictures by the name of their place in the page, with what they show."""
NAMES = (*shown.TABLES, *IMAGES)
"""What the page may show."""
NO_MEMORY = "quicly, no memory"
"""What the picture calls quicly's jumpstart without a memory."""


def main(arguments: Sequence[str]) -> None:
    """Keeps what the page shows of the judging in a folder."""
    (folder,) = map(pathlib.Path, arguments)
    rows = [row for row in judge.read(folder) if is_shown(row)]
    with KEPT.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(results.COLUMNS)
        writer.writerows(map(_short, rows))
    for name, figure in zip(PICTURES, (regret(folder), frontier(rows)), strict=True):
        grid.write(name, figure)


def is_shown(row: Row) -> bool:
    """Whether the page shows a row, or may."""
    if row.part in ("ablations", "constants", "frontier"):
        return row.against == GAUGE
    if row.part in ("baseline", "stacks") and row.measure != "dominates":
        return row.startup == GAUGE or (row.part == "baseline" and not row.against)
    return True


def _short(row: Row) -> Iterator[object]:
    """A row's values; numbers have four digits."""
    for value in dataclasses.astuple(row):
        yield f"{value:.{DIGITS}g}" if isinstance(value, float) else value


def regret(folder: pathlib.Path) -> Figure:
    """Regret by queue, rate and round trip, of gauge and those that it is set beside."""
    judged = parts.of_baseline(folder / "baseline", also=[parts.CAREFUL])
    known = judged.kept(judged.beside(CORE))
    order = np.array([known.startups.index(name) for name in MAPPED])
    names = tuple(NO_MEMORY if name == QUICLY else name for name in known.startups)
    reference = tuple(NO_MEMORY if name == QUICLY else name for name in known.reference)
    known = dataclasses.replace(known, startups=names, reference=reference)
    count = len(np.unique(known.numbers("line")))
    about = (
        f"{len(known.cells)} questions on {count} held-out paths: alone, beside a long flow, and "
        "beside a short one. Regret is over the fastest of the reference set, of which neither "
        f"{GAUGE} nor {parts.CAREFUL} is"
    )
    return figures.heatmap(known, order, about)


def frontier(rows: Sequence[Row]) -> Figure:
    """What each constant of the frontier trades for what."""
    own = [row for row in rows if row.part == "frontier"]
    return gauge_figure.frontier(own, FRONTIER)


@functools.cache
def kept() -> tuple[Row, ...]:
    """Everything that is kept."""
    return tuple(results.read(KEPT))


def table(name: str) -> str:
    """A table or a picture of the page, or that nothing of it was measured."""
    if name in IMAGES:
        file, words = IMAGES[name]
        return f"![{words}](../images/{file})" if (grid.IMAGES / file).exists() else NOTHING
    found = shown.TABLES[name](kept())
    return found.markdown() if kept() and found.lines else NOTHING


if __name__ == "__main__":
    sys.exit(judge.guarded(main, sys.argv[1:]))
