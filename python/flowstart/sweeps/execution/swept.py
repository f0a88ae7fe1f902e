"""What a sweep has come to."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from flowstart.sweeps.execution.store import Store

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Swept:
    """The rows of a sweep, and what there is to say of it."""

    store: Store
    cells: int
    """How many cells there are, those that collapsed included."""
    ran: int
    """How many runs this call has made; others were there already."""
    collapsed: Mapping[str, int]
    """How many cells a parameter did not change, so that they are not run a second time."""
    failures: list[str] = field(repr=False)
    """Why batches have no rows; the same call tries them again."""
    interrupted: bool = False
    """Whether Ctrl-C ended it. The same call goes on from there."""

    def scan(self) -> "pl.LazyFrame":
        """All rows in the order of cells, read as far as needed."""
        return self.store.scan()

    @property
    def frame(self) -> "pl.DataFrame":
        """All rows, in memory."""
        return self.scan().collect()

    @property
    def errors(self) -> "pl.DataFrame":
        """The rows of scenarios that failed."""
        import polars as pl

        return self.scan().filter(pl.col("error").is_not_null()).collect()

    @property
    def height(self) -> int:
        """How many rows there are."""
        import polars as pl

        count: int = self.scan().select(pl.len()).collect().item()
        return count

    def to_dict(self) -> dict[str, Any]:
        """As `--json` has it, without the rows."""
        return {
            "folder": str(self.store.place),
            "cells": self.cells,
            "rows": self.height,
            "ran": self.ran,
            "errors": self.errors.height,
            "collapsed": dict(self.collapsed),
            "failures": self.failures,
            "set_aside": self.store.set_aside,
            "interrupted": self.interrupted,
        }

    def __repr__(self) -> str:
        state = "interrupted, " if self.interrupted else ""
        counts = f"{self.cells} cells, {self.height} rows"
        return f"{type(self).__name__}({str(self.store.place)!r}, {state}{counts})"
