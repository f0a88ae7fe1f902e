"""The simulator's columns as polars frames with types that do not depend on the values."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

    from flowstart._native import Columns


def frame(columns: "Columns") -> "pl.DataFrame":
    """A frame of `columns`; one without any value gets the type that its name tells."""
    import polars as pl

    found = pl.DataFrame(columns, infer_schema_length=None)
    empty = [name for name, dtype in found.schema.items() if dtype == pl.Null]
    return found.with_columns(pl.col(name).cast(_type_by_name(name)) for name in empty)


def samples(columns: "Columns") -> "pl.DataFrame":
    """A frame of a trace, in which what is no number is null."""
    import polars as pl

    return pl.DataFrame(columns).with_columns(pl.col(pl.Float64).fill_nan(None))


def _type_by_name(name: str) -> "type[pl.DataType]":
    """Every column of a row that may be null ends in its unit, is a flow, or is a word."""
    import polars as pl

    if name.endswith(("_s", "_pkts")) or name == "slowdown":
        return pl.Float64
    return pl.Int64 if name.endswith("_bytes") or name in ("flow", "loss_rounds") else pl.String


def rows(columns: "Columns") -> list[dict[str, Any]]:
    """The same as one dictionary per row, without polars."""
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
