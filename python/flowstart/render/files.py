"""Tables as the bytes of files."""

import io
import json
import pathlib
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
