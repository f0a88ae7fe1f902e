"""A map: regret, harm, dominance and the fastest startups of a sweep."""

import functools
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from flowstart import _native, extras
from flowstart.maps import outcomes, report, tables
from flowstart.maps.measures import Cases, Dominance, Front, Regrets, Winners, regrets
from flowstart.maps.outcomes import Dimension, Numbers, Outcomes
from flowstart.maps.plane import Plane
from flowstart.maps.reading import unfinished
from flowstart.maps.summary import summary
from flowstart.maps.worst_cells import WorstCell, worst_cells
from flowstart.model import stack
from flowstart.render import columns, figure_files
from flowstart.render.grid import Grid
from flowstart.render.result import Result
from flowstart.render.summary import SummaryPage
from flowstart.sweeps.cell import COMPETING

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


HARMED = tuple(kind for kind in COMPETING if kind != "alone")
"""Whom a startup may harm."""


def winners(
    outcomes: Outcomes, kinds: Sequence[Dimension], winners: Winners, dominance: Dominance
) -> "pl.DataFrame":
    """How often every startup is the best, by kind."""
    records = []
    for dimension in kinds:
        for kind, cells in dimension:
            won, tied, lost = winners.shares(cells)
            # Dominance is judged over all companies, so it is not by competing flows.
            whole = dimension.name != "competing"
            dominated = dominance.shares(cells) if whole else np.full(len(won), np.nan)
            for index, startup in enumerate(outcomes.startups):
                records.append(
                    {
                        "dimension": dimension.name,
                        "kind": kind,
                        "startup": startup,
                        "cells": int(cells.sum()),
                        "won": float(won[index]),
                        "tied": float(tied[index]),
                        "lost": float(lost[index]),
                        "dominated": _finite(dominated[index]),
                    }
                )
    return columns.frame(records, "map-winners")


def regret(
    outcomes: Outcomes, regrets: Sequence[tuple[Dimension, Sequence[Regrets]]]
) -> "pl.DataFrame":
    """The regrets of every startup, by kind."""
    return columns.frame(list(_regrets(outcomes, regrets)), "map-regret")


def _regrets(
    outcomes: Outcomes, regrets: Sequence[tuple[Dimension, Sequence[Regrets]]]
) -> Iterator[dict[str, Any]]:
    numbers = outcomes.cells["cell"]
    for dimension, kinds in regrets:
        for of_kind in kinds:
            for index, startup in enumerate(outcomes.startups):
                yield {
                    "dimension": dimension.name,
                    "kind": of_kind.kind,
                    "startup": startup,
                    "cells": of_kind.cells,
                    "lines": of_kind.lines,
                    "unfinished": float(of_kind.unfinished[index]),
                    "mean": float(of_kind.mean[index]),
                    "low": _finite(of_kind.low[index]),
                    "high": _finite(of_kind.high[index]),
                    "p50": _finite(of_kind.p50[index]),
                    "p95": _finite(of_kind.p95[index]),
                    "worst": _finite(of_kind.worst[index]),
                    "worst_cell": numbers[int(of_kind.worst_cell[index])],
                }


def worst(cells: Sequence[WorstCell]) -> "pl.DataFrame":
    """Where each startup does worst."""
    names = ("startup", "cell", "regret", "best", "where", "command")
    return columns.frame([{n: getattr(cell, n) for n in names} for cell in cells], "map-worst")


def dominance(outcomes: Outcomes, dominance: Dominance) -> "pl.DataFrame":
    """Who dominates whom how often, a row per pair."""
    records = [
        {"startup": startup, "over": other, "share": float(dominance.pairs[i, j])}
        for i, startup in enumerate(outcomes.startups)
        for j, other in enumerate(outcomes.startups)
        if i != j
    ]
    return columns.frame(records, "map-dominance")


