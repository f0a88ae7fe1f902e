"""Captures that the page may ask about: those of the command line, and those dropped on it."""

import os
import pathlib
import secrets
import tempfile
import weakref
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import IO

from flowstart.errors import RequestError

MOST_BYTES = 64_000_000
"""Of a file that is dropped; larger ones are named on the command line."""
MOST_FILES = 8
"""The oldest of more is forgotten, and removed once no job reads it."""


@dataclass(frozen=True)
class File:
    """A capture by the names that people and the page have for it.

    One that was dropped is removed with the last reference to this.
    """

    id: str
    name: str
    place: pathlib.Path


class Uploads:
    """The captures of one server; what was dropped is removed when the process ends."""

    def __init__(self, named: Sequence[pathlib.Path] = ()) -> None:
        self._named = {str(at): File(str(at), str(file), file) for at, file in enumerate(named)}
        self._dropped: dict[str, File] = {}

    @property
    def files(self) -> list[dict[str, str]]:
        """Those that there are, the command line's first, as JSON."""
        both = (*self._named.values(), *self._dropped.values())
        return [{"id": file.id, "name": file.name} for file in both]

    def __getitem__(self, name: str) -> File:
        """The file of this id. Raises RequestError where there is none."""
        file = self._named.get(name) or self._dropped.get(name)
        if file is None:
            raise RequestError(f"file: there is no capture `{name[:40]}`; drop it again")
        return file

    async def take(self, name: str, pieces: AsyncIterator[bytes]) -> File:
        """Keeps a file that comes piece by piece; what is cut short leaves nothing behind."""
        kept = _kept()
        try:
            async for piece in pieces:
                kept.write(piece)
            kept.flush()
        except BaseException:
            kept.close()
            raise
        called = secrets.token_hex(8)
        file = File(called, name, _place(kept))
        weakref.finalize(file, kept.close)  # also at the end of the process
        self._dropped[called] = file
        while len(self._dropped) > MOST_FILES:
            del self._dropped[next(iter(self._dropped))]
        return file


DESCRIPTORS = pathlib.Path("/proc/self/fd")
"""Where Linux has files by their descriptors."""


def _kept() -> IO[bytes]:
    """A new file, without a name where that is possible: the kernel removes it with this process.

    Elsewhere SIGKILL leaves it in the folder for temporary files.
    """
    if DESCRIPTORS.is_dir():
        return tempfile.TemporaryFile(prefix="flowstart-")
    return tempfile.NamedTemporaryFile(prefix="flowstart-")


def _place(kept: IO[bytes]) -> pathlib.Path:
    """How a file is opened by this process and by those of readers."""
    if DESCRIPTORS.is_dir():
        return pathlib.Path(f"/proc/{os.getpid()}/fd/{kept.fileno()}")
    return pathlib.Path(kept.name)
