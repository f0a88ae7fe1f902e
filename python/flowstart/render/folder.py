"""Folders of results that do not mix.

Results are written into a hidden folder beside their place and moved into it whole. So whoever
looks finds the old folder or the new one, whatever happens: two commands that write into the same
place, a kill at any moment, a full disk. What a killed command has left beside is removed by the
next one; a lock, which ends with its process, says whether somebody still writes.
"""

import contextlib
import ctypes
import errno
import fcntl
import hashlib
import os
import pathlib
import secrets
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from flowstart import _native, text
from flowstart.errors import RequestError, SimulationError
from flowstart.interrupts import uninterrupted
from flowstart.model import input_files
from flowstart.render import files
from flowstart.render.files import Content, is_intact

_AT_FDCWD, _RENAME_EXCHANGE = -100, 2


def exchange(new: pathlib.Path, old: pathlib.Path) -> bool:
    """Whether both changed places at once (renameat2(2)); on Linux most file systems can."""
    rename = getattr(ctypes.CDLL(None), "renameat2", None)
    if rename is None:
        return False
    names = os.fsencode(new), os.fsencode(old)
    status: int = rename(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _RENAME_EXCHANGE)
    return status == 0


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


def manifest_document(folder: pathlib.Path, about: About, state: State) -> bytes:
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
    return files.document(said)


def damaged_files(folder: pathlib.Path) -> list[str]:
    """The files of `folder` that are missing or not as its manifest says; it may be one of them."""
    if not is_intact(folder / NAME):
        return [NAME]
    noted = {file["name"]: file["sha256"] for file in read(folder)["files"]}
    files = {name: folder / name for name in noted}
    return [n for n, file in files.items() if not file.is_file() or _digest(file) != noted[n]]


def read(folder: pathlib.Path) -> dict[str, Any]:
    """The manifest of `folder`. Raises RequestError where it is none."""
    manifest = input_files.read(folder / NAME, "a manifest", input_files.MAX_RESULT_BYTES)
    noted, command = manifest.get("files"), manifest.get("command")
    is_noted = isinstance(noted, list) and all(
        isinstance(file, dict) and {*map(type, map(file.get, ("name", "sha256")))} == {str}
        for file in noted
    )
    is_command = command is None or (
        isinstance(command, list) and all(isinstance(word, str) for word in command)
    )
    if not (is_noted and is_command and isinstance(manifest.get("state"), str)):
        raise RequestError(f"{folder / NAME}: it is not a manifest of flowstart")
    return manifest


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
            unnamed = _unnamed(folder)
            if os.path.samestat(os.fstat(looked_at), folder.stat()):
                return unnamed
        except FileNotFoundError:
            pass  # it has just been taken away
        finally:
            os.close(looked_at)


def _unnamed(folder: pathlib.Path) -> list[str]:
    try:
        known = {file["name"] for file in read(folder)["files"]}
    except RequestError:
        known = set()
    else:
        known.add(NAME)
    return sorted(path.name for path in folder.iterdir() if path.name not in known)


