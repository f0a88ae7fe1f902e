"""Where the rows of a collection go: JSON lines, or a folder of Parquet files."""

import os
import pathlib
import sys
import time
from typing import TYPE_CHECKING, Protocol

from flowstart.errors import RequestError
from flowstart.render import columns, files

if TYPE_CHECKING:
    import polars as pl

LINES = ".jsonl"


class Output(Protocol):
    """What takes rows."""

    @property
    def every_s(self) -> float:
        """How often it takes rows."""

    def write(self, rows: "pl.DataFrame") -> None:
        """Writes rows."""


def opened(name: str | None) -> Output:
    """The output of a name; without one the standard output.

    Raises RequestError where nothing can be written there.
    """
    if name is None:
        return JsonLines(None)
    try:
        if name.endswith(LINES):
            pathlib.Path(name).open("ab").close()
            return JsonLines(pathlib.Path(name))
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

    every_s = 1.0

    def __init__(self, file: pathlib.Path | None) -> None:
        self._file = file

    def write(self, rows: "pl.DataFrame") -> None:
        """Appends rows to the file, or prints them."""
        lines = rows.write_ndjson()
        if self._file is None:
            sys.stdout.write(lines)
            sys.stdout.flush()
            return
        with self._file.open("a", encoding="utf-8") as stream:
            stream.write(lines)


class ParquetFiles:
    """A folder for each congestion control with files, each of a minute.

    So both arms of a rollout are apart. A file appears when it is complete.
    """

    every_s = 60.0

    def __init__(self, folder: pathlib.Path) -> None:
        self._folder = folder

    def write(self, rows: "pl.DataFrame") -> None:
        """Writes a file for each congestion control."""
        moment = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
        name = f"{moment}-{os.getpid()}-{time.monotonic_ns() % 1_000_000:06}.parquet"
        metadata = columns.metadata("collected-rows")
        for (control,), part in rows.group_by("congestion_control", maintain_order=True):
            folder = self._folder / str(control)
            folder.mkdir(exist_ok=True)
            with files.completed(folder / name) as partial:
                part.write_parquet(partial, compression="zstd", metadata=metadata)
