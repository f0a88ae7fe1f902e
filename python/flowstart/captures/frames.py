"""Columns of the reader in Rust as polars frames."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from flowstart._native import CaptureColumns


def frame(columns: "CaptureColumns") -> "pl.DataFrame":
    """The columns as a frame, emptied meanwhile so that nothing is in memory twice.

    NaN and the largest number of an integer type stand for no value.
    """
    import polars as pl

    found = []
    for name in list(columns):
        cells = columns.pop(name)
        found.append(_words(name, *cells) if isinstance(cells, tuple) else _numbers(name, cells))
    return pl.DataFrame(found)


def _numbers(name: str, cells: "NDArray[Any]") -> "pl.Series":
    import numpy as np
    import polars as pl

    series = pl.Series(name, cells)
    if series.dtype.is_float():
        return series.fill_nan(None)
    absent = series == np.iinfo(cells.dtype).max
    return series.set(absent, None) if absent.any() else series


def _words(name: str, numbers: "NDArray[Any]", words: Sequence[str]) -> "pl.Series":
    import polars as pl

    known = pl.Series(name, words, dtype=pl.String)
    if not words:
        return pl.Series(name, [None] * len(numbers), dtype=pl.String)
    return known.gather(_numbers(name, numbers)).alias(name)
