"""The simulator's tables as polars frames with types that do not depend on the values."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

    from flowstart._native import Arrays, Table


def frame(table: "Table") -> "pl.DataFrame":
    """A frame of a table."""
    import polars as pl

    return pl.DataFrame([_series(name, arrays) for name, arrays in table.arrays().items()])


def _series(name: str, arrays: "Arrays") -> "pl.Series":
    """A column of a table."""
    import polars as pl

    cells, present, words = arrays
    series = pl.Series(name, cells)
    if present is not None:
        series = series.zip_with(pl.Series(present), pl.Series(name, [None], dtype=series.dtype))
    if words is None:
        return series
    return pl.Series(name, words, dtype=pl.String).gather(series)


def samples(columns: "dict[str, Any]") -> "pl.DataFrame":
    """A frame of a trace, in which what is no number is null."""
    import polars as pl

    return pl.DataFrame(columns).with_columns(pl.col(pl.Float64).fill_nan(None))


def rows(table: "Table") -> list[dict[str, Any]]:
    """A table as one dictionary per row, without polars."""
    columns = table.lists()
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
