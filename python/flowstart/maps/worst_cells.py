"""Where each startup does worst, in words, with what repeats it."""

import json
import math
import os
from dataclasses import dataclass
from typing import Any

from flowstart.maps import again
from flowstart.maps.outcomes import Outcomes
from flowstart.maps.reading import scan, variants
from flowstart.maps.regret import Regrets
from flowstart.model.document import Document
from flowstart.render import text


@dataclass(frozen=True)
class WorstCell:
    """The cell of a startup's largest regret."""

    startup: str
    cell: int
    regret: float | None
    """None where the transfer was never completed."""
    best: str
    """The startup that was best there."""
    where: str
    """The cell in words."""
    compared: str
    """The two as options of `flowstart compare`."""
    command: str | None
    """What compares the two there; None where it takes the scenario's file."""
    scenario: Document
    """The cell's scenario, in which the flow under test names no startup."""


def worst_cells(
    folder: str | os.PathLike[str], outcomes: Outcomes, regrets: Regrets
) -> list[WorstCell]:
    """Those of all startups."""
    places = [int(place) for place in regrets.worst_cell]
    rows = [outcomes.cells.row(place, named=True) for place in places]
    scenarios = _scenarios(folder, {row["cell"] for row in rows})
    known = variants(folder)
    found = []
    for name, place, row, regret in zip(
        outcomes.startups, places, rows, regrets.worst, strict=True
    ):
        best = outcomes.startups[int(outcomes.times[place].argmin())]
        scenario = scenarios[row["cell"]]
        names = list(dict.fromkeys([name, best]))
        found.append(
            WorstCell(
                startup=name,
                cell=row["cell"],
                regret=float(regret) if math.isfinite(regret) else None,
                best=best,
                where=in_words(row),
                compared=again.options(names, known),
                command=None if known.keys() & names else again.command(scenario, names),
                scenario=scenario,
            )
        )
    return found


def _scenarios(folder: str | os.PathLike[str], cells: set[int]) -> dict[int, Document]:
    import polars as pl

    rows = (
        scan(folder)
        .filter(pl.col("cell").is_in(list(cells)))
        .select("cell", "scenario")
        .unique("cell", keep="any")
        .collect()
    )
    return {cell: json.loads(scenario) for cell, scenario in rows.iter_rows()}


def in_words(cell: dict[str, Any], *, brief: bool = False) -> str:
    """A cell's path, size and competing flows in words; brief for a table."""
    rate = "varying rate" if cell["rate_bps"] is None else text.rate(cell["rate_bps"])
    loss = f"loss {100 * cell['loss']:.3g} %" if cell["loss"] else ""
    competing = "" if cell["competing"] == "alone" else f"competing {cell['competing']}"
    parts = [
        cell["origin"],
        f"{rate} × {text.brief(text.seconds(cell['rtt_s']))}",
        _buffer(cell["buffer_pkts"], cell["buffer_bdp"], brief=brief),
        "" if brief and cell["queue"] == "drop-tail" else cell["queue"],
        loss,
        _reverse(cell),
        cell["impairments"],
        text.size(cell["size_bytes"]),
        competing,
    ]
    return ", ".join(filter(None, parts))


def _reverse(cell: dict[str, Any]) -> str:
    """The rate of the way back, where it is another."""
    reverse = cell["reverse_rate_bps"]
    is_other = reverse is not None and reverse != cell["rate_bps"]
    return f"back {text.rate(reverse)}" if is_other else ""


def _buffer(packets: int | None, bdp: float | None, *, brief: bool) -> str:
    if packets is None:
        return "buffer without limit"
    if brief:
        return f"{text.count(packets)} pkt"
    return f"buffer {text.count(packets)} pkt" + (f" ({text.ratio(bdp)} BDP)" if bdp else "")
