"""Sweeps: families of paths, and every startup algorithm on each."""

import dataclasses
import os
import pathlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self, Unpack

from flowstart.maps.asking import read_map
from flowstart.maps.reading import scan
from flowstart.maps.result import SweepMap
from flowstart.maps.winners import MARGIN
from flowstart.model.quantities import Time
from flowstart.simulation import bounds
from flowstart.simulation.limits import LimitOptions
from flowstart.sweeps.asking import SweepLike, read
from flowstart.sweeps.execution.execute import Approve, Progress, Way, is_modest, run
from flowstart.sweeps.execution.store import Store
from flowstart.sweeps.execution.swept import Swept
from flowstart.sweeps.runs.batch import run_cells
from flowstart.sweeps.runs.cost import cost


@dataclass(frozen=True, repr=False)
class SweepResult(Swept):
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


def sweep(
    setting: SweepLike,
    folder: str | os.PathLike[str],
    *,
    workers: int | None = None,
    dask: str | None = None,
    split: str | None = None,
    progress: Progress | None = None,
    approve: Approve | None = None,
    allow_python: bool = False,
    time_limit: Time | None = None,
    **limits: Unpack[LimitOptions],
) -> SweepResult:
    """Runs every startup algorithm on every cell of a sweep, and keeps the rows in a folder.

    Rows that are in the folder already are not computed again, so the same call resumes an earlier
    one that was stopped.

    Args:
        setting: A sweep, its fields as a mapping, its file, or the name of one that ships.
        folder: The folder of the rows.
        workers: Number of processes; all cores unless given.
        dask: Address of a Dask scheduler whose workers run the sweep.
        split: `train` or `test`, where the sweep is split.
        progress: Called as `progress(done, total)` with cells.
        approve: Called with the estimate of a sweep that takes more than some seconds; returns
            whether to run it. Without it, a sweep of more than an hour is refused.
        allow_python: Whether a sweep file may name startup algorithms written in Python.
        time_limit: Time after which the finished rows are returned, in seconds or as text.
        **limits: `max_packets`, `max_flows`, `max_memory`, `max_time` and `no_limits`, which raise
            the limits of the estimated use.

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
    question = read(setting, allow_python=allow_python)
    if split is not None:
        question = question.only(split)
    way = Way(run_cells, cost, workers, dask, progress, approve or is_modest)
    with bounds.bounded(time_limit, **limits):
        found = run(question, pathlib.Path(folder), way, split or "")
    values = {field.name: getattr(found, field.name) for field in dataclasses.fields(found)}
    return SweepResult(**values)
