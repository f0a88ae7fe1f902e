"""The table of a comparison."""

import dataclasses
import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from flowstart import _native, text
from flowstart.comparison.summary import Summary
from flowstart.render.grid import Column, Grid

if TYPE_CHECKING:
    from flowstart.comparison.intervals import Intervals


def comparison(
    summaries: Sequence[Summary],
    startups: Sequence[str],
    *,
    acked: bool,
    intervals: "Intervals | None" = None,
) -> Grid:
    """A group per size, a row per startup, and only the columns that say something.

    Within a group they stand in the order of `startups`. `acked` is whether the times until the
    sender knew are of interest. `intervals` add the range of each change.
    """
    rows = json.dumps([dataclasses.asdict(s) for s in summaries])
    judged = json.dumps(_judged(summaries, intervals)) if intervals else None
    table = json.loads(_native.comparison_table(rows, [*startups], acked, judged))
    return Grid(
        [Column(**column) for column in table["columns"]],
        table["rows"],
        {int(row): name for row, name in table["groups"].items()},
        {*table["marked"]},
    )


def _judged(summaries: Sequence[Summary], intervals: "Intervals") -> dict[str, Any]:
    """What repeats add to the table."""
    cells = [[_interval(intervals, s), intervals.slower_share(s)] for s in summaries]
    return {"column": intervals.column, "drawn": intervals.drawn, "cells": cells}


def _interval(intervals: "Intervals", s: Summary) -> str:
    row = intervals.row(s)
    return text.interval(row.low, row.high) if row else text.ABSENT


def arranged(summaries: Sequence[Summary], startups: Sequence[str]) -> list[Summary]:
    """Summaries in the order in which the table has them."""
    return sorted(summaries, key=lambda s: (s.group, startups.index(s.startup)))


def group_name(s: Summary) -> str:
    """What the transfers of a summary have in common."""
    mean = f", {text.size(s.size_bytes)} on average" if s.web else ""
    return s.group.name + mean


def exits_in_bdp(s: Summary, shown: Callable[[float | None], str] = text.ratio) -> str:
    """The window at the exit as a multiple of the flow's BDP, over flows and seeds."""
    return text.ends(s.min_exit_bdp, s.max_exit_bdp, shown)
