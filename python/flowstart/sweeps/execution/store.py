"""The folder of a sweep: what was asked, and the rows as Parquet, part by part.

    sweep.json               what was asked, by which version, and what the columns hold
    parts/NUMBER-KEY.parquet the rows of a batch; never changed once they are there
    failed/NUMBER-KEY.txt    why a batch has no rows
    damaged/                 files that were found damaged, and have been replaced
    complete.json            what the whole sweep came to, once all parts are there
    report.html              a page to read, written when a command ends

A part is named by what its rows follow from, and is there as a whole or not at all. So a kill costs
the batches that were being run, the same command goes on with those that are missing, and whoever
writes a part a second time writes the same. Each file holds its own SHA-256.
"""

import contextlib
import errno
import fcntl
import functools
import json
import os
import pathlib
import re
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from flowstart import _native, text
from flowstart.errors import RequestError, SimulationError
from flowstart.model import input_files, stack
from flowstart.model.document import Document
from flowstart.model.variants import Variant
from flowstart.public import Public
from flowstart.render import columns, files, folder
from flowstart.sweeps.execution.task import Batch, digest
from flowstart.sweeps.runs.table import TABLE

if TYPE_CHECKING:
    import polars as pl


SUFFIX = ".partial"


def write(path: pathlib.Path, content: bytes, *, replace: bool = True) -> None:
    """Puts a file into its place. Raises FileExistsError where one is there, unless `replace`."""
    while True:
        with _written(path, content) as partial:
            try:
                if replace or not _link(partial, path):
                    partial.replace(path)
                    _sync(path.parent)
                return
            except FileNotFoundError:
                # Another command took it for left.
                if not path.parent.is_dir():
                    raise


def clean_up(folder: pathlib.Path) -> None:
    """Removes what killed commands have left in a folder; a running one writes its file again."""
    for left in folder.glob(f".*{SUFFIX}"):
        left.unlink(missing_ok=True)


@contextlib.contextmanager
def _written(path: pathlib.Path, content: bytes) -> Iterator[pathlib.Path]:
    """The content in a hidden file beside its place, for as long as it is not renamed."""
    partial = path.with_name(f".{path.name}.{uuid.uuid4().hex}{SUFFIX}")
    try:
        with partial.open("xb") as opened:
            opened.write(content)
            opened.flush()
            os.fsync(opened.fileno())
            yield partial
    finally:
        partial.unlink(missing_ok=True)


def _link(partial: pathlib.Path, path: pathlib.Path) -> bool:
    """Puts a file where none is; False on a file system without links."""
    try:
        os.link(partial, path)
    except FileExistsError:
        raise
    except OSError:
        return False
    _sync(path.parent)
    return True


def _sync(folder: pathlib.Path) -> None:
    """Sees to it that a rename outlasts a power failure."""
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


HELD = (errno.EACCES, errno.EAGAIN)
"""How a lock is refused that another process has; other errors mean that there are none."""


class Claims:
    """The claims of this process on the batches of one folder.

    Locks are the process's: two sweeps into one folder within one process do not see each other's.
    """

    def __init__(self, file: pathlib.Path) -> None:
        self._number = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)

    def take(self, batch: int) -> bool:
        """Claims a batch; False where another process has it."""
        try:
            fcntl.lockf(self._number, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, batch)
        except OSError as error:
            return error.errno not in HELD
        return True

    def release(self, batch: int) -> None:
        """Gives a claim back."""
        fcntl.lockf(self._number, fcntl.LOCK_UN, 1, batch)

    def close(self) -> None:
        """Gives all claims back."""
        os.close(self._number)


FORMAT = 2
"""Of the folder: greater where a file goes or changes its meaning."""
ASKED = "sweep.json"
COMPLETE = "complete.json"
REPORT = "report.html"
PARTS = "parts"
FAILED = "failed"
DAMAGED = "damaged"
CLAIMS = ".claims"
LONGEST_VALUE = 60
"""Characters of a value that a message has."""
_PART = re.compile(r"\d{8}-[0-9a-f]{16}\.parquet")


