"""The map of a sweep's folder: its tiles, the cells of a tile, and what opens a cell."""

import functools
import json
import math
import pathlib
import shlex
from collections.abc import Sequence
from typing import Any

from flowstart import _native
from flowstart.errors import RequestError
from flowstart.maps import worst_cells
from flowstart.maps.plane import AXES
from flowstart.maps.reading import scan, variants
from flowstart.maps.result import SweepMap
from flowstart.maps.sweep_result import read_map
from flowstart.maps.worst_cells import in_words
from flowstart.model import specs

MOST_CELLS = 200
"""Of a tile's cells at most so many are listed."""
MOST_MAPS = 8
"""So many are kept; the one that was longest not asked for is forgotten."""


def summary(sweep_map: SweepMap) -> dict[str, Any]:
    """The map as JSON: tables in words, and the plane with its panels and tiles.

    A tile's `means` are the geometric mean regrets of `startups`, in their order.
    """
    plane = sweep_map.plane
    names = list(sweep_map.startups)
    panels = [
        {
            "column": column,
            "row": row,
            "title": _title(sweep_map, column, row),
            "tiles": [
                {
                    "x": tile.x,
                    "y": tile.y,
                    "cells": tile.cells,
                    "winner": tile.winner,
                    "within": list(tile.within),
                    "means": [round(mean, 4) for mean in tile.means],
                }
                for tile in plane.tiles(sweep_map.outcomes, sweep_map.margin, column, row)
            ],
        }
        for column, row in plane.panels()
    ]
    return {
        "headline": sweep_map.headline,
        "startups": names,
        "baseline": _native.baseline(None, names),
        "margin": sweep_map.margin,
        "axes": list(AXES),
        **{
            side: {
                "name": axis.name,
                "title": axis.title,
                "count": axis.count,
                "ticks": [{"at": at, "label": label} for at, label in axis.ticks],
            }
            for side, axis in (("x", plane.x), ("y", plane.y))
        },
        "panels": panels,
        "table": sweep_map.table.document(),
        "notes": sweep_map.notes,
    }


def _title(sweep_map: SweepMap, column: int, row: int) -> str:
    """What the cells of a panel have in common; nothing where there is one panel."""
    positions = ((sweep_map.plane.across, column), (sweep_map.plane.down, row))
    return ", ".join(d.kinds[index] for d, index in positions if len(d.kinds) > 1)


def tile(sweep_map: SweepMap, column: int, row: int, x: int, y: int) -> dict[str, Any]:
    """The cells of a tile: each in words, with the completion times and regrets of all startups.

    Raises RequestError where there is no such tile.
    """
    plane, outcomes = sweep_map.plane, sweep_map.outcomes
    own = (plane.across.places == column) & (plane.down.places == row)
    indices = (own & (plane.x.places == x) & (plane.y.places == y)).nonzero()[0].tolist()
    if not indices:
        raise RequestError(f"tile: {x}, {y} of panel {column}, {row} has no cells; name another")
    rows = [outcomes.cells.row(index, named=True) for index in indices[:MOST_CELLS]]
    return {
        "startups": list(sweep_map.startups),
        "total": len(indices),
        "cells": [
            {
                "cell": row["cell"],
                "words": in_words(row),
                "fct_s": _finite(outcomes.times[index].tolist()),
                "regret": _finite(outcomes.raw_regret[index].tolist()),
                "winner": int(outcomes.times[index].argmin()),
            }
            for index, row in zip(indices, rows, strict=False)
        ],
    }


def _finite(values: Sequence[float]) -> list[float | None]:
    return [value if math.isfinite(value) else None for value in values]


def cell(sweep_map: SweepMap, number: int) -> dict[str, Any]:
    """What opens a cell: the options of `flowstart compare` that have exactly its values.

    Where no options can say it, as with competing flows, `given` is null and `why` says so; the
    scenario, in which the flow under test names no startup, is there in any case. Raises
    RequestError where the sweep has no such cell.
    """
    import polars as pl

    rows = scan(sweep_map.folder).filter(pl.col("cell") == number)
    told = rows.select("scenario", "competing").head(1).collect()
    if told.is_empty():
        raise RequestError(f"cell: {sweep_map.folder} has no cell {number}")
    text, competing = told.row(0)
    scenario = json.loads(text)
    combined = variants(sweep_map.folder)
    names = [name for name in sweep_map.startups if name not in combined]
    command = worst_cells.command(scenario, names) if names else None
    return {
        "cell": number,
        "given": options(command) if command else None,
        "command": command,
        "why": None if command else _why(competing, names),
        "scenario": worst_cells.shortened(scenario),
    }


def _why(competing: str | None, names: Sequence[str]) -> str:
    if not names:
        return "the sweep compares combinations that are more than startups"
    if competing not in (None, "alone"):
        return f"other flows are on the path with the flow under test ({competing})"
    return "its scenario has settings without an option of flowstart compare"


def options(command: str) -> dict[str, str | list[str]]:
    """The options of a `flowstart compare` command by name, as the page keeps them."""
    words = shlex.split(command)[2:]
    options: dict[str, str | list[str]] = {}
    for at, word in enumerate(words):
        if not word.startswith("--"):
            continue
        has_value = at + 1 < len(words) and not words[at + 1].startswith("--")
        options[word.removeprefix("--")] = words[at + 1] if has_value else "true"
    if "startup" in options:
        options["startup"] = list(specs.listed("startup", str(options["startup"]), ()))
    return options


class Folders:
    """The folders of sweeps that were named on the command line, with their last maps."""

    def __init__(self, folders: Sequence[str]) -> None:
        self._places = [pathlib.Path(folder) for folder in folders]
        self._read = functools.lru_cache(MOST_MAPS)(read_map)

    @property
    def names(self) -> list[str]:
        """The folders as they were named."""
        return [str(folder) for folder in self._places]

    def map(self, number: int, by: Sequence[str]) -> SweepMap:
        """The map of a folder; `by` are its axes.

        Raises RequestError where there is no such folder, or it holds no sweep.
        """
        if not 0 <= number < len(self._places):
            raise RequestError(f"map: there is no folder {number}; {len(self._places)} are named")
        if len(by) != 2:
            raise RequestError(f"by: `{','.join(by)}`: two axes are needed, such as rate,rtt")
        x, y = by
        return self._read(self._places[number], x=x, y=y)
