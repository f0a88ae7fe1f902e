"""The tables that one run and many runs have alike."""

import functools
from typing import TYPE_CHECKING

from flowstart.simulation import frames

if TYPE_CHECKING:
    import polars as pl

    from flowstart._native import Outcomes


class RunTables:
    """The tables of an outcome as frames, each made when it is first asked for."""

    outcome: "Outcomes"

    @functools.cached_property
    def frame(self) -> "pl.DataFrame":
        """One row per flow."""
        return frames.frame(self.outcome["flows"])

    @functools.cached_property
    def transfers(self) -> "pl.DataFrame":
        """One row per application write, for flows that have `writes`."""
        return frames.frame(self.outcome["transfers"])

    @functools.cached_property
    def objects(self) -> "pl.DataFrame":
        """One row per object of web sessions; `flow` is its response among the flows."""
        return frames.frame(self.outcome["objects"])

    @functools.cached_property
    def links(self) -> "pl.DataFrame":
        """One row per link."""
        return frames.frame(self.outcome["links"])

    @functools.cached_property
    def startups(self) -> "pl.DataFrame":
        """One row per flow with an `available_rate`: how soon it reached that, at what cost."""
        return frames.frame(self.outcome["startups"])
