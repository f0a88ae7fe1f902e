"""Folders of results without half-written files."""

import pathlib
import shutil
import tempfile
from collections.abc import Mapping

from flowstart.errors import RequestError, SimulationError


def check(folder: pathlib.Path) -> None:
    """Raises RequestError where `folder` could not be written; leaves nothing behind."""
    if folder.exists() and not folder.is_dir():
        raise RequestError(f"-o {folder}: this is a file, and a folder is needed")
    parent = next(p for p in (folder, *folder.absolute().parents) if p.exists())
    if not parent.is_dir():
        raise RequestError(f"-o {folder}: {parent} is a file, and a folder is needed")
    try:
        # Trying is the only answer that holds for every user and file system.
        tempfile.TemporaryDirectory(prefix=".flowstart-", dir=parent).cleanup()
    except OSError as error:
        problem = f"{parent} cannot be written to: {error.strerror}"
        raise RequestError(f"-o {folder}: {problem}") from None


def write(folder: pathlib.Path, files: Mapping[str, bytes]) -> None:
    """Writes `files` into `folder`, all or none; other files there are left alone.

    They are first written to a hidden folder within and then renamed, so that a reader
    never meets half a file.
    """
    partial: pathlib.Path | None = None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        partial = pathlib.Path(tempfile.mkdtemp(prefix=".partial-", dir=folder))
        for name, content in files.items():
            (partial / name).write_bytes(content)
        for name in files:
            (partial / name).replace(folder / name)
    except OSError as error:
        raise SimulationError(f"-o {folder}: cannot be written: {error.strerror}") from None
    finally:
        if partial:
            shutil.rmtree(partial, ignore_errors=True)
