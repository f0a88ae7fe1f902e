"""Which files are read together, of those that are named and those in folders."""

import os
import pathlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from flowstart.captures import kinds
from flowstart.captures.kinds import FileKind, Reader
from flowstart.errors import RequestError
from flowstart.model import input_files

STDIN = "-"
MOST_NAMED = 10
"""So many files that were left out are named."""


@dataclass(frozen=True)
class Selection:
    """The files that one reader reads."""

    reader: Reader
    kinds: Mapping[str, FileKind]
    """What each file is."""
    left_out: Mapping[str, FileKind]
    """The files in folders that it does not read."""

    @property
    def warnings(self) -> list[str]:
        """A line on what was left out, without folders, whose names may identify somebody."""
        return [f"left out: {_named(self.left_out)}"] if self.left_out else []


def listed(files: Sequence[str | os.PathLike[str]]) -> dict[str, bool]:
    """The files in the order given, folders as their files by name; and which are in folders."""
    paths: dict[str, bool] = {}
    for file in files:
        if not str(file):
            raise RequestError(
                "the name of a file is empty; a capture, a log or a folder is needed"
            )
        path = input_files.path_of(file, "the name of a capture, a log or a folder of them")
        if str(file) != STDIN:
            input_files.check(path, "; give - to read a pipe from the standard input")
        inside = _inside(path) if path.is_dir() else [str(file)]
        if not inside:
            raise RequestError(f"{file}: the folder holds no files; captures or logs are needed")
        if STDIN in inside and len(files) > 1:
            raise RequestError(
                "the standard input is read alone: save it as a file to read it with others"
            )
        for name in inside:
            if name in paths:
                raise RequestError(f"{name} is given twice; its connections would count double")
            paths[name] = path.is_dir()
    return paths


def _inside(folder: pathlib.Path) -> list[str]:
    """What a folder holds; of a folder of folders, as of `flowstart collect`, what these hold."""
    entries = _visible(folder)
    if all(entry.is_dir() for entry in entries):
        entries = [file for inner in entries for file in _visible(inner)] or entries
    return sorted(map(str, entries))


def _visible(folder: pathlib.Path) -> list[pathlib.Path]:
    return [entry for entry in folder.iterdir() if not entry.name.startswith(".")]


def select(
    paths: Mapping[str, bool], damaged: Mapping[str, FileKind] = MappingProxyType({})
) -> Selection:
    """The files that are read: all that are named, and those in folders that go with them.

    `damaged` are those of folders that turned out to be so. Raises RequestError where a named file
    is not read, or two that are not read together.
    """
    known = {path: damaged.get(path) or kinds.of(path) for path in paths}
    for path, in_folder in paths.items():
        if not in_folder and known[path].reader is Reader.NONE:
            raise RequestError(f"{path} is {known[path].refusal}")
    named = [path for path, in_folder in paths.items() if not in_folder] or list(paths)
    present = {known[path].reader for path in named} - {Reader.NONE}
    if not present:
        raise RequestError(f"none of the folder's files can be read: {_named(known)}")
    reader = next(reader for reader in Reader if reader in present)
    first = next(path for path in named if known[path].reader is reader)
    form = known[first].form  # server logs are read as one only in the same form
    read = {
        path: kind for path, kind in known.items() if (kind.reader, kind.form) == (reader, form)
    }
    left_out = {path: kind for path, kind in known.items() if path not in read}
    for path, kind in left_out.items():
        if not paths[path]:
            raise RequestError(
                f"{first} is {known[first].name}, {path} is {kind.name}: read them separately"
            )
    return Selection(reader, read, left_out)


def damage(error: RequestError, file: str) -> FileKind:
    """What a file is that could not be read."""
    return FileKind(re.sub(r"^[:, ]+(?:is )?", "", error.message.removeprefix(file)))


def _named(files: Mapping[str, FileKind]) -> str:
    """The first files with what they are, or what is wrong with them."""
    names = [f"{pathlib.PurePath(path).name} ({kind.name})" for path, kind in files.items()]
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