@dataclass(frozen=True)
class Asked:
    """What decides the rows of a sweep."""

    document: Document
    """What was asked, as JSON knows it."""
    split: str
    """The set of the cells that is run, or empty."""
    variants: tuple[Variant, ...]
    texts: Mapping[str, str]
    """The startups of one's own, and what they do."""
    cells: int
    """How many there are, those that collapse included."""

    @functools.cached_property
    def said(self) -> Document:
        """The same as JSON knows it."""
        variants = [
            {"name": v.name, "startup": v.startup, "cc": v.cc, "stack": v.fields}
            | ({"landing": v.landing} if v.landing else {})
            for v in self.variants
        ]
        return {
            "store": FORMAT,
            "flowstart": _native.version(),
            "asked": self.document,
            "split": self.split,
            "variants": variants,
            "texts": {name: digest(text) for name, text in self.texts.items()},
            "cells": self.cells,
        }

    @functools.cached_property
    def key(self) -> str:
        """What all batches share, as 64 hexadecimal digits."""
        return digest(self.said)


class Store:
    """The rows of a sweep in a folder."""

    def __init__(self, path: pathlib.Path) -> None:
        self.place = path
        self._claims: Claims | None = None
        self.set_aside: list[str] = []
        """The files that were found damaged, and set aside."""

    # What is there.

    @property
    def said(self) -> Document:
        """What `sweep.json` says. Raises RequestError where there is none, or a damaged one."""
        record = self._json(ASKED)
        if record is None and self.is_begun:
            raise RequestError(f"{self.place}: its {ASKED} is damaged; {self._repair}")
        if record is None:
            raise RequestError(
                f"{self.place}: no sweep is there; `flowstart sweep` writes into such a folder"
            )
        return record

    @property
    def is_begun(self) -> bool:
        """Whether somebody has asked for a sweep here."""
        return (self.place / ASKED).exists()

    @property
    def complete(self) -> Document | None:
        """What the whole sweep came to; None where parts are missing."""
        record = self._json(COMPLETE)
        return record if record and record.get("parts") == len(self.parts()) else None

    def parts(self) -> list[pathlib.Path]:
        """The files of all parts, in the order of cells."""
        candidates = (self.place / PARTS).glob("*.parquet")
        return sorted(file for file in candidates if _PART.fullmatch(file.name))

    def scan(self) -> "pl.LazyFrame":
        """All rows in the order of cells, read as far as needed."""
        import polars as pl

        parts = self.parts()
        if not parts:
            return columns.frame([], TABLE).lazy()
        return pl.scan_parquet(parts, glob=False)

    @property
    def failures(self) -> list[str]:
        """Why batches have no rows, a line for each."""
        return [f"{file.stem}: {_why(file)}" for file in self._failed()]

    def _failed(self) -> list[pathlib.Path]:
        return sorted((self.place / FAILED).glob("*.txt"))

    def _json(self, name: str) -> Document | None:
        """A document of the folder; None where there is none, or a damaged one."""
        file = self.place / name
        if not files.is_intact(file):
            return None
        record = input_files.read(file, "a record of a sweep", input_files.MAX_RESULT_BYTES)
        return record if _FIELDS[name] <= record.keys() else None

    # What is damaged.

    def files(self) -> list[pathlib.Path]:
        """All files of the sweep."""
        fixed = (self.place / name for name in (ASKED, COMPLETE, REPORT))
        return [*(file for file in fixed if file.exists()), *self.parts(), *self._failed()]

    def damaged(self) -> list[str]:
        """The files that are not as they were written, by their place in the folder."""
        damaged = [file for file in self.files() if not files.is_intact(file)]
        return [str(file.relative_to(self.place)) for file in damaged]

    def missing(self) -> list[str]:
        """In words, how many parts a sweep that was complete has lost."""
        record = self._json(COMPLETE)
        lost = int(record["parts"]) - len(self.parts()) if record else 0
        return [f"{PARTS}: {lost} missing"] if lost > 0 else []

    def aside(self) -> list[str]:
        """The files that were set aside, by their place in the folder."""
        return sorted(f"{DAMAGED}/{file.name}" for file in (self.place / DAMAGED).glob("*"))

    def check_intact(self) -> None:
        """Raises RequestError where a file is damaged."""
        damaged = self.damaged()
        if damaged:
            raise RequestError(f"{self.place}: damaged: {text.first_of(damaged)}; {self._repair}")

    @property
    def _repair(self) -> str:
        return (
            f"the command that wrote it, `flowstart sweep ... -o {self.place}`, "
            "sets damaged files aside and computes them again"
        )

    def set_damaged_aside(self, batch: Batch) -> None:
        """Sets the part of a batch aside that is claimed, and is there although `has` denies it."""
        if self._part(batch).exists():
            self._set_aside(self._part(batch))

    def _set_aside(self, file: pathlib.Path) -> None:
        with self._failing(), contextlib.suppress(FileNotFoundError):  # another command was first
            (self.place / DAMAGED).mkdir(exist_ok=True)
            file.replace(self.place / DAMAGED / file.name)
        self.set_aside.append(str(file.relative_to(self.place)))

    # What is to be written.

    def check(self, identity: Asked) -> None:
        """Raises RequestError where the rows of this sweep cannot be put here; writes nothing."""
        if self.place.exists() and not self.place.is_dir():
            raise RequestError(f"{self.place}: this is a file, and a folder is needed")
        folder.check_writable(self.place, str(self.place))
        if self.is_begun:
            self._check_same(identity)
        else:
            self._refuse_others(self.place, "a sweep's folder begins empty")
        self._refuse_others(self.place / PARTS, "a sweep's table is all that is there")

    def _check_same(self, identity: Asked) -> None:
        there = self._json(ASKED)
        if there is None and self._has_part_of(identity):
            return  # damaged, and written again
        if there is None or "sweep" not in there:
            raise RequestError(
                f"{self.place}: its {ASKED} is damaged, or was not written by this flowstart; "
                "name another folder"
            )
        if there["sweep"] == identity.key:
            return
        differing = [name for name, value in identity.said.items() if there.get(name) != value]
        if not {"flowstart", "store"}.isdisjoint(differing):
            raise RequestError(
                f"{self.place}: flowstart {there.get('flowstart')} wrote it, and this is "
                f"{_native.version()}; rows of two versions are not mixed: name another folder, "
                "or resume with that version"
            )
        raise RequestError(
            f"{self.place}: it holds another sweep ({_difference(there, identity.said)}); "
            "name another folder"
        )

    def _has_part_of(self, identity: Asked) -> bool:
        """Whether a part says that it is of this sweep."""
        intact = (part for part in self.parts() if files.is_intact(part))
        return any(files.contains(part, identity.key.encode()) for part in intact)

    def _refuse_others(self, path: pathlib.Path, why: str) -> None:
        names = [entry.name for entry in path.iterdir()] if path.is_dir() else []
        others = sorted(n for n in names if not _PART.fullmatch(n) and not n.startswith("."))
        if others:
            raise RequestError(
                f"{path}: it holds {text.first_of(others)}, which flowstart did not write, and "
                f"{why}; name another folder, or move that elsewhere"
            )

    @contextlib.contextmanager
    def open(self, identity: Asked) -> Iterator[None]:
        """Makes the folder ready for parts, and holds what it claims until the end."""
        with self._failing():
            self.place.mkdir(parents=True, exist_ok=True)
            for name in (ASKED, COMPLETE, REPORT):
                if (self.place / name).exists() and not files.is_intact(self.place / name):
                    self._set_aside(self.place / name)
            self._note(identity)
            for name in (PARTS, FAILED):
                (self.place / name).mkdir(exist_ok=True)
                clean_up(self.place / name)
            clean_up(self.place)
            self._claims = Claims(self.place / CLAIMS)
        self._there = {file.name[:8]: file.stem for file in self.parts()}
        try:
            yield
        finally:
            self._claims.close()
            self._claims = None

    def _note(self, identity: Asked) -> None:
        meanings = json.loads(columns.metadata(TABLE)[columns.KEY])["columns"]
        record = {"sweep": identity.key, **identity.said, "columns": meanings}
        try:
            write(self.place / ASKED, files.document(record), replace=False)
        except FileExistsError:
            # Another command may have begun another sweep since `check`.
            self._check_same(identity)

    def has(self, batch: Batch) -> bool:
        """Whether a batch's part is there and intact."""
        known = self._there.get(batch.name[:8], batch.name)
        if known != batch.name:
            raise RequestError(
                f"{self.place}: part {known} has other cells than requested now, so a file "
                "that the sweep reads has changed since; name another folder"
            )
        return files.is_intact(self._part(batch))

    def claim(self, batch: Batch) -> bool:
        """Whether this command is to run a batch: no other is at work on it."""
        assert self._claims is not None
        return self._claims.take(batch.number)

    def put(self, batch: Batch, part: bytes) -> None:
        """Keeps a batch's rows. Raises SimulationError where they cannot be written."""
        with self._failing():
            write(self._part(batch), part)
            self._failure(batch).unlink(missing_ok=True)
        self.release(batch)

    def fail(self, batch: Batch, error: str) -> None:
        """Notes why a batch has no rows. The next command tries it again."""
        with self._failing():
            text = f"{error}\n{files.FIELD}: {files.BLANK}\n"
            write(self._failure(batch), files.seal(text.encode()))
        self.release(batch)

    def release(self, batch: Batch) -> None:
        """Gives a claim back."""
        assert self._claims is not None
        self._claims.release(batch.number)

    def finish(self, came_to: Mapping[str, Any]) -> None:
        """Notes that all parts are there, and what the sweep came to."""
        record = {"parts": len(self.parts()), **came_to}
        with self._failing():
            write(self.place / COMPLETE, files.document(record))

    def put_report(self, page: str) -> None:
        """Replaces the page to read. Raises SimulationError where it cannot be written."""
        with self._failing():
            write(self.place / REPORT, files.seal((page + files.comment()).encode()))

    def _part(self, batch: Batch) -> pathlib.Path:
        return self.place / PARTS / f"{batch.name}.parquet"

    def _failure(self, batch: Batch) -> pathlib.Path:
        return self.place / FAILED / f"{batch.name}.txt"

    @contextlib.contextmanager
    def _failing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise SimulationError(
                f"{self.place}: cannot be written: {error.strerror}; finished runs are kept, and "
                "the same command resumes the sweep"
            ) from None


