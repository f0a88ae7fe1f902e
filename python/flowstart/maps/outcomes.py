"""What every startup came to in every cell of a sweep, as matrices of cells × startups."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars as pl

Floats: TypeAlias = NDArray[np.float64]
Shares: TypeAlias = NDArray[np.float32]
Flags: TypeAlias = NDArray[np.bool_]
Numbers: TypeAlias = NDArray[np.int64]

UNFINISHED = 100.0
"""At least so much regret counts where a transfer was never completed."""
LINE = ("origin", "rate_bps", "rtt_s")
"""Cells that have these in common may depend on each other."""
CASE = (
    *LINE,
    *(
        "buffer_pkts",
        "split",
        "stack",
        "cc",
        "queue",
        "loss",
        "reverse_rate_bps",
        "impairments",
    ),
    "size_bytes",
)
"""Cells that have these in common differ in their competing flows and their seed only."""


@dataclass(frozen=True)
class LeftOut:
    """What is in the sweep and counts nowhere."""

    missing: "pl.DataFrame"
    """The cells in which startups have no outcome: `cell`, `hash`, and `startups`, their names."""
    hopeless: int = 0
    """In how many cells no startup completed its transfer."""


@dataclass(frozen=True)
class Outcomes:
    """The cells that all startups have in common, and what these came to in them."""

    startups: tuple[str, ...]
    cells: "pl.DataFrame"
    """One row per cell: its columns that no startup changes; `line` and `case`, which number
    the cells that have `LINE` and `CASE` in common; and `question`, which cells have in common that
    differ in their seed only."""
    times: Floats
    """Completion times in seconds; `inf` where a transfer was never completed."""
    retransmitted: Shares
    """Shares of packets that repeat others."""
    harm: Shares
    """Harm to whoever is beside it; NaN where nobody is."""
    left_out: LeftOut

    @functools.cached_property
    def weights(self) -> Floats:
        """What each cell counts: the seeds of a question together as much as a single one.

        A sweep runs one seed where nothing is drawn, so questions have different numbers of them.
        """
        _, places, counts = np.unique(
            self.numbers("question"), return_inverse=True, return_counts=True
        )
        return np.asarray(1.0 / counts[places])

    @functools.cached_property
    def best(self) -> Floats:
        """The least completion time of each cell, in seconds."""
        found: Floats = self.times.min(axis=1)
        return found

    @functools.cached_property
    def raw_regret(self) -> Floats:
        """Completion times over the least of their cell; `inf` where never completed."""
        return self.times / self.best[:, None]

    @functools.cached_property
    def penalty(self) -> float:
        """What a transfer that was never completed counts: no less than any that was."""
        regret = self.raw_regret
        return max(UNFINISHED, float(regret[np.isfinite(regret)].max(initial=1.0)))

    @functools.cached_property
    def regret(self) -> Floats:
        """The same, with the penalty where a transfer was never completed."""
        return np.minimum(self.raw_regret, self.penalty)

    def ties(self, margin: float) -> Flags:
        """Which startups took at most `margin` longer than the best of their cell."""
        return np.asarray(self.raw_regret <= 1 + margin)

    def numbers(self, column: str) -> Numbers:
        """A column of whole numbers of the cells."""
        return self.cells[column].to_numpy().astype(np.int64)

    def where(self, cells: Flags) -> "Outcomes":
        """The same with some of the cells."""
        return self._of(cells, slice(None), self.startups)

    def among(self, startups: Sequence[str]) -> "Outcomes":
        """The same as if the sweep had these startups only, in the order given."""
        places = [self.startups.index(name) for name in startups]
        return self._of(slice(None), places, tuple(startups))

    def _of(
        self, cells: Flags | slice, places: list[int] | slice, startups: tuple[str, ...]
    ) -> "Outcomes":
        import polars as pl

        kept = self.cells if isinstance(cells, slice) else self.cells.filter(pl.Series(cells))
        return Outcomes(
            startups,
            kept,
            self.times[cells][:, places],
            self.retransmitted[cells][:, places],
            self.harm[cells][:, places],
            self.left_out,
        )


def numbered(cells: "pl.DataFrame") -> "pl.DataFrame":
    """Cells, whose `question` is known, with `line` and `case`.

    What a sweep varies beside the columns of `CASE`, such as the size of an impairment, comes in
    the same order for every kind of competing flows: the first of one kind belongs to the first of
    another.
    """
    import polars as pl

    turn = pl.col("question").rank("dense").over(*CASE, "competing").alias("turn")
    found = cells.with_columns(turn)
    for name, columns in (("line", LINE), ("case", (*CASE, "turn"))):
        first = pl.col("cell").first().over(*columns)
        found = found.with_columns(first.rank("dense").cast(pl.Int64).alias(name) - 1)
    return found.drop("turn")
