"""A map as tables, one row per kind of cells and startup, or per cell."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from flowstart.maps.dominance import Dominance
from flowstart.maps.kinds import Dimension
from flowstart.maps.outcomes import Outcomes
from flowstart.maps.pareto import Front
from flowstart.maps.regret import Regrets
from flowstart.maps.winners import Winners
from flowstart.maps.worst_cells import WorstCell
from flowstart.render import columns
from flowstart.sweeps.cell import COMPETING

if TYPE_CHECKING:
    import polars as pl

HARMED = tuple(kind for kind in COMPETING if kind != "alone")
"""Whom a startup may harm."""


def winners(
    outcomes: Outcomes, kinds: Sequence[Dimension], found: Winners, dominance: Dominance
) -> "pl.DataFrame":
    """How often every startup is the best, by kind."""
    records = []
    for dimension in kinds:
        for kind, cells in dimension:
            won, tied, lost = found.shares(cells)
            # Dominance is judged over all companies, so it is not by competing flows.
            whole = dimension.name != "competing"
            dominated = dominance.shares(cells) if whole else np.full(len(won), np.nan)
            for place, startup in enumerate(outcomes.startups):
                records.append(
                    {
                        "dimension": dimension.name,
                        "kind": kind,
                        "startup": startup,
                        "cells": int(cells.sum()),
                        "won": float(won[place]),
                        "tied": float(tied[place]),
                        "lost": float(lost[place]),
                        "dominated": _finite(dominated[place]),
                    }
                )
    return columns.frame(records, "map-winners")


def regret(
    outcomes: Outcomes, found: Sequence[tuple[Dimension, Sequence[Regrets]]]
) -> "pl.DataFrame":
    """The regrets of every startup, by kind."""
    return columns.frame(list(_regrets(outcomes, found)), "map-regret")


def _regrets(
    outcomes: Outcomes, found: Sequence[tuple[Dimension, Sequence[Regrets]]]
) -> Iterator[dict[str, Any]]:
    numbers = outcomes.cells["cell"]
    for dimension, kinds in found:
        for of_kind in kinds:
            for place, startup in enumerate(outcomes.startups):
                yield {
                    "dimension": dimension.name,
                    "kind": of_kind.kind,
                    "startup": startup,
                    "cells": of_kind.cells,
                    "lines": of_kind.lines,
                    "unfinished": float(of_kind.unfinished[place]),
                    "mean": float(of_kind.mean[place]),
                    "low": _finite(of_kind.low[place]),
                    "high": _finite(of_kind.high[place]),
                    "p50": _finite(of_kind.p50[place]),
                    "p95": _finite(of_kind.p95[place]),
                    "worst": _finite(of_kind.worst[place]),
                    "worst_cell": numbers[int(of_kind.worst_cell[place])],
                }


def worst(found: Sequence[WorstCell]) -> "pl.DataFrame":
    """Where each startup does worst."""
    names = ("startup", "cell", "regret", "best", "where", "command")
    return columns.frame([{n: getattr(one, n) for n in names} for one in found], "map-worst")


def dominance(outcomes: Outcomes, found: Dominance) -> "pl.DataFrame":
    """Who dominates whom how often, a row per pair."""
    records = [
        {"startup": one, "over": other, "share": float(found.pairs[i, j])}
        for i, one in enumerate(outcomes.startups)
        for j, other in enumerate(outcomes.startups)
        if i != j
    ]
    return columns.frame(records, "map-dominance")


def pareto(outcomes: Outcomes, found: Front) -> "pl.DataFrame":
    """What every startup costs over all cells."""
    records = [
        {
            "startup": startup,
            "regret": float(found.regret[place]),
            "retransmitted": float(found.retransmitted[place]),
            **{
                f"harm_{kind}": _finite(found.harm[kind][place]) if kind in found.harm else None
                for kind in HARMED
            },
            "on_front": bool(found.on_front[place]),
        }
        for place, startup in enumerate(outcomes.startups)
    ]
    return columns.frame(records, "map-pareto")


def cells(outcomes: Outcomes, found: Winners) -> "pl.DataFrame":
    """Every cell with its best startups."""
    import polars as pl

    names = np.array(outcomes.startups)
    best = outcomes.times.argmin(axis=1)
    last = outcomes.raw_regret.argmax(axis=1)
    at_last = outcomes.raw_regret[np.arange(len(last)), last]
    told = [c.name for c in columns.tables()["map-cells"].columns if c.name in outcomes.cells]
    return outcomes.cells.select(told).with_columns(
        pl.Series("best", names[best], dtype=pl.String),
        pl.Series("fct_s", outcomes.best),
        pl.Series("within", [" ".join(names[row]) for row in found.best], dtype=pl.String),
        pl.Series("last", names[last], dtype=pl.String),
        pl.Series("last_regret", np.where(np.isfinite(at_last), at_last, np.nan)).fill_nan(None),
    )


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
