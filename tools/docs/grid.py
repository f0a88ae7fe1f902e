"""What the page of every startup on the community's grid is made of.

`make grid` runs the sweeps and calls this with their folders: what the page shows of them is kept
as `grid.csv` and pictures, for the sweeps take minutes. `make docs` makes the page's tables, and
the sentences in `grid_words.py`, of what is kept.
"""

import csv
import functools
import io
import pathlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.figure import Figure
from PIL import Image

import flowstart as fs
from flowstart import text
from flowstart.maps import figures, tables
from flowstart.maps.result import SweepMap
from flowstart.model.specs import ALL, UNAIDED
from flowstart.render import charts

DOCS = pathlib.Path(__file__).parents[2] / "docs"
KEPT = pathlib.Path(__file__).with_suffix(".csv")
IMAGES = DOCS / "images"
GRID, SUITE, PICTURE = SWEEPS = ("default-grid", "irtf-tcpeval", "map")
"""Of the last one only the README's picture is kept."""
DIMENSIONS = ("all", "size", "loss", "origin")
"""The kinds of cells that the page tells apart."""
COMPETING = ("long", "bbr", "web")
COLUMNS = (
    *("sweep", "among", "dimension", "kind", "startup", "cells"),
    *("mean", "p95", "worst", "unfinished", "dominated", "retransmitted"),
    *(f"harm_{kind}" for kind in COMPETING),
    "on_front",
)
"""What is kept: a row per kind of cells and startup, among all startups or the unaided."""
DIGITS = 4
SHADES = 128
"""A picture has so many colours, which makes its file half as large."""


def main(folders: Sequence[str]) -> int:
    """Keeps what the page shows of the sweeps in three folders, in the order of `SWEEPS`."""
    of = dict(zip(SWEEPS, folders, strict=True))
    rows: list[dict[str, Any]] = []
    for sweep in (GRID, SUITE):
        for among in (UNAIDED, ALL):
            found = fs.SweepResult.read(of[sweep]).map(startups=[among])
            rows += _rows(sweep, among, found)
            if among == UNAIDED:
                write(f"{sweep}-regret.png", _heatmap(found))
                about = tables.about(found.outcomes, found.dimensions)
                figure = figures.costs(found.front, found.startups, about)
                write(f"{sweep}-pareto.png", figure)
    write("map.png", _heatmap(fs.SweepResult.read(of[PICTURE]).map()))
    KEPT.write_text(_csv(rows), "utf-8")
    return 0


def _rows(sweep: str, among: str, found: SweepMap) -> Iterator[dict[str, Any]]:
    import polars as pl

    keys = ["dimension", "kind", "startup"]
    costs = found.pareto.drop("regret").with_columns(dimension=pl.lit("all"), kind=pl.lit("all"))
    dominated = found.winners.select(*keys, "dominated")
    table = found.regret.join(dominated, on=keys).join(costs, on=keys, how="left")
    told = table.filter(pl.col("dimension").is_in(DIMENSIONS if among == UNAIDED else ["all"]))
    for row in told.sort(pl.col("dimension") != "all", maintain_order=True).iter_rows(named=True):
        own = {"sweep": sweep, "among": among} | row
        yield {name: own.get(name) for name in COLUMNS}


def _csv(rows: Sequence[dict[str, Any]]) -> str:
    file = io.StringIO()
    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _short(value) for name, value in row.items()})
    return file.getvalue()


def _short(value: object) -> object:
    return f"{value:.{DIGITS}g}" if isinstance(value, float) else value


def _heatmap(found: SweepMap) -> Figure:
    about = tables.about(found.outcomes, found.dimensions)
    return figures.heatmap(found.outcomes, found.order, about)


def write(name: str, figure: Figure) -> None:
    """Writes a picture in few colours."""
    with Image.open(io.BytesIO(charts.png(figure))) as image:
        few = image.convert("RGB").quantize(SHADES, dither=Image.Dither.NONE)
        few.save(IMAGES / name, optimize=True)


# What is kept, as tables.


