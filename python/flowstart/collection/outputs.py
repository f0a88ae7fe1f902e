"""Where the rows of a collection go: JSON lines, or a folder of Parquet files."""

import os
import pathlib
import time
from typing import IO, TYPE_CHECKING, Protocol

from flowstart.errors import RequestError

if TYPE_CHECKING:
    import polars as pl

LINES = ".jsonl"
EVERY_S = 60.0
"""For how long a file of Parquet is filled."""
MOST_ROWS = 200_000
"""A file with so many rows is full before."""


class Output(Protocol):
    """What takes rows."""

    def add(self, rows: "pl.DataFrame") -> None:
        """Takes rows."""

    def close(self) -> None:
        """Writes what is left."""


def opened(name: str | None) -> Output:
    """The output of a name; without one the standard output.

    Raises RequestError where nothing can be written there.
    """
    if name is None:
        return JsonLines(os.fdopen(os.dup(1), "wb"))
    try:
        if name.endswith(LINES):
            return JsonLines(pathlib.Path(name).open("ab"))
        folder = pathlib.Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError(13, "Permission denied")
    except OSError as error:
        raise RequestError(
            f"{error.strerror}; a folder or FILE{LINES} is needed", ("output",), name
        ) from None
    return ParquetFiles(folder)


class JsonLines:
    """A row a line."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def add(self, rows: "pl.DataFrame") -> None:
        """Writes rows."""
        self._stream.write(rows.write_ndjson().encode())
        self._stream.flush()

    def close(self) -> None:
        """Closes the file."""
        self._stream.close()


class ParquetFiles:
    """A folder of files, each of a minute. A file appears when it is complete."""

    def __init__(self, folder: pathlib.Path) -> None:
        self._folder = folder
        self._rows: list[pl.DataFrame] = []
        self._began = time.monotonic()

    def add(self, rows: "pl.DataFrame") -> None:
        """Takes rows, and writes them if the file is full."""
        self._rows.append(rows)
        is_full = sum(map(len, self._rows)) >= MOST_ROWS
        if is_full or time.monotonic() - self._began >= EVERY_S:
            self.close()

    def close(self) -> None:
        """Writes the file."""
        import polars as pl

        self._began = time.monotonic()
        if not self._rows:
            return
        moment = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
        name = f"{moment}-{os.getpid()}-{time.monotonic_ns() % 1_000_000:06}.parquet"
        pl.concat(self._rows).write_parquet(self._folder / f".{name}", compression="zstd")
        (self._folder / f".{name}").rename(self._folder / name)
        self._rows.clear()
