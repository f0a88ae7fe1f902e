"""Tables as the bytes of files."""

import io
import json
from typing import TYPE_CHECKING

from flowstart.render import columns as definitions

if TYPE_CHECKING:
    import polars as pl


def columns(frame: "pl.DataFrame", name: str, table: str) -> dict[str, bytes]:
    """A frame as Parquet, which says what the columns of `table` hold, and as CSV."""
    parquet = io.BytesIO()
    frame.write_parquet(parquet, metadata=definitions.metadata(table))
    return {f"{name}.parquet": parquet.getvalue(), f"{name}.csv": frame.write_csv().encode()}


def encoded(document: object) -> bytes:
    """A document as JSON text."""
    return json.dumps(document, indent=1, allow_nan=False, ensure_ascii=False).encode() + b"\n"