def _digest(file: pathlib.Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def check(folder: pathlib.Path, name: str) -> None:
    """Raises RequestError where results could not be put into `folder`; leaves nothing behind.

    `name` is what messages call it. A folder with files that flowstart did not write is refused:
    to replace it would lose them, and to leave them would mix them with results.
    """
    target = folder.resolve()
    if folder.exists() and not folder.is_dir():
        raise RequestError(f"{name}: this is a file, and a folder is needed")
    check_writable(target.parent, name)
    if not folder.exists():
        return
    for wrong, what in (
        (target.is_mount(), "a file system is mounted there"),
        (target == pathlib.Path.cwd(), "it is the folder that this command works in"),
    ):
        if wrong:
            raise RequestError(
                f"{name}: {what}, and results replace a folder as a whole; "
                f"name a folder within, such as {folder / 'results'}"
            )
    others = foreign(target)
    if others:
        raise RequestError(
            f"{name}: it holds {text.first_of(others)}, which flowstart did not write, and results "
            "replace a folder as a whole; name another, or move that elsewhere"
        )


def check_writable(folder: pathlib.Path, name: str) -> None:
    """Raises RequestError where nothing can be written into `folder`, which need not be there."""
    parent = next(p for p in (folder, *folder.absolute().parents) if p.exists())
    if not parent.is_dir():
        raise RequestError(f"{name}: {parent} is a file, and a folder is needed")
    try:
        # Trying is the only answer that holds for every user and file system.
        tempfile.TemporaryDirectory(prefix=".flowstart-", dir=parent).cleanup()
    except OSError as error:
        problem = f"{parent} cannot be written to: {error.strerror}"
        raise RequestError(f"{name}: {problem}") from None


class Results:
    """The results of one command, on their way into a folder.

    Files are written into `path` and moved into place, once or several times: each time the
    folder is replaced by all that has been written so far.
    """

    def __init__(self, folder: pathlib.Path, name: str, about: About) -> None:
        self.target = folder.resolve()
        self.name = name
        self.about = about
        self.staged: _Staged | None = None

    def __enter__(self) -> "Results":
        with self._failing(), uninterrupted():
            self.target.parent.mkdir(parents=True, exist_ok=True)
            _clean_up(self.target)
            self.staged = _Staged(self.target)
        return self

    def __exit__(self, *_: object) -> None:
        if self.staged:
            with uninterrupted():
                self.staged.remove()

    @property
    def path(self) -> pathlib.Path:
        """Where files are to be written."""
        if self.staged is None:
            raise ValueError("files are written within the `with` block, before the last `put`")
        return self.staged.path

    def write(self, files: Mapping[str, Content]) -> None:
        """Adds files, each whole or not. Raises SimulationError where they cannot be written."""
        with self._failing():
            for name, content in files.items():
                file = self.path / name
                try:
                    content(file) if callable(content) else file.write_bytes(content)
                except BaseException:
                    file.unlink(missing_ok=True)
                    raise

    def put(self, state: State = "complete") -> None:
        """Moves all that was written into place; more may be added while pictures are pending.

        Raises SimulationError where that fails. Results that cannot be moved are kept beside.
        """
        with self._failing(), uninterrupted():
            staged, self.staged = self.staged, None
            if staged is None:
                raise ValueError("there is nothing to be put into place any more")
            try:
                document = manifest_document(staged.path, self.about, state)
                # A new file: of a linked one, the folder in place would change too.
                (staged.path / NAME).unlink(missing_ok=True)
                (staged.path / NAME).write_bytes(document)
                if state == "pictures-pending":
                    self.staged = staged.linked(self.target)
                self._move(staged)
            finally:
                staged.remove()

    def _move(self, staged: "_Staged") -> None:
        others = foreign(self.target) if self.target.is_dir() else []
        if others:
            # Somebody has put it there since `check`.
            kept = _free(self.target)
            staged.path.rename(kept)
            raise SimulationError(
                f"{self.name}: meanwhile it holds {others[0]}, which flowstart did not write; "
                f"the results are in {kept}"
            )
        _replace(staged.path, self.target)

    @contextlib.contextmanager
    def _failing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            problem = f"{self.name}: cannot be written: {error.strerror}"
            raise SimulationError(problem) from None


class _Staged:
    """A hidden folder beside the place of results, locked as long as somebody writes there."""

    def __init__(self, target: pathlib.Path) -> None:
        while True:
            # With the rights that `umask` leaves, which a folder of `mkdtemp` has not.
            self.path = target.with_name(f"{_prefix(target)}{secrets.token_hex(8)}")
            self.path.mkdir()
            self.lock = _lock(self.path)
            # Whoever cleans up may have come between, and removes it.
            if self.lock is not None and self.path.exists():
                break
            self.remove()

    def linked(self, target: pathlib.Path) -> "_Staged":
        """Another with the same files."""
        other = _Staged(target)
        for file in self.path.iterdir():
            try:
                os.link(file, other.path / file.name)
            except OSError:  # a file system without links
                shutil.copy2(file, other.path / file.name)
        return other

    def remove(self) -> None:
        """Removes it, or what has changed places with it."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self.lock is not None:
            os.close(self.lock)
            self.lock = None


def _prefix(target: pathlib.Path) -> str:
    return f".{target.name}.flowstart-"


def _aside(target: pathlib.Path) -> str:
    """How a folder begins that has been moved aside for a moment."""
    return f"{_prefix(target)}aside-"


def _lock(folder: pathlib.Path) -> int | None:
    """Takes the lock of a folder; None where somebody has it or the folder is gone."""
    try:
        number = os.open(folder, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(number)
        return None
    return number


def _clean_up(target: pathlib.Path) -> None:
    """Removes what killed commands have left beside `target`, and restores what one moved aside."""
    beside = target.parent.iterdir() if target.parent.is_dir() else ()
    for left in sorted(path for path in beside if path.name.startswith(_prefix(target))):
        lock = _lock(left)
        if lock is None:
            continue
        try:
            if left.name.startswith(_aside(target)) and not target.exists():
                left.rename(target)
            else:
                shutil.rmtree(left, ignore_errors=True)
        finally:
            os.close(lock)


def _replace(new: pathlib.Path, target: pathlib.Path) -> None:
    """Puts the folder `new` into `target`; what was there is where `new` was, or gone."""
    while True:
        with contextlib.suppress(FileNotFoundError):
            # Fails where another writer has moved it away meanwhile.
            if not _fill(new, target) and not exchange(new, target):
                _replace_in_two_steps(new, target)
            return


def _fill(new: pathlib.Path, target: pathlib.Path) -> bool:
    """Puts the folder `new` into `target` where there is none, or an empty one."""
    try:
        new.rename(target)
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
            return False
        raise
    return True


def _replace_in_two_steps(new: pathlib.Path, target: pathlib.Path) -> None:
    """The same where folders cannot change places.

    A kill between leaves the old one aside, and the next command restores it.
    """
    aside = pathlib.Path(tempfile.mkdtemp(prefix=_aside(target), dir=target.parent))
    target.rename(aside)
    try:
        new.rename(target)
    except OSError:
        aside.rename(target)
        raise
    shutil.rmtree(aside, ignore_errors=True)


def _free(target: pathlib.Path) -> pathlib.Path:
    """A name beside `target` that nobody has."""
    numbers = range(2, 1_000_000)
    names = (target.with_name(f"{target.name}-{number}") for number in numbers)
    return next(name for name in names if not name.exists())
