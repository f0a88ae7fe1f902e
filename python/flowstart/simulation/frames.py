"""The simulator's tables as polars frames with types that do not depend on the values."""

import functools
from typing import TYPE_CHECKING, Any

from flowstart.public import RETURNED, Public

if TYPE_CHECKING:
    import polars as pl

    from flowstart._native import Arrays, Outcomes, Table


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


class RunTables(metaclass=Public):
    """The tables of an outcome as frames, each made when it is first asked for."""

    __signature__ = RETURNED

    outcome: "Outcomes"

    @functools.cached_property
    def frame(self) -> "pl.DataFrame":
        """One row per flow."""
        return frame(self.outcome["flows"])

    @functools.cached_property
    def transfers(self) -> "pl.DataFrame":
        """One row per application write, for flows that have `writes`."""
        return frame(self.outcome["transfers"])

    @functools.cached_property
    def objects(self) -> "pl.DataFrame":
        """One row per object of web sessions; `flow` is its response among the flows."""
        return frame(self.outcome["objects"])

    @functools.cached_property
    def links(self) -> "pl.DataFrame":
        """One row per link."""
        return frame(self.outcome["links"])

    @functools.cached_property
    def startups(self) -> "pl.DataFrame":
        """One row per flow with an `available_rate`: how soon it reached that, at what cost."""
        return frame(self.outcome["startups"])

    @functools.cached_property
    def limits(self) -> "pl.DataFrame":
        """One row per flow: the share of its time in which each reason kept it from sending."""
        return frame(self.outcome["limits"])

    @functools.cached_property
    def goodputs(self) -> "pl.DataFrame":
        """One row per flow and measured rate: `within` and `speed_tests` of the scenario."""
        return frame(self.outcome["goodputs"])

    @functools.cached_property
    def delays(self) -> "pl.DataFrame":
        """One row per flow with a `source`: the delays of its writes."""
        return frame(self.outcome["delays"])

    @functools.cached_property
    def handshakes(self) -> "pl.DataFrame":
        """One row per flow whose handshake is made of packets: its times, packets and bytes."""
        return frame(self.outcome["handshakes"])
