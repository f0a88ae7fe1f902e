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
from flowstart.model.document import encode
from flowstart.model.scenario import ScenarioLike
from flowstart.simulation import frames

if TYPE_CHECKING:
    import polars as pl

    from flowstart._native import Columns

FILES = {name: f"{name}.parquet" for name in ("transfers", "objects", "links")} | {
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

    def scan(self, table: str = "flows") -> "pl.LazyFrame":
        """The rows of `flows`, `transfers`, `objects` or `links`, read as far as needed."""
        import polars as pl

        return pl.scan_parquet(self.folder / FILES[table])


def stream(scenario_like: ScenarioLike, folder: str | pathlib.Path) -> StoredRun:
    """Runs one scenario and writes its rows into `folder` as Parquet, in little memory.

    Raises RequestError where the scenario is wrong or asks for a trace, and what a start-up
    written in Python raises.
    """
    custom = CustomStartups()
    document = custom.settle(scenario.document(scenario_like))
    if document.get("trace"):
        raise RequestError("trace: a run whose rows are streamed keeps none; leave it out")
    folder = pathlib.Path(folder)
    is_new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".partial-", dir=folder) as parts:
            writer = _Writer(pathlib.Path(parts))
            _native.run_in_parts(encode(document), writer.take, custom.natives())
            writer.join(folder)
    except OSError as error:
        raise SimulationError(f"{folder}: cannot be written: {error.strerror}") from None
    except RequestError:
        if is_new:
            folder.rmdir()
        raise
    return StoredRun(folder, writer.about, writer.rows)


class _Writer:
    """Writes parts of tables, and makes one file of those of a table."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.about: dict[str, Any] = {}
        self.rows: dict[str, int] = {}
        self.number = itertools.count()

    def take(self, table: str, columns: "Columns") -> None:
        if table == "runs":
            (self.about,) = frames.rows(columns)
            return
        frame = frames.frame(columns)
        frame.write_parquet(self.folder / f"{table}-{next(self.number):06}.parquet")
        self.rows[table] = self.rows.get(table, 0) + frame.height

    def join(self, folder: pathlib.Path) -> None:
        import polars as pl

        for table, name in FILES.items():
            # What an earlier run has left is of another run.
            (folder / name).unlink(missing_ok=True)
            if table in self.rows:
                whole = self.folder / name
                pl.scan_parquet(sorted(self.folder.glob(f"{table}-*"))).sink_parquet(whole)
                whole.replace(folder / name)
