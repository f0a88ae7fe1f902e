"""The answer of a map on one screen: the startup with the smallest regret, and at what cost."""

from typing import TYPE_CHECKING

import numpy as np

from flowstart import text
from flowstart.maps.outcomes import Floats
from flowstart.maps.reading import unfinished
from flowstart.maps.tables import NEVER
from flowstart.model import custom
from flowstart.model.catalog import needs_help
from flowstart.render.grid import Column, Grid
from flowstart.render.summary import SummaryPage

if TYPE_CHECKING:
    from flowstart.maps.result import SweepMap

COUNTED = {"size": "sizes", "queue": "queues", "competing": "kinds of competing flows"}
"""The ways in which cells differ, as the first line counts them."""


def summary(sweep_map: "SweepMap", command: str = "") -> SummaryPage:
    """What was swept, which startup is best, and how the others compare."""
    hint = "By size, queue and rate: --details. Figures and worst cells: -o DIR"
    return SummaryPage(
        _ran(sweep_map),
        _answer(sweep_map),
        _table(sweep_map),
        _notes(sweep_map),
        command,
        hint=hint,
    )


def _ran(sweep_map: "SweepMap") -> str:
    cells = len(sweep_map.outcomes.cells)
    lines = len(np.unique(sweep_map.outcomes.numbers("line")))
    kinds = [
        f"{len(dimension.kinds)} {COUNTED[dimension.name]}"
        for dimension in sweep_map.dimensions
        if dimension.name in COUNTED and len(dimension.kinds) > 1
    ]
    of = text.listed([text.counted(lines, "pair of rate and RTT", "pairs of rate and RTT"), *kinds])
    startups = text.counted(len(sweep_map.startups), "startup", "startups")
    return f"{startups} in {text.counted(cells, 'cell', 'cells')}: {of}."


def _answer(sweep_map: "SweepMap") -> list[str]:
    """The smallest mean regret, the fastest most often, and the best without help of others."""
    names, order = [custom.short(name) for name in sweep_map.startups], sweep_map.order.tolist()
    near, least = _near_best(sweep_map), order[0]
    often = least if near[least] == near.max() else int(np.argmax(near))
    within = f"fastest or within {100 * sweep_map.margin:g} % of it"
    cells = f"in {text.short_share(near[often])} of cells"
    said = f"{names[least]} has the smallest mean regret, {_mean(sweep_map, least)}"
    if often == least:
        said += f", and is {within} {cells}."
    else:
        said += f". {names[often]} is most often {within}: {cells}."
    alone = next((index for index in order if not needs_help(sweep_map.startups[index])), least)
    if alone != least:
        said += (
            f" Without router, peer or cache support: {names[alone]}, {_mean(sweep_map, alone)}."
        )
    return [said]


def _near_best(sweep_map: "SweepMap") -> Floats:
    """For each startup the share of cells in which it is the fastest, or within the margin."""
    _, _, lost = sweep_map.best.shares(np.ones(len(sweep_map.outcomes.cells), dtype=bool))
    return np.asarray(1 - lost)


def _mean(sweep_map: "SweepMap", index: int) -> str:
    ends = _ends(sweep_map, index)
    return text.excess(sweep_map.overall.mean[index]) + (f" (95 % CI {ends} %)" if ends else "")


def _ends(sweep_map: "SweepMap", index: int) -> str:
    low, high = sweep_map.overall.low[index], sweep_map.overall.high[index]
    if np.isnan(low):
        return ""
    return "–".join(text.excess(end).removesuffix(" %") for end in (low, high))


def _table(sweep_map: "SweepMap") -> Grid:
    regrets, front = sweep_map.overall, sweep_map.front
    grid = Grid([Column("startup", number=False), *map(Column, ("regret", "95 % CI, %", "p95"))])
    grid.columns += [Column("worst"), Column("fastest"), Column("retrans.")]
    grid.columns += [Column(f"harm, {kind}") for kind in front.harm]
    near = _near_best(sweep_map)
    for index in sweep_map.order.tolist():
        grid.rows.append(
            [
                custom.short(sweep_map.startups[index]),
                text.excess(regrets.mean[index]),
                _ends(sweep_map, index) or text.ABSENT,
                *(_regret(of[index]) for of in (regrets.p95, regrets.worst)),
                text.short_share(near[index]),
                text.short_share(front.retransmitted[index]),
                *(text.short_share(harm[index]) for harm in front.harm.values()),
            ]
        )
    return grid


def _regret(value: float) -> str:
    return text.excess(value) if np.isfinite(value) else NEVER


def _notes(sweep_map: "SweepMap") -> list[str]:
    """The columns, what is missing, and where the best startup is worst."""
    best = sweep_map.startups[sweep_map.order[0]]
    worst = next(worst_cell for worst_cell in sweep_map.worst_cells if worst_cell.startup == best)
    lines = [
        "regret: how much slower than the fastest of each cell, geometric mean;",
        f"fastest: share of cells in which it is at most {100 * sweep_map.margin:g} % slower.",
    ]
    if len(sweep_map.outcomes.left_out.missing) or sweep_map.outcomes.left_out.hopeless:
        lines.append("Cells without all startups are left out: --details")
    if unfinished(sweep_map.folder):
        lines.append("The sweep is not finished: run its command again to resume it.")
    slowest = NEVER if worst.regret is None else text.excess(worst.regret)
    lines += sweep_map.omissions.decisive
    lines.append(f"Slowest for {custom.short(best)}: {slowest} at {worst.where}.")
    return lines
