"""Tables as the bytes of files."""

import contextlib
import hashlib
import io
import json
import os
import pathlib
import re
from collections.abc import Callable, Iterator
from typing import IO, TYPE_CHECKING, TypeAlias

from flowstart.errors import RequestError
from flowstart.model import input_files
from flowstart.render import columns as definitions

if TYPE_CHECKING:
    import polars as pl


Content: TypeAlias = bytes | Callable[[pathlib.Path], None]
"""What a file holds, or what writes it."""


def columns(frame: "pl.DataFrame", name: str, table: str) -> dict[str, bytes]:
    """A frame as Parquet, which says what the columns of `table` hold, and as CSV."""
    parquet = io.BytesIO()
    frame.write_parquet(parquet, metadata=definitions.metadata(table))
    return {f"{name}.parquet": parquet.getvalue(), f"{name}.csv": frame.write_csv().encode()}


def streamed(frame: "pl.LazyFrame", name: str, table: str) -> "dict[str, Content]":
    """The same of a frame that may not fit into memory."""

    def parquet(file: pathlib.Path) -> None:
        frame.sink_parquet(file, metadata=definitions.metadata(table))

    return {f"{name}.parquet": parquet, f"{name}.csv": lambda file: frame.sink_csv(file)}


@contextlib.contextmanager
def completed(file: pathlib.Path) -> Iterator[pathlib.Path]:
    """A hidden file to write, which takes the place of `file` once it is complete."""
    partial = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        yield partial
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)


def encoded(document: object) -> bytes:
    """A document as JSON text."""
    return json.dumps(document, indent=1, allow_nan=False, ensure_ascii=False).encode() + b"\n"


FIELD = "own_sha256"
"""How the field is called. Its last place in a file is the one that counts."""
BLANK = "0" * 64
"""What stands there before the digest is known."""
BLOCK = 1 << 20
"""Bytes of a file that are held at a time."""
_VALUE = re.compile(rb"\W{2,4}([0-9a-f]{64})")
"""The field's value, after what the format puts between."""


def seal(content: bytes) -> bytes:
    """The content of a file with the digest in its blank field."""
    position = _place(io.BytesIO(content))
    if position is None:
        raise ValueError(f"the content has no field {FIELD}")
    digest = hashlib.sha256(content).hexdigest().encode()
    return content[:position] + digest + content[position + len(BLANK) :]


def document(said: dict[str, object]) -> bytes:
    """A document as sealed JSON text."""
    return seal(encoded({**said, FIELD: BLANK}))


def comment() -> str:
    """The blank field as it ends a page."""
    return f"<!-- {FIELD}: {BLANK} -->\n"


def is_intact(file: pathlib.Path) -> bool:
    """Whether a file is there and as it was sealed. Holds one block of it at a time."""
    try:
        input_files.check(file)
        with file.open("rb") as stream:
            position = _place(stream)
            if position is None:
                return False
            digest = hashlib.sha256()
            for block in _blocks(stream, 0, position):
                digest.update(block)
            digest.update(BLANK.encode())
            value = stream.read(len(BLANK))
            for block in _blocks(stream, position + len(BLANK)):
                digest.update(block)
    except (OSError, RequestError):
        return False
    return digest.hexdigest().encode() == value


def _place(stream: IO[bytes]) -> int | None:
    """Where the field's value begins."""
    name = _last(stream, FIELD.encode())
    if name < 0:
        return None
    stream.seek(name + len(FIELD))
    value = _VALUE.match(stream.read(4 + len(BLANK)))
    return name + len(FIELD) + value.start(1) if value else None


def contains(file: pathlib.Path, text: bytes) -> bool:
    """Whether the text is anywhere in a file."""
    with file.open("rb") as stream:
        return _last(stream, text) >= 0


def _last(stream: IO[bytes], text: bytes) -> int:
    """The last position of the text; negative where it is not there."""
    last, end, tail = -1, 0, b""
    for block in _blocks(stream, 0):
        window, end = tail + block, end + len(block)
        if (position := window.rfind(text)) >= 0:
            last = end - len(window) + position
        tail = window[1 - len(text) :]
    return last


def _blocks(stream: IO[bytes], begin: int, end: int | None = None) -> Iterator[bytes]:
    """The bytes from `begin` to `end`, or to the last one."""
    stream.seek(begin)
    while block := stream.read(BLOCK if end is None else min(BLOCK, end - stream.tell())):
        yield block
