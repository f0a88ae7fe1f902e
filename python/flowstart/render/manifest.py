"""The manifest of a folder of results: who wrote it, how, and which files it holds."""

import hashlib
import json
import os
import pathlib
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from flowstart import _native
from flowstart.render import sealed

NAME = "manifest.json"
"""Its file's name."""
VERSION = 1
"""Of its form: greater where a field goes or changes its meaning."""

State: TypeAlias = Literal["complete", "pictures-pending", "interrupted"]
"""`pictures-pending`: all results are there, and figures are still being drawn, or were when the
command was stopped. `interrupted`: results are what Ctrl-C has left."""


@dataclass(frozen=True)
class About:
    """Where results come from."""

    command: list[str] | None = None
    """The command's words; None where a program asked for them."""
    seed: int | None = None
    """The seed of all random streams; None where there are several or none."""


def document(folder: pathlib.Path, about: About, state: State) -> bytes:
    """The manifest of what `folder` holds now; it holds its own digest as well."""
    said: dict[str, Any] = {
        "manifest": VERSION,
        "flowstart": _native.version(),
        "command": about.command,
        "seed": about.seed,
        "state": state,
        "files": [
            {"name": file.name, "bytes": file.stat().st_size, "sha256": _digest(file)}
            for file in sorted(folder.iterdir())
            if file.name != NAME
        ],
    }
    return sealed.document(said)


def damaged(folder: pathlib.Path) -> list[str]:
    """The files of `folder` that are missing or not as its manifest says; it may be one of them."""
    if not sealed.is_intact(folder / NAME):
        return [NAME]
    noted = {one["name"]: one["sha256"] for one in read(folder)["files"]}
    files = {name: folder / name for name in noted}
    return [n for n, file in files.items() if not file.is_file() or _digest(file) != noted[n]]


def read(folder: pathlib.Path) -> dict[str, Any]:
    """The manifest of `folder`, which is intact."""
    found: dict[str, Any] = json.loads((folder / NAME).read_bytes())
    return found


def foreign(folder: pathlib.Path) -> list[str]:
    """What is in `folder` that its manifest does not name: all of it where there is none.

    Another writer may put a folder of its own there meanwhile; what is said holds for one of them.
    """
    while True:
        try:
            looked_at = os.open(folder, os.O_RDONLY)
        except FileNotFoundError:
            return []
        try:
            found = _unnamed(folder)
            if os.path.samestat(os.fstat(looked_at), folder.stat()):
                return found
        except FileNotFoundError:
            pass  # it has just been taken away
        finally:
            os.close(looked_at)


def _unnamed(folder: pathlib.Path) -> list[str]:
    try:
        known = {file["name"] for file in json.loads((folder / NAME).read_bytes())["files"]}
    except (OSError, ValueError, KeyError, TypeError):
        known = set()
    else:
        known.add(NAME)
    return sorted(found.name for found in folder.iterdir() if found.name not in known)


def _digest(file: pathlib.Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
