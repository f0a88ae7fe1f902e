"""Rows of a replay: in memory while they are few, in files when they are many."""

import pathlib
import shutil
import tempfile
import weakref
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

IN_MEMORY = 50_000
"""Rows that are kept in memory; beyond, they go to a temporary folder."""


class Rows:
    """Rows that come part by part. All parts have the same columns.

    The temporary folder goes with them.
    """

    def __init__(self) -> None:
        self.height = 0
        self._recent: list[pl.DataFrame] = []
        self._files: list[pathlib.Path] = []
        self._folder: pathlib.Path | None = None

    def add(self, frame: "pl.DataFrame") -> None:
        """Takes in a part."""
        self.height += frame.height
        self._recent.append(frame)
        if sum(part.height for part in self._recent) > IN_MEMORY:
            self._store()

    def scan(self) -> "pl.LazyFrame":
        """All rows in the order in which they came, read as far as needed."""
        import polars as pl

        parts = [pl.scan_parquet(file, glob=False) for file in self._files]
        parts += [part.lazy() for part in self._recent]
        return pl.concat(parts) if parts else pl.LazyFrame()

    def _store(self) -> None:
        import polars as pl

        if self._folder is None:
            self._folder = pathlib.Path(tempfile.mkdtemp(prefix="flowstart-rows-"))
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        file = self._folder / f"{len(self._files):06}.parquet"
        pl.concat(self._recent).write_parquet(file)
        self._files.append(file)
        self._recent = []
