"""A sweep with its map, and `sweep`, which runs one."""

import dataclasses
import json
import os
import pathlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from flowstart.errors import RequestError
from flowstart.maps.measures import MARGIN
from flowstart.maps.outcomes import DIMENSIONS, Dimension, Flags, Outcomes
from flowstart.maps.plane import plane
from flowstart.maps.reading import read_outcomes, scan
from flowstart.maps.result import SweepMap
from flowstart.model.specs import texts
from flowstart.model.variants import Variant
from flowstart.questions.option import asking
from flowstart.questions.sweep import SweepQuestion
from flowstart.render import figure_files
from flowstart.render.grid import Grid
from flowstart.render.result import Result
from flowstart.render.summary import SummaryPage
from flowstart.simulation import bounds
from flowstart.simulation.run import Run
from flowstart.simulation.run import run as run_scenario
from flowstart.sweeps import report
from flowstart.sweeps.execution.execute import Approve as Approve  # a type of the question
from flowstart.sweeps.execution.execute import Way, is_modest, run
from flowstart.sweeps.execution.store import Store, Swept
from flowstart.sweeps.language.sweep import SweepLike as SweepLike  # likewise
from flowstart.sweeps.language.sweep import read
from flowstart.sweeps.runs.batch import run_cells
from flowstart.sweeps.runs.competing_flows import cost

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def selected(
    outcomes: Outcomes, sizes: Sequence[str] | None, competing: Sequence[str] | None
) -> Outcomes:
    """The cells with some sizes and kinds of competing flows; all of them where nothing is wanted.

    Raises RequestError where the sweep has no such cells.
    """
    for name, wanted in (("size", sizes), ("competing", competing)):
        if wanted is not None:
            dimension = DIMENSIONS[name](outcomes.cells)
            outcomes = outcomes.where(_of(dimension, wanted))
    return outcomes


def _of(dimension: Dimension, wanted: Sequence[str]) -> Flags:
    """The cells of some kinds, whose names may be written without spaces: `100kB`."""
    known = {_plain(kind): index for index, kind in enumerate(dimension.kinds)}
    for kind in wanted:
        if _plain(kind) not in known:
            has = ", ".join(dimension.kinds)
            raise RequestError(f"`{kind}` is not in the sweep, which has {has}", (dimension.name,))
    if not wanted:
        raise RequestError("empty; leave it out for all of them", (dimension.name,))
    places = [known[_plain(kind)] for kind in wanted]
    return np.isin(dimension.places, places)


def _plain(kind: str) -> str:
    return kind.replace(" ", "").lower()


def read_map(
    folder: str | os.PathLike[str],
    *,
    x: str = "rate",
    y: str = "rtt",
    col: str = "queue",
    row: str = "size",
    sizes: Sequence[str] | None = None,
    competing: Sequence[str] | None = None,
    startups: Sequence[str] | None = None,
    margin: float = MARGIN,
) -> SweepMap:
    """What the sweep in `folder` tells of its startups.

    `x` and `y` are the axes of the picture of winners; its panels are by `col` and `row`. `margin`
    is the share of the best completion time by which others may be later and still tie. With
    `startups` the map is made as if the sweep had no others. Raises RequestError where the folder
    holds no sweep, or the sweep has not got what is wanted.
    """
    for name, kinds in (("sizes", sizes), ("competing", competing)):
        if kinds is not None:
            texts(name, kinds)
    if not 0 <= margin < 1:
        raise RequestError(
            f"`{100 * margin:g}%` is out of range; 0% to below 100% is needed", ("margin",)
        )
    outcomes = read_outcomes(folder, None if startups is None else texts("startups", startups))
    outcomes = selected(outcomes, sizes, competing)
    return SweepMap(folder, outcomes, plane(outcomes.cells, x, y, col, row), margin)


