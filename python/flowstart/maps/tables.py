"""A map as tables of text."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from flowstart import text
from flowstart.maps.measures import Front, Regrets
from flowstart.maps.outcomes import OVERALL, Dimension, Outcomes
from flowstart.maps.worst_cells import WorstCell
from flowstart.model import custom
from flowstart.render.grid import Column, Grid

if TYPE_CHECKING:
    import polars as pl

NEVER = "never"
"""Stands for the regret of a transfer that was never completed."""
NAMING = ("size", "queue", "competing")
"""The kinds of cells that are named where a map says what it is of."""
NAMED = 3
"""So many cells without all startups are named."""

MEAN = "weighted geometric mean of regret"
WEIGHED = "weighted share of the cells"
HARM = "weighted mean of harm"


def about(outcomes: Outcomes, dimensions: Sequence[Dimension]) -> str:
    """One line on what a map is of."""
    lines = len(np.unique(outcomes.numbers("line")))
    told = [
        f"{dimension.name} {', '.join(dimension.kinds)}"
        for dimension in dimensions
        if dimension.name in NAMING
    ]
    cells = _counted(len(outcomes.cells), "cell")
    places = f"{_counted(lines, 'combination')} of rate and round trip"
    startups = _counted(len(outcomes.startups), "startup")
    return "; ".join([f"{startups} in {cells} on {places}", *told])


def _counted(count: int, what: str) -> str:
    return f"{text.count(count)} {what}{'' if count == 1 else 's'}"


def overall(
    regrets: Regrets, winners: "pl.DataFrame", front: Front, startups: Sequence[str]
) -> Grid:
    """A row per startup, the least regret first; those on the Pareto front are marked."""
    import polars as pl

    own = winners.filter(pl.col("dimension") == OVERALL)
    grid = Grid(
        [
            Column("startup", number=False),
            Column("regret", of=MEAN),
            Column("95 %", spare=2, of=f"interval of the {MEAN}"),
            Column("p50", of="weighted median of regret"),
            Column("p95", of="weighted 95th percentile of regret"),
            Column("worst", of="greatest regret"),
            *([Column("not done", of=WEIGHED)] if regrets.unfinished.any() else []),
            Column("won", of=WEIGHED),
            Column("tied", of=WEIGHED),
            Column("dominated"),
            Column("retrans.", spare=1, of="weighted mean of retransmitted_share"),
            *(
                Column(f"harm {kind}", spare=1, of=HARM, where={"competing": kind})
                for kind in front.harm
            ),
        ]
    )
    for rank, index in enumerate(regrets.order.tolist()):
        row = own.row(index, named=True)
        grid.rows.append(
            [
                custom.short(startups[index]),
                text.ratio(float(regrets.mean[index])),
                _interval(regrets.low[index], regrets.high[index]),
                regret(regrets.p50[index]),
                regret(regrets.p95[index]),
                regret(regrets.worst[index]),
                *([share(regrets.unfinished[index])] if regrets.unfinished.any() else []),
                share(row["won"]),
                share(row["tied"]),
                share(row["dominated"]),
                share(front.retransmitted[index]),
                *(share(harm[index]) for harm in front.harm.values()),
            ]
        )
        if front.on_front[index]:
            grid.marked.add(rank)
    return grid


def kinds(
    regrets: Sequence[tuple[Dimension, Sequence[Regrets]]], startups: Sequence[str], margin: float
) -> Grid:
    """A row per kind of cells: the best choice for all of them, and what is about as good."""
    grid = Grid(
        [
            Column("cells", number=False),
            Column("count", of="cells of the kind"),
            Column("best choice", number=False, of=f"least {MEAN}"),
            Column("regret", of=MEAN),
            Column("95 %", of=f"interval of the {MEAN}"),
            Column("p95", of="weighted 95th percentile of regret"),
            Column("as good within the margin", number=False, spare=1),
        ]
    )
    for dimension, of_kinds in regrets:
        if dimension.name != OVERALL:
            grid.groups[len(grid.rows)] = dimension.name
            grid.rows += [_kind(of_kind, startups, margin) for of_kind in of_kinds]
    return grid


def _kind(regrets: Regrets, startups: Sequence[str], margin: float) -> list[str]:
    best, *others = regrets.order.tolist()
    near = [index for index in others if regrets.mean[index] <= (1 + margin) * regrets.mean[best]]
    return [
        regrets.kind,
        text.count(regrets.cells),
        custom.short(startups[best]),
        text.ratio(float(regrets.mean[best])),
        _interval(regrets.low[best], regrets.high[best]),
        regret(regrets.p95[best]),
        ", ".join(custom.short(startups[index]) for index in near) or text.ABSENT,
    ]


def worst(cells: Sequence[WorstCell]) -> Grid:
    """Where each startup does worst, the least bad first."""
    grid = Grid(
        [
            Column("startup", number=False),
            Column("worst", of="greatest regret"),
            Column("cell", of="where regret is greatest"),
            Column("where", number=False),
            Column("best there", number=False),
        ]
    )
    for cell in sorted(cells, key=badness):
        grid.rows.append(
            [
                custom.short(cell.startup),
                NEVER if cell.regret is None else text.ratio(cell.regret),
                str(cell.cell),
                cell.where,
                custom.short(cell.best),
            ]
        )
    return grid


def badness(cell: WorstCell) -> float:
    """What the table of worst cells is ordered by."""
    return cell.regret or math.inf


def notes(outcomes: Outcomes, margin: float) -> list[str]:
    """What a reader of the tables has to know."""
    legend = (
        "regret: completion time over the minimum of the cell, geometric mean, with "
        f"simultaneous 95 % confidence intervals; won: alone within {100 * margin:g} % of the "
        "minimum, tied: with others; dominated: share of cases in which another is more than 5 % "
        "faster with no more retransmissions or harm; marked: on the Pareto front."
    )
    notes = [legend]
    if np.isinf(outcomes.times).any():
        notes.append(
            f"A transfer that was never completed counts {text.ratio(outcomes.penalty)} in means."
        )
    left = outcomes.left_out
    if missing := len(left.missing):
        rows = left.missing.head(NAMED).iter_rows(named=True)
        named = "; ".join(f"{row['cell']} ({row['startups']})" for row in rows)
        more = f" and {missing - NAMED} more" if missing > NAMED else ""
        notes.append(f"{missing} cells are left out since startups failed there: {named}{more}.")
    if left.hopeless:
        notes.append(f"{left.hopeless} cells are left out since no startup completed there.")
    return notes


def regret(value: float) -> str:
    """A regret; `never` where a transfer was never completed."""
    return text.ratio(float(value)) if math.isfinite(value) else NEVER


def share(value: float | None) -> str:
    """A share of a whole: `12.3 %`."""
    if value is None or math.isnan(value):
        return text.ABSENT
    return f"{100 * value:.1f} %"


def _interval(low: float, high: float) -> str:
    if math.isnan(low):
        return text.ABSENT
    return f"{text.ratio(float(low))}–{text.ratio(float(high))}"
