"""One scenario whose rows go to files and not into memory: for runs of a million connections."""

import itertools
import pathlib
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

from flowstart import _native
from flowstart.errors import RequestError, SimulationError
from flowstart.model import scenario
from flowstart.model.custom import CustomStartups
from flowstart.model.document import encode, resolve
from flowstart.model.scenario import ScenarioLike
from flowstart.render.columns import metadata
from flowstart.render.folder import Results, check
from flowstart.render.manifest import About
from flowstart.simulation import bounds, frames
from flowstart.simulation.limits import LimitOptions

if TYPE_CHECKING:
    import polars as pl

    from flowstart._native import Table

FILES = {name: f"{name}.parquet" for name in ("transfers", "objects", "links", "startups")} | {
    "flows": "rows.parquet"
}
"""The file of each table, as `flowstart run -o` names them."""


@dataclass(frozen=True)
class StoredRun:
    """A run whose rows are in files."""

    folder: pathlib.Path
    about: dict[str, Any]
    """What is known of the run as a whole: `simulated_s`, `events`, `buffer`."""
    rows: dict[str, int]
    """How many rows each table has that has any."""
    is_cut: bool = False
    """Whether the run had a duration, after which a flow may still be under way."""

    @property
    def all_failed(self) -> bool:
        """Whether no flow was done, nor under way when the run was cut short."""
        import polars as pl

        if "flows" not in self.rows:
            return False
        under_way = ~pl.col("reset") & (pl.col("bytes_delivered") > 0) & self.is_cut
        came_to_something = (pl.col("complete") | under_way).any()
        return not self.scan().select(came_to_something).collect().item()

    def scan(self, table: str = "flows") -> "pl.LazyFrame":
        """The rows of a table, such as `flows` or `links`, read as far as needed."""
        import polars as pl

        return pl.scan_parquet(self.folder / FILES[table], glob=False)


def stream(
    scenario_like: ScenarioLike,
    folder: str | pathlib.Path,
    *,
    allow_python: bool = False,
    time_limit: str | None = None,
    **limits: Unpack[LimitOptions],
) -> StoredRun:
    """Runs one scenario and writes its rows into `folder` as Parquet, in little memory.

    The folder is replaced as a whole. A scenario's file may name startups written in Python only
    with `allow_python`. `limits` and `time_limit` are those of `run`. Raises RequestError where the
    scenario is wrong or asks for a trace, or is above a limit, or where the folder holds what
    flowstart did not write, TimeLimitPassed, and what a startup written in Python raises.
    """
    with bounds.bounded(time_limit, **limits):
        return store(scenario_like, pathlib.Path(folder), str(folder), allow_python=allow_python)


def store(
    scenario_like: ScenarioLike,
    folder: pathlib.Path,
    name: str,
    command: list[str] | None = None,
    *,
    allow_python: bool = False,
) -> StoredRun:
    """The same where messages call the folder `name`, and its manifest names the command."""
    custom = CustomStartups()
    document = custom.settle(scenario.document(scenario_like, allow_python=allow_python))
    if document.get("trace"):
        raise RequestError("trace: a run whose rows are streamed keeps none; leave it out")
    check(folder, name)
    seed = resolve(document, custom)["seed"]
    with Results(folder, name, About(command, seed)) as results:
        try:
            with tempfile.TemporaryDirectory(prefix="parts-", dir=results.path) as parts:
                writer = _Writer(pathlib.Path(parts))
                mine = bounds.current()
                with mine.watched() as cancel:
                    held = (mine.approval(1), cancel)
                    _native.run_in_parts(encode(document), writer.take, custom.natives(), held)
                writer.join(results.path)
        except OSError as error:
            raise SimulationError(f"{name}: cannot be written: {error.strerror}") from None
        results.put()
    return StoredRun(folder, writer.about, writer.rows, "duration" in document)


class _Writer:
    """Writes parts of tables, and makes one file of those of a table."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.about: dict[str, Any] = {}
        self.rows: dict[str, int] = {}
        self.number = itertools.count()

    def take(self, table: "Table") -> None:
        if table.name == "runs":
            (self.about,) = frames.rows(table)
            return
        file = self.folder / f"{table.name}-{next(self.number):06}.parquet"
        frames.frame(table).write_parquet(file)
        self.rows[table.name] = self.rows.get(table.name, 0) + len(table)

    def join(self, folder: pathlib.Path) -> None:
        import polars as pl

        for table, name in FILES.items():
            if table in self.rows:
                parts = sorted(self.folder.glob(f"{table}-*"))
                rows = pl.scan_parquet(parts, glob=False)
                rows.sink_parquet(folder / name, metadata=metadata(table))
