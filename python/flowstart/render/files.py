"""Tables as the bytes of files."""

import hashlib
import io
import json
import pathlib
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

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


def encoded(document: object) -> bytes:
    """A document as JSON text."""
    return json.dumps(document, indent=1, allow_nan=False, ensure_ascii=False).encode() + b"\n"


FIELD = "own_sha256"
"""How the field is called. Its last place in a file is the one that counts."""
BLANK = "0" * 64
"""What stands there before the digest is known."""
_VALUE = re.compile(rb"\W{2,4}([0-9a-f]{64})")
"""The field's value, after what the format puts between."""


def seal(content: bytes) -> bytes:
    """The content of a file with the digest in its blank field."""
    place = _place(content)
    if place is None:
        raise ValueError(f"the content has no field {FIELD}")
    digest = hashlib.sha256(content).hexdigest().encode()
    return content[:place] + digest + content[place + len(BLANK) :]


def document(said: dict[str, object]) -> bytes:
    """A document as sealed JSON text."""
    return seal(encoded({**said, FIELD: BLANK}))


def comment() -> str:
    """The blank field as it ends a page."""
    return f"<!-- {FIELD}: {BLANK} -->\n"


def is_intact(file: pathlib.Path) -> bool:
    """Whether a file is there and as it was sealed."""
    try:
        content = file.read_bytes()
    except OSError:
        return False
    place = _place(content)
    if place is None:
        return False
    end = place + len(BLANK)
    found = hashlib.sha256(content[:place])
    found.update(BLANK.encode())
    found.update(memoryview(content)[end:])
    return found.hexdigest().encode() == content[place:end]


def _place(content: bytes) -> int | None:
    """Where the field's value begins."""
    name = content.rfind(FIELD.encode())
    found = _VALUE.match(content, name + len(FIELD)) if name >= 0 else None
    return found.start(1) if found else None