@dataclass(frozen=True, repr=False)
class SweepResult(Swept, Result):
    """The rows of a sweep in its folder.

    Example:
        >>> import flowstart as fs, tempfile
        >>> path = {"rate": ["5Mbps", "20Mbps"], "rtt": "50ms"}
        >>> names = ["slow-start", "hystart"]
        >>> question = {"path": path, "flow": {"size": "20kB"}, "startups": names}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     result = fs.sweep(question, folder, workers=1)
        ...     len(result.frame)
        4
    """

    more = "one row per run in `.frame`"
    caption = "Regret"

    @property
    def headline(self) -> str:
        """The numbers of rows, startups and cells."""
        return report.headline(self)

    @property
    def table(self) -> Grid:
        """A group per size, a row per startup."""
        return report.summary(self, report.size_names(self))

    def plot(self, ax: "Axes | None" = None) -> "Figure":
        """The figure of `map()`: mean regret by rate and RTT."""
        return self.map().plot(ax)

    def summary(self, command: str = "") -> SummaryPage:
        """The summary of `map()`: the startup with the smallest regret."""
        return self.map().summary(command)

    def files(self, progress: figure_files.Progress | None = None) -> Iterator[Mapping[str, bytes]]:
        """The files of `map()`; the rows are in the sweep's folder."""
        return self.map().files(progress)

    @classmethod
    def read(cls, folder: str | os.PathLike[str]) -> Self:
        """Opens the folder of an earlier sweep.

        Args:
            folder: The folder that `sweep` or `flowstart sweep` has written.

        Returns:
            The sweep as it is in the folder, without runs of this call.

        Raises:
            RequestError: The folder holds no sweep, or a damaged one.
        """
        store = Store(pathlib.Path(folder))
        store.check_intact()
        rows = scan(folder)
        if store.is_begun and "cells" in store.said:
            cells = store.said["cells"]
        else:
            cells = len(rows.select("cell").unique().collect())
        collapsed = (store.complete or {}).get("collapsed", {})
        return cls(store, cells, 0, collapsed, store.failures)

    def rerun(self, row: Mapping[str, Any], *, trace: bool = False) -> Run:
        """Runs the scenario of a row again, under the row's startup.

        Args:
            row: A row of `frame`, such as `frame.row(0, named=True)`.
            trace: Whether events are recorded.

        Returns:
            The run.

        Raises:
            RequestError: The row has no scenario, or its startup is not one of the sweep's or is
                written in Python.

        Example:
            >>> import flowstart as fs
            >>> result = fs.SweepResult.read("out/sweep")  # doctest: +SKIP
            >>> slowest = result.frame.sort("fct_s").row(-1, named=True)  # doctest: +SKIP
            >>> result.rerun(slowest, trace=True).plot()  # doctest: +SKIP
        """
        if not row["scenario"]:
            raise RequestError(f"cell {row['cell']} has no scenario: {row['error']}", ("row",))
        scenario = json.loads(row["scenario"])
        variant = self._variant(row["startup"])
        for flow in scenario["flows"]:
            if "startup" not in flow:
                flow |= variant.flow()
        return run_scenario(scenario | {"trace": trace})

    def _variant(self, name: str) -> Variant:
        variants = {values["name"]: values for values in self.store.said.get("variants", ())}
        if name not in variants:
            known = ", ".join(variants) or "no list of them"
            raise RequestError(f"`{name}`: the sweep has {known}", ("row", "startup"))
        return Variant(**variants[name])

    def map(
        self,
        *,
        x: str = "rate",
        y: str = "rtt",
        col: str = "queue",
        row: str = "size",
        sizes: Sequence[str] | None = None,
        competing: Sequence[str] | None = None,
        startups: Sequence[str] | None = None,
        margin: float = MARGIN,
    ) -> SweepMap:
        """Compares the startup algorithms over all cells.

        Args:
            x: The horizontal axis of the picture of winners.
            y: The vertical axis.
            col: The dimension that has a column of panels for each kind.
            row: The dimension that has a row of panels for each kind.
            sizes: Sizes to keep; all unless given.
            competing: Kinds of competing flows to keep; all unless given.
            startups: Startup algorithms to compare, as if the sweep had no others.
            margin: Share of the fastest completion time within which others tie with it.

        Returns:
            The map.

        Raises:
            RequestError: The folder holds no sweep, or the sweep lacks what is requested.

        Example:
            >>> import flowstart as fs, tempfile
            >>> path = {"rate": ["5Mbps", "20Mbps"], "rtt": "50ms"}
            >>> names = ["slow-start", "hystart"]
            >>> question = {"path": path, "flow": {"size": "20kB"}, "startups": names}
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     found = fs.sweep(question, folder, workers=1).map()
            >>> len(found.frame)
            2
        """
        return read_map(
            self.store.place,
            x=x,
            y=y,
            col=col,
            row=row,
            sizes=sizes,
            competing=competing,
            startups=startups,
            margin=margin,
        )


@asking(SweepQuestion)
def sweep(question: SweepQuestion) -> SweepResult:
    """Runs every startup algorithm on every cell of a sweep, and keeps the rows in a folder.

    Rows that are in the folder already are not computed again, so the same call resumes an earlier
    one that was stopped.

    Returns:
        The rows, and what there is to report about them.

    Raises:
        RequestError: The sweep is wrong or exceeds a limit, or the folder holds something else;
            nothing is written.
        SimulationError: The rows cannot be written.

    Example:
        >>> import flowstart as fs, tempfile
        >>> path = {"rate": ["5Mbps", "20Mbps"], "rtt": "50ms"}
        >>> names = ["slow-start", "hystart"]
        >>> question = {"path": path, "flow": {"size": "20kB"}, "startups": names}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     result = fs.sweep(question, folder, workers=1)
        >>> result.cells
        2
    """
    family = read(question.setting, allow_python=question.allow_python)
    windows = {"window": question.window, "receiver": question.receiver}
    if fields := {name: value for name, value in windows.items() if value is not None}:
        family = family.with_stack(fields)
    if question.split is not None:
        family = family.only(question.split)
    approve = question.approve or is_modest
    way = Way(run_cells, cost, question.workers, question.dask, question.progress, approve)
    with bounds.bounded(question.max_time, question.max_memory):
        swept = run(family, pathlib.Path(question.folder), way, question.split or "")
    values = {field.name: getattr(swept, field.name) for field in dataclasses.fields(swept)}
    return SweepResult(**values)
