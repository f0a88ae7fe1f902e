"""Many scenarios at once, and their tables joined."""

import functools
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flowstart import _native
from flowstart.errors import RequestError
from flowstart.model import scenario
from flowstart.model.custom import CustomStartups
from flowstart.model.document import Document, encode
from flowstart.model.quantities import Time
from flowstart.model.scenario import Scenario, ScenarioLike
from flowstart.simulation import batch, bounds, frames
from flowstart.simulation.batch import Progress
from flowstart.simulation.frames import RunTables

if TYPE_CHECKING:
    import polars as pl

    from flowstart._native import Batch as Outcomes


@dataclass(frozen=True, repr=False, eq=False)
class RunBatch(RunTables):
    """The rows of many scenarios; column `run` is the number of the scenario, from 0.

    A frame is made on first use. Its columns are those of `docs/reference/columns.md`.

    Attributes:
        frame: One row per flow; `fct_s` is in seconds, rates are in bits per second.
        runs: One row per finished run, with its `error`.
        count: Number of scenarios.
        interrupted: Whether Ctrl-C or the time limit ended it.

    Example:
        >>> import flowstart as fs
        >>> path = {"rate": "5Mbps", "rtt": "64ms"}
        >>> batch = fs.run_many([{"path": path, "flows": [{"size": n}]} for n in ("1kB", "9kB")])
        >>> batch.frame["run"].to_list()
        [0, 1]
    """

    outcome: "Outcomes"
    count: int
    """How many scenarios there were."""

    @functools.cached_property
    def runs(self) -> "pl.DataFrame":
        """One row per run that was finished: `error` says why one failed, null where it did not.

        Beside it `simulated_s` (seconds), `events`, `buffer` and `buffer_accounting`.
        """
        return frames.frame(self.outcome["runs"])

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it; runs that were not finished have no rows."""
        return self.outcome["interrupted"]

    def to_dict(self) -> dict[str, Any]:
        """The tables as JSON types."""
        return {
            "interrupted": self.interrupted,
            "runs": self.runs.to_dicts(),
            "rows": self.frame.to_dicts(),
        }

    def __eq__(self, other: object) -> bool:
        """Whether the documents are the same."""
        return isinstance(other, RunBatch) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        finished = self.runs.height
        failed = self.runs["error"].count() if finished else 0
        runs = f"{finished} of {self.count} runs" if finished < self.count else f"{finished} runs"
        return f"<RunBatch of {runs}{f', {failed} failed' if failed else ''}>"


def run_many(
    scenarios: Iterable[ScenarioLike],
    *,
    workers: int | None = None,
    progress: Progress | None = None,
    allow_python: bool = False,
    max_memory: str | float | None = None,
    max_time: Time | None = None,
) -> RunBatch:
    """Runs many scenarios on all cores.

    The rows do not depend on the number of workers. All scenarios are checked before the first
    runs. One that fails while it runs is a row of `runs` with its error, and the others continue.
    Ctrl-C and the end of the time limit keep what is finished.

    Args:
        scenarios: The scenarios, each as for `run`.
        workers: Number of threads and processes; all cores unless given.
        progress: Called as `progress(done, total)` a few times a second.
        allow_python: Whether a scenario file may name startup algorithms written in Python.
        max_memory: Memory that runs may use, in bytes or as text; the machine's unless given.
        max_time: Time after which the finished runs are returned, in seconds or as text.

    Returns:
        The tables of all runs, joined.

    Raises:
        RequestError: A scenario is wrong or exceeds a limit; the message has its number.

    Example:
        >>> import flowstart as fs
        >>> path = fs.NetworkPath(rate=10e6, rtt=0.05)
        >>> flows = [[fs.Flow(size=size)] for size in (10_000, 100_000)]
        >>> batch = fs.run_many(fs.Scenario(path=path, flows=flow) for flow in flows)
        >>> batch.frame["size_bytes"].to_list()
        [10000, 100000]
    """
    if isinstance(scenarios, Scenario | Mapping | str | os.PathLike):
        raise RequestError("a list of scenarios is needed; `fs.run` runs one", ("scenarios",))
    if not isinstance(scenarios, Iterable):
        raise RequestError("a list of scenarios is needed", ("scenarios",), repr(scenarios))
    custom = CustomStartups()
    texts = [
        _text(number, entry, custom, allow_python=allow_python)
        for number, entry in enumerate(scenarios)
    ]
    try:
        with bounds.bounded(max_time, max_memory):
            outcomes = batch.run_many(texts, workers, progress, custom)
    except RequestError:
        _say_which(texts, custom)
        raise
    return RunBatch(outcomes, len(texts))


def _text(number: int, entry: ScenarioLike, custom: CustomStartups, *, allow_python: bool) -> str:
    """A scenario as the simulator reads it."""
    try:
        document: Document = custom.settle(scenario.document(entry, allow_python=allow_python))
        if document.get("trace"):
            raise RequestError("one run of many keeps none; leave it out", ("trace",))
        return encode(document)
    except RequestError as error:
        raise _of(number, error) from None


def _say_which(texts: list[str], custom: CustomStartups) -> None:
    """Raises what is wrong with the first scenario with which anything is."""
    natives = custom.natives()
    for number, text in enumerate(texts):
        try:
            _native.resolve(text, natives)
        except RequestError as error:
            raise _of(number, error) from None


def _of(number: int, error: RequestError) -> RequestError:
    return RequestError(f"scenarios[{number}]: {error}")
