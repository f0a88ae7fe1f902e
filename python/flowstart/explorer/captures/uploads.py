"""Captures that the page may ask about: those of the command line, and those dropped on it."""

import pathlib
import re
import secrets
import shutil
import tempfile
import weakref
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

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
        self._folder: pathlib.Path | None = None

    @property
    def files(self) -> list[dict[str, str]]:
        """Those that there are, the command line's first, as JSON."""
        both = (*self._named.values(), *self._dropped.values())
        return [{"id": file.id, "name": file.name} for file in both]

    def __getitem__(self, name: str) -> File:
        """The file of this id. Raises RequestError where there is none."""
        found = self._named.get(name) or self._dropped.get(name)
        if found is None:
            raise RequestError(f"file: there is no capture `{name[:40]}`; drop it again")
        return found

    async def take(self, name: str, pieces: AsyncIterator[bytes]) -> File:
        """Keeps a file that comes piece by piece; what is cut short leaves nothing behind."""
        if self._folder is None:
            self._folder = pathlib.Path(tempfile.mkdtemp(prefix="flowstart-"))
            # Also at the end of the process.
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        called = secrets.token_hex(8)
        place = self._folder / called
        place.mkdir()
        # Readers tell a server's log from a capture by the end of its name.
        file = place / f"capture{_ending(name)}"
        try:
            with file.open("wb") as kept:
                async for piece in pieces:
                    kept.write(piece)
        except BaseException:
            shutil.rmtree(place)
            raise
        found = File(called, name, file)
        weakref.finalize(found, shutil.rmtree, place, ignore_errors=True)
        self._dropped[called] = found
        while len(self._dropped) > MOST_FILES:
            del self._dropped[next(iter(self._dropped))]
        return found


def _ending(name: str) -> str:
    found = re.search(r"(\.[A-Za-z0-9]{1,8}){1,2}$", name)
    return found[0].lower() if found else ""