def _why(failure: pathlib.Path) -> str:
    """Why a batch has no rows, without the digest."""
    text = input_files.content(failure, input_files.MAX_RESULT_BYTES).decode(errors="replace")
    return text.rpartition(files.FIELD)[0].strip() or text.strip()


_FIELDS = {ASKED: {"sweep", "variants"}, COMPLETE: {"sweep", "parts", "collapsed"}}
"""What the documents of a folder have, whoever sealed them."""


def _difference(there: Document, here: Document) -> str:
    """The first field in which two sweeps differ, with both values where these are short."""
    for name in here:
        was, now = there.get(name), here[name]
        if was == now:
            continue
        if isinstance(was, dict) and isinstance(now, dict):
            names = [*now, *(key for key in was if key not in now)]
            name = next(key for key in names if was.get(key) != now.get(key))
            was, now = was.get(name), now.get(name)
        texts = [json.dumps(value, ensure_ascii=False) for value in (was, now)]
        short = all(len(text) <= LONGEST_VALUE for text in texts)
        return f"`{name}` is {texts[0]} there and {texts[1]} here" if short else f"`{name}` differs"
    return "its key differs"


@dataclass(frozen=True)
class Swept(metaclass=Public):
    """The rows of a sweep, and what there is to say of it."""

    store: Store
    cells: int
    """How many cells there are, those that collapsed included."""
    ran: int
    """How many runs this call has made; others were there already."""
    collapsed: Mapping[str, int]
    """How many cells a parameter did not change, so that they are not run a second time."""
    failures: list[str] = field(repr=False)
    """Why batches have no rows; the same call tries them again."""
    interrupted: bool = False
    """Whether Ctrl-C ended it. The same call goes on from there."""

    def scan(self) -> "pl.LazyFrame":
        """All rows in the order of cells, read as far as needed."""
        return self.store.scan()

    @property
    def frame(self) -> "pl.DataFrame":
        """All rows, in memory."""
        return self.scan().collect()

    @property
    def errors(self) -> "pl.DataFrame":
        """The rows of scenarios that failed."""
        import polars as pl

        return self.scan().filter(pl.col("error").is_not_null()).collect()

    @property
    def height(self) -> int:
        """How many rows there are."""
        import polars as pl

        count: int = self.scan().select(pl.len()).collect().item()
        return count

    def to_dict(self) -> dict[str, Any]:
        """As `--json` has it, without the rows."""
        return {
            "folder": str(self.store.place),
            "cells": self.cells,
            "rows": self.height,
            "ran": self.ran,
            "errors": self.errors.height,
            "collapsed": dict(self.collapsed),
            "failures": self.failures,
            "set_aside": self.store.set_aside,
            "interrupted": self.interrupted,
            "warnings": list(self.omissions.all),
        }

    @property
    def omissions(self) -> stack.Omissions:
        """What the presets of the rows leave out."""
        rows = self.scan().select("stack", "startup", "cc", "size_bytes")
        return stack.omissions_of_rows(rows)

    def __repr__(self) -> str:
        state = "interrupted, " if self.interrupted else ""
        counts = f"{self.cells} cells, {self.height} rows"
        return f"{type(self).__name__}({str(self.store.place)!r}, {state}{counts})"
