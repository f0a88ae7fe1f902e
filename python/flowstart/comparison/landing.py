"""Measures of what follows the end of startup, for flows with an available rate."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from flowstart import _native, text
from flowstart.render.grid import Column, Grid

MEASURES = tuple(_native.LANDING_MEASURES)
"""Columns of the simulator's table `startups`, in the order of the table."""
LEGEND = (
    "exit drops: until one round trip after the end of startup; recoveries: until the first round "
    "trip without one; to 90 %: of the available rate, from the end of startup; mean acked: mean "
    "time until a byte was acknowledged."
)


def table(records: Sequence[Mapping[str, Any]], startups: Sequence[str]) -> Grid | None:
    """A group per size and a row per startup, with means over flows and seeds."""
    tested = [row for row in records if row["tested"] and MEASURES[0] in row]
    if not tested:
        return None
    number = ("exit drops", "later drops", "recoveries", "to 90 %", "exit queue", "mean acked")
    columns = [
        Column(title, of=f"mean of {name}") for title, name in zip(number, MEASURES, strict=True)
    ]
    grid = Grid([Column("startup", number=False), *columns])
    for size in dict.fromkeys(row["size_bytes"] for row in tested):
        grid.groups[len(grid.rows)] = text.size(size)
        for startup in startups:
            rows = [r for r in tested if (r["size_bytes"], r["variant"]) == (size, startup)]
            if rows:
                grid.rows.append([startup, *(_mean(rows, name) for name in MEASURES)])
    return grid


def _mean(rows: Sequence[Mapping[str, Any]], name: str) -> str:
    """The mean over the rows with a value."""
    values = [row[name] for row in rows if row[name] is not None]
    if not values:
        return text.ABSENT
    return text.seconds(fmean(values)) if name.endswith("_s") else text.count(fmean(values))
