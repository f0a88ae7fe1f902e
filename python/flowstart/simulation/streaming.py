"""One scenario whose rows go to files and not into memory: for runs of a million connections."""

import itertools
import pathlib
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flowstart import _native
from flowstart.errors import RequestError, SimulationError
from flowstart.model import scenario
from flowstart.model.custom import CustomStartups
from flowstart.model.document import encode, resolve
from flowstart.model.scenario import ScenarioLike
from flowstart.public import RETURNED, Public
from flowstart.render.columns import metadata
from flowstart.render.folder import About, Results, check
from flowstart.simulation import bounds, frames

if TYPE_CHECKING:
    import polars as pl

    from flowstart._native import Table

FILES = {name: f"{name}.parquet" for name in ("transfers", "objects", "links", "startups")} | {
    "flows": "rows.parquet"
}
"""The file of each table, as `flowstart run -o` names them."""


@dataclass(frozen=True)
class StoredRun(metaclass=Public):
    """A run whose rows are in files.

    Attributes:
        folder: Folder of the files.
        about: What is known of the run as a whole: `simulated_s`, `events`, `buffer`.
        counts: The number of rows of each table that has any.
        is_cut: Whether the run had a duration, after which a flow may still be under way.
    """

    __signature__ = RETURNED

    folder: pathlib.Path
    about: dict[str, Any]
    counts: dict[str, int]
    is_cut: bool = False

    @property
    def all_failed(self) -> bool:
        """Whether no flow was done, nor under way when the run was cut short."""
        import polars as pl

        if "flows" not in self.counts:
            return False
        under_way = ~pl.col("reset") & (pl.col("bytes_delivered") > 0) & self.is_cut
        came_to_something = (pl.col("complete") | under_way).any()
        return not self.scan().select(came_to_something).collect().item()

    @property
    def frame(self) -> "pl.DataFrame":
        """One row per flow, in memory; `scan` reads only what is needed."""
        return self.scan().collect()

    def scan(self, table: str = "flows") -> "pl.LazyFrame":
        """The rows of a table, such as `flows` or `links`, read as far as needed."""
        import polars as pl

        return pl.scan_parquet(self.folder / FILES[table], glob=False)

    def to_dict(self) -> dict[str, Any]:
        """The run as JSON types, without the rows."""
        return {"folder": str(self.folder), **self.about, "counts": self.counts}


def store(
    scenario_like: ScenarioLike,
    folder: pathlib.Path,
    name: str,
    command: list[str] | None = None,
    *,
    allow_python: bool = False,
) -> StoredRun:
    """Runs a scenario and writes its rows into `folder` as Parquet, in little memory.

    The folder is replaced as a whole. Messages call it `name`, and its manifest names the command.
    """
    custom = CustomStartups()
    document = custom.settle(scenario.document(scenario_like, allow_python=allow_python))
    if document.get("trace"):
        raise RequestError("a run with a sink keeps none; leave one of the two out", ("trace",))
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
    return StoredRun(folder, writer.about, writer.counts, "duration" in document)


class _Writer:
    """Writes parts of tables, and makes one file of those of a table."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.about: dict[str, Any] = {}
        self.counts: dict[str, int] = {}
        self.number = itertools.count()

    def take(self, table: "Table") -> None:
        if table.name == "runs":
            (self.about,) = frames.rows(table)
            return
        file = self.folder / f"{table.name}-{next(self.number):06}.parquet"
        frames.frame(table).write_parquet(file)
        self.counts[table.name] = self.counts.get(table.name, 0) + len(table)

    def join(self, folder: pathlib.Path) -> None:
        import polars as pl

        for table, name in FILES.items():
            if table in self.counts:
                parts = sorted(self.folder.glob(f"{table}-*"))
                rows = pl.scan_parquet(parts, glob=False)
                rows.sink_parquet(folder / name, metadata=metadata(table))