def pareto(outcomes: Outcomes, front: Front) -> "pl.DataFrame":
    """What every startup costs over all cells."""
    records = [
        {
            "startup": startup,
            "regret": float(front.regret[index]),
            "retransmitted": float(front.retransmitted[index]),
            **{
                f"harm_{kind}": _finite(front.harm[kind][index]) if kind in front.harm else None
                for kind in HARMED
            },
            "on_front": bool(front.on_front[index]),
        }
        for index, startup in enumerate(outcomes.startups)
    ]
    return columns.frame(records, "map-pareto")


def cells(outcomes: Outcomes, winners: Winners) -> "pl.DataFrame":
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
        pl.Series("within", [" ".join(names[row]) for row in winners.best], dtype=pl.String),
        pl.Series("last", names[last], dtype=pl.String),
        pl.Series("last_regret", np.where(np.isfinite(at_last), at_last, np.nan)).fill_nan(None),
    )


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


@dataclass(frozen=True, repr=False, eq=False)
class SweepMap(Result):
    """Regret, harm and the fastest startups of a sweep; `docs/guides/maps.md` defines every number.

    Attributes:
        folder: Folder of the sweep.
        margin: Share of the best time within which startups tie, where 0.05 is 5 %.

    Example:
        >>> import flowstart as fs, tempfile
        >>> names = ["slow-start", "hystart"]
        >>> question = {"path": {"rate": "5Mbps", "rtt": "50ms"}, "startups": names}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     found = fs.sweep(question | {"flow": {"size": "20kB"}}, folder, workers=1).map()
        >>> found.startups
        ('slow-start', 'hystart')
    """

    folder: str | os.PathLike[str]
    outcomes: Outcomes
    plane: Plane
    """What the picture of winners has on its axes, and in its panels."""
    margin: float

    more = "`.table`, or `.regret` by kind of cells"
    caption = "Regret"

    @property
    def startups(self) -> tuple[str, ...]:
        """The startups, in the sweep's order."""
        return self.outcomes.startups

    @functools.cached_property
    def dimensions(self) -> list[Dimension]:
        """The ways in which the cells differ; the first has them all."""
        return outcomes.dimensions(self.outcomes.cells)

    @functools.cached_property
    def best(self) -> Winners:
        """The best startups of each cell."""
        return Winners.of(self.outcomes, self.margin)

    @functools.cached_property
    def regrets(self) -> list[tuple[Dimension, list[Regrets]]]:
        """The regrets of all startups, by dimension and kind."""
        return [(dimension, regrets(self.outcomes, dimension)) for dimension in self.dimensions]

    @property
    def overall(self) -> Regrets:
        """The regrets over all cells."""
        return self.regrets[0][1][0]

    @functools.cached_property
    def order(self) -> Numbers:
        """The startups by their mean regret, the least first."""
        return self.overall.order

    @functools.cached_property
    def dominated(self) -> Dominance:
        """Who dominates whom."""
        return Dominance.of(Cases.of(self.outcomes))

    @functools.cached_property
    def front(self) -> Front:
        """What each startup costs, and who is on the Pareto front."""
        return Front.of(self.outcomes)

    @functools.cached_property
    def worst_cells(self) -> list[WorstCell]:
        """Where each startup does worst."""
        return worst_cells(self.folder, self.outcomes, self.overall)

    @functools.cached_property
    def winners(self) -> "pl.DataFrame":
        """How often each startup is the best, by kind."""
        return winners(self.outcomes, self.dimensions, self.best, self.dominated)

    @functools.cached_property
    def regret(self) -> "pl.DataFrame":
        """What it costs to choose one startup everywhere, by kind."""
        return regret(self.outcomes, self.regrets)

    @functools.cached_property
    def worst(self) -> "pl.DataFrame":
        """Where each startup does worst."""
        return worst(self.worst_cells)

    @functools.cached_property
    def dominance(self) -> "pl.DataFrame":
        """Who dominates whom how often."""
        return dominance(self.outcomes, self.dominated)

    @functools.cached_property
    def pareto(self) -> "pl.DataFrame":
        """What each startup costs over all cells, and who is on the front."""
        return pareto(self.outcomes, self.front)

    @functools.cached_property
    def frame(self) -> "pl.DataFrame":
        """One row per cell, with the fastest startup algorithm."""
        return cells(self.outcomes, self.best)

    @property
    def headline(self) -> str:
        """One line on what the map is of."""
        return f"{self.folder}: {tables.about(self.outcomes, self.dimensions)}"

    @functools.cached_property
    def table(self) -> Grid:
        """A row per startup, the least regret first."""
        return tables.overall(self.overall, self.winners, self.front, self.startups)

    @functools.cached_property
    def kinds_table(self) -> Grid:
        """A row per kind of cells: the best choice for all of them."""
        return tables.kinds(self.regrets, self.startups, self.margin)

    @property
    def notes(self) -> list[str]:
        """What a reader of the tables has to know."""
        notes = tables.notes(self.outcomes, self.margin)
        if unfinished(self.folder):
            notes.append("The sweep is not finished; its command resumes it.")
        return notes

    @functools.cached_property
    def omissions(self) -> stack.Omissions:
        """What the presets of the cells leave out."""
        import polars as pl

        startups = pl.LazyFrame({"startup": self.startups})
        cells = self.outcomes.cells.lazy().select("stack", "cc", "size_bytes")
        return stack.omissions_of_rows(cells.join(startups, how="cross"))

    def to_dict(self) -> dict[str, Any]:
        """Everything but the single cells as one JSON document."""
        missing = self.outcomes.left_out.missing
        return {
            "flowstart": _native.version(),
            "sweep": str(self.folder),
            "startups": list(self.startups),
            "margin": self.margin,
            "penalty": self.outcomes.penalty,
            "cells": len(self.outcomes.cells),
            "lines": len(np.unique(self.outcomes.numbers("line"))),
            "cases": len(self.dominated.first),
            "missing": missing.to_dicts(),
            "hopeless": self.outcomes.left_out.hopeless,
            "notes": self.notes,
            "warnings": [*self.omissions.all],
            "winners": self.winners.to_dicts(),
            "regret": self.regret.to_dicts(),
            "worst": [
                row | {"scenario": cell.scenario}
                for row, cell in zip(self.worst.to_dicts(), self.worst_cells, strict=True)
            ],
            "dominance": [[round(float(x), 6) for x in row] for row in self.dominated.pairs],
            "pareto": self.pareto.to_dicts(),
            "plane": self.plane.document(self.outcomes, self.margin),
        }

    @extras.needing("plot", "a figure")
    def plot(self, ax: "Axes | None" = None, panel: str | None = None) -> "Figure":
        """Mean regret of each startup by rate and RTT, with a panel for each queue discipline.

        Args:
            ax: The axes to draw one panel into, in the place of a new figure.
            panel: The queue discipline of that panel; the first of the sweep unless given.

        Returns:
            The figure.

        Raises:
            RequestError: The sweep has no such queue discipline, or there is no `ax`.

        Example:
            >>> import flowstart as fs
            >>> from matplotlib import pyplot as plt  # doctest: +SKIP
            >>> figure, (left, right) = plt.subplots(1, 2)  # doctest: +SKIP
            >>> found = fs.SweepResult.read("out").map()  # doctest: +SKIP
            >>> found.plot(left, panel="drop-tail")  # doctest: +SKIP
            >>> found.plot(right, panel="red")  # doctest: +SKIP
        """
        from flowstart.maps.figures import draw_queue, heatmap
        from flowstart.render.charts import figure_of, refuse_without_axes

        if ax is not None:
            draw_queue(ax, self.outcomes, self.order, panel)
            return figure_of(ax)
        refuse_without_axes(panel)
        return heatmap(self.outcomes, self.order, tables.about(self.outcomes, self.dimensions))

    def summary(self, command: str = "") -> SummaryPage:
        """The startup with the smallest regret and how the others compare, on one screen."""
        return summary(self, command)

    def files(self, progress: figure_files.Progress | None = None) -> Iterator[Mapping[str, bytes]]:
        """Tables and scenarios, then figures and the page."""
        yield report.files(self)
        yield report.pictures(self, progress)

    def __repr__(self) -> str:
        return f"<SweepMap of {len(self.startups)} startups: {len(self.outcomes.cells)} cells>"