@dataclass(frozen=True)
class Row:
    """A startup in one kind of cells; None where a number does not exist."""

    startup: str
    kind: str
    told: dict[str, str]

    def __getitem__(self, name: str) -> float | None:
        """A number of it."""
        return float(self.told[name]) if self.told[name] else None

    @property
    def on_front(self) -> bool:
        """Whether no other is as good in everything and better in something."""
        return self.told["on_front"] == "True"

    @property
    def mean(self) -> float:
        """Its mean regret."""
        return float(self.told["mean"])


@functools.cache
def kept() -> tuple[dict[str, str], ...]:
    """Everything that is kept."""
    with KEPT.open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


def rows(sweep: str, dimension: str = "all", among: str = UNAIDED) -> list[Row]:
    """Those of a sweep in one dimension, the least regret first."""
    found = [
        Row(row["startup"], row["kind"], row)
        for row in kept()
        if (row["sweep"], row["among"], row["dimension"]) == (sweep, among, dimension)
    ]
    return sorted(found, key=lambda row: row.mean)


def overall(sweep: str, among: str = UNAIDED) -> str:
    """A row per startup, the least regret first."""
    found = rows(sweep, among=among)
    competing = [
        kind for kind in COMPETING if any(row[f"harm_{kind}"] is not None for row in found)
    ]
    titles = ["mean", "p95", "worst", "not done", "dominated", "retransmitted"]
    titles += [f"harm, {kind}" for kind in competing]
    lines = [
        f"| startup | {' | '.join(titles)} | front |",
        f"| --- |{' ---: |' * len(titles)} --- |",
    ]
    for row in found:
        regrets = [row.mean, row["p95"], row["worst"]]
        shares = [row[name] for name in ("unfinished", "dominated", "retransmitted")]
        shares += [row[f"harm_{kind}"] for kind in competing]
        cells = [f"`{row.startup}`", *map(_regret, regrets), *map(tables.share, shares)]
        lines.append(f"| {' | '.join(cells)} | {'◀' if row.on_front else ''} |")
    return "\n".join(lines)


def by(sweep: str, dimension: str) -> str:
    """The mean regret of each startup in each kind of cells; the least of a kind is bold."""
    found = rows(sweep, dimension)
    means = {(row.startup, row.kind): row.mean for row in found}
    own = [row["kind"] for row in kept() if (row["sweep"], row["dimension"]) == (sweep, dimension)]
    kinds = list(dict.fromkeys(own))
    least = {kind: min(mean for (_, of), mean in means.items() if of == kind) for kind in kinds}
    lines = [f"| startup | {' | '.join(kinds)} |", f"| --- |{' ---: |' * len(kinds)}"]
    for startup in (row.startup for row in rows(sweep)):
        cells = [_bold(means[startup, kind], least[kind]) for kind in kinds]
        lines.append(f"| `{startup}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def helped(sweep: str) -> str:
    """Startups that need help, among all, beside the best of those that need none."""
    found = rows(sweep, among=ALL)
    unaided = [row.startup for row in rows(sweep)]
    shown = [row for row in found if row.startup not in unaided]
    best = next(row for row in found if row.startup in unaided)
    usual = next(row for row in found if row.startup == "slow-start")
    lines = [
        "| startup | needs | mean | p95 | retransmitted |",
        "| --- | --- | ---: | ---: | ---: |",
    ]
    for row in sorted([*shown, best, usual], key=lambda row: row.mean):
        needs = fs.get_algorithm(row.startup, "startup").needs_in_words if row in shown else "–"
        numbers = [_regret(row.mean), _regret(row["p95"]), tables.share(row["retransmitted"])]
        lines.append(f"| `{row.startup}` | {needs} | {' | '.join(numbers)} |")
    return "\n".join(lines)


def _bold(mean: float, least: float) -> str:
    return f"**{text.ratio(mean)}**" if mean == least else text.ratio(mean)


def _regret(value: float | None) -> str:
    return tables.NEVER if value is None else text.ratio(value)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
