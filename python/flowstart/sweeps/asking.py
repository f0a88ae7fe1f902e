"""`fs.sweep`: a family of paths, and every startup on each."""

import os
import pathlib
from collections.abc import Mapping
from typing import Any, TypeAlias, Unpack

from flowstart.errors import RequestError
from flowstart.simulation import bounds
from flowstart.simulation.limits import LimitOptions
from flowstart.sweeps.execution.execute import Approve, Progress, Way, is_modest, run
from flowstart.sweeps.execution.swept import Swept
from flowstart.sweeps.language import named
from flowstart.sweeps.language.sweep import Sweep
from flowstart.sweeps.runs.batch import run_cells
from flowstart.sweeps.runs.cost import cost

SweepLike: TypeAlias = Sweep | Mapping[str, Any] | str | os.PathLike[str]
"""A sweep; what its file says, as a mapping; its file; or the name of one that ships."""


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
    time_limit: str | None = None,
    **limits: Unpack[LimitOptions],
) -> Swept:
    """Runs every startup on every cell of a sweep, and keeps the rows in a folder.

    What is in the folder already is not run again, so the same call goes on after whatever ended
    an earlier one. Raises RequestError, with nothing written, where the sweep is wrong or the
    folder holds something else.

    `workers` processes run it, as many as there are cores if None; with `dask`, the workers of
    the scheduler at this address do. `split` is `train` or `test` where the sweep is split.
    `progress(done, total)` is told of cells. `approve(estimate)` says whether a sweep that takes
    more than some seconds is run; without it, one of more than an hour is refused. Startups in
    files of Python that a sweep's file names are run with `allow_python` only. `limits` raise what
    all of it may be estimated to use; after `time_limit` (`8h`) the rows that are there are kept,
    and `interrupted` says so.
    """
    question = read(setting, allow_python=allow_python)
    if split is not None:
        question = question.only(split)
    way = Way(run_cells, cost, workers, dask, progress, approve or is_modest)
    with bounds.bounded(time_limit, **limits):
        return run(question, pathlib.Path(folder), way, split or "")


def read(setting: SweepLike, *, allow_python: bool = False) -> Sweep:
    """The sweep that is meant, checked."""
    if isinstance(setting, Sweep):
        return setting
    if isinstance(setting, Mapping):
        return Sweep.of(setting)
    file = named.file(os.fspath(setting))
    try:
        return Sweep.read(file, allow_python=allow_python)
    except RequestError as error:
        message = str(error)
        raise RequestError(
            message if message.startswith(f"{file}: ") else f"{file}: {message}"
        ) from None
