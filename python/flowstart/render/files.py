"""Tables as the bytes of files."""

import io
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


def columns(frame: "pl.DataFrame", name: str) -> dict[str, bytes]:
    """A frame as Parquet and as CSV."""
    parquet = io.BytesIO()
    frame.write_parquet(parquet)
    return {f"{name}.parquet": parquet.getvalue(), f"{name}.csv": frame.write_csv().encode()}


def encoded(document: object) -> bytes:
    """A document as JSON text."""
    return json.dumps(document, indent=1, allow_nan=False, ensure_ascii=False).encode() + b"\n"
