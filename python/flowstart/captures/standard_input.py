"""The standard input: its first bytes show what it is, and readers that need a file get one."""

import dataclasses
import os
import pathlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from flowstart.captures import kinds, sources
from flowstart.errors import RequestError

if TYPE_CHECKING:
    from flowstart.captures.contents import Capture

PATH, NAME = "-", "the standard input"
DESCRIPTOR = 0


def beginning() -> bytes:
    """As many first bytes as show what it is; the rest is left to be read.

    Ctrl-C ends the program that writes to a pipe as well, so the first one does not end this.
    """
    start, is_patient = b"", True
    while len(start) < sources.START and not kinds.is_capture(start):
        try:
            block = _read(sources.START - len(start))
        except KeyboardInterrupt:
            if not is_patient:
                raise
            is_patient = False
            continue
        if not block:
            break
        start += block
    return start


def _read(size: int) -> bytes:
    """The next bytes, at most so many. Raises RequestError where it is closed, or a folder."""
    try:
        return os.read(DESCRIPTOR, size)
    except OSError as error:
        raise RequestError(f"{NAME} cannot be read: {error.strerror}; name a file") from None


def kind_of(start: bytes) -> kinds.FileKind:
    """What it is. Raises RequestError where nothing reads it."""
    kind = kinds.of_start(start) if start else kinds.EMPTY
    if kind.reader is kinds.Reader.NONE:
        raise RequestError(f"{NAME} is {kind.refusal}")
    return kind


@contextmanager
def kept(start: bytes) -> Iterator[str]:
    """A file with all of it for the time being; errors name the standard input."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "stdin"
        with file.open("wb") as stream:
            block = start
            while block:
                stream.write(block)
                block = _read(sources.BLOCK)
        try:
            yield str(file)
        except RequestError as error:
            raise RequestError(error.message.replace(str(file), NAME)) from None


def renamed(capture: "Capture", file: str) -> "Capture":
    """What was read of a kept file, by the name of the standard input."""
    import polars as pl

    names = pl.col("file", "network").str.replace_all(file, PATH, literal=True)
    return dataclasses.replace(
        capture,
        files=(PATH,),
        connections=capture.connections.with_columns(names),
        groups=[
            dataclasses.replace(group, network=group.network.replace(file, PATH))
            for group in capture.groups
        ],
        warnings=[line.replace(file, NAME) for line in capture.warnings],
        notes=[line.replace(file, NAME) for line in capture.notes],
    )
