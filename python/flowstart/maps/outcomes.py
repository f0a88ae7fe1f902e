"""What a sweep's cells came to under every startup, by kind and by weight."""

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from flowstart import text
from flowstart.model.stack import DEFAULT
from flowstart.render.columns import CLASSES

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
        best: Floats = self.times.min(axis=1)
        return best

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
    cells = cells.with_columns(turn)
    for name, columns in (("line", LINE), ("case", (*CASE, "turn"))):
        first = pl.col("cell").first().over(*columns)
        cells = cells.with_columns(first.rank("dense").cast(pl.Int64).alias(name) - 1)
    return cells.drop("turn")


OVERALL = "all"
"""The dimension, and the kind, that all cells are of."""
FEW = 6
"""So many sizes are classes of their own."""
MOST = 12
"""Of a dimension with more kinds, those with the fewest cells are one."""
OTHERS = "others"
UNKNOWN = "no one value"
"""The kind of cells whose rate varies, or whose buffer has no limit."""

RATES = (("below 10 Mbps", 1e7), ("10 to 100 Mbps", 1e8), ("above 100 Mbps", None))
"""Classes of rates: name, and bits per second below."""
TRIPS = (("below 30 ms", 0.03), ("30 to 150 ms", 0.15), ("above 150 ms", None))
"""Classes of round trips: name, and seconds below."""
BUFFERS = (("below 0.5 BDP", 0.5), ("0.5 to 1.5 BDP", 1.5), ("above 1.5 BDP", None))
"""Classes of buffers: name, and bandwidth-delay products below."""
NEXT_PACKET = 0.999
"""What may have been lost of a buffer as it was rounded down to packets."""


@dataclass(frozen=True)
class Dimension:
    """A way to tell cells apart."""

    name: str
    kinds: tuple[str, ...]
    places: Numbers
    """For each cell the place of its kind."""

    def __iter__(self) -> Iterator[tuple[str, Flags]]:
        """The kinds, each with its cells."""
        for index, kind in enumerate(self.kinds):
            yield kind, self.places == index


def dimensions(cells: "pl.DataFrame") -> list[Dimension]:
    """The ways in which these cells differ, after the one in which they do not."""
    everything = Dimension(OVERALL, (OVERALL,), np.zeros(len(cells), dtype=np.int64))
    candidates = [told(cells) for told in DIMENSIONS.values()]
    return [everything, *(dimension for dimension in candidates if len(dimension.kinds) > 1)]


def sizes(cells: "pl.DataFrame") -> Dimension:
    """Sizes by themselves where they are few, or else the classes that replays have."""
    values = cells["size_bytes"].to_numpy()
    own = np.unique(values)
    if len(own) <= FEW:
        return Dimension(
            "size",
            tuple(text.size(int(size)) for size in own),
            np.searchsorted(own, values).astype(np.int64),
        )
    bounds = [below for _, _, below in CLASSES if below is not None]
    return _present("size", [name for name, *_ in CLASSES], np.digitize(values, bounds))


def _classes(
    name: str, column: str, classes: Sequence[tuple[str, float | None]]
) -> Callable[["pl.DataFrame"], Dimension]:
    return lambda cells: _in_class(name, cells[column].to_numpy().astype(np.float64), classes)


def _buffer(cells: "pl.DataFrame") -> Dimension:
    """By the buffer in BDPs. Half a BDP is written as whole packets, rounded down."""
    packets = cells["buffer_pkts"].to_numpy().astype(np.float64)
    before = cells["buffer_bdp"].to_numpy() * (1 + NEXT_PACKET / np.maximum(packets, 1))
    return _in_class("buffer", before, BUFFERS)


def _in_class(name: str, values: Floats, classes: Sequence[tuple[str, float | None]]) -> Dimension:
    bounds = [below for _, below in classes if below is not None]
    places = np.where(np.isnan(values), len(classes), np.digitize(values, bounds))
    return _present(name, [*(kind for kind, _ in classes), UNKNOWN], places)


def _words(name: str, column: str, empty: str) -> Callable[["pl.DataFrame"], Dimension]:
    """By a column of words: those with the most cells first, the rarest together."""

    def told(cells: "pl.DataFrame") -> Dimension:
        import polars as pl

        words = cells[column].fill_null("").replace("", empty)
        counts = words.value_counts().sort(["count", column], descending=[True, False])
        kinds = counts[column].to_list()
        if len(kinds) > MOST:
            kinds = [*kinds[: MOST - 1], OTHERS]
            known = pl.when(words.is_in(kinds)).then(words).otherwise(pl.lit(OTHERS))
            words = pl.select(known).to_series()
        places = words.replace_strict(kinds, list(range(len(kinds))), return_dtype=pl.Int64)
        return Dimension(name, tuple(kinds), places.to_numpy())

    return told


def _loss(cells: "pl.DataFrame") -> Dimension:
    """Whether packets are lost at random."""
    return _present("loss", ["no random loss", "random loss"], (cells["loss"] > 0).to_numpy())


def _present(name: str, kinds: Sequence[str], places: "np.typing.NDArray[np.generic]") -> Dimension:
    """A dimension without the kinds that no cell is of."""
    used, inverse = np.unique(places.astype(np.int64), return_inverse=True)
    return Dimension(name, tuple(kinds[index] for index in used), inverse.astype(np.int64))


DIMENSIONS: dict[str, Callable[["pl.DataFrame"], Dimension]] = {
    "size": sizes,
    "queue": _words("queue", "queue", "drop-tail"),
    "rate": _classes("rate", "rate_bps", RATES),
    "rtt": _classes("rtt", "rtt_s", TRIPS),
    "buffer": _buffer,
    "loss": _loss,
    "impairments": _words("impairments", "impairments", "none"),
    "competing": _words("competing", "competing", "alone"),
    "origin": _words("origin", "origin", "written"),
    "stack": _words("stack", "stack", DEFAULT),
    "cc": _words("cc", "cc", "usual"),
    "split": _words("split", "split", "no split"),
}
"""Every way to tell cells apart."""


Values: TypeAlias = NDArray[Any]

ROUNDING = 1e-9
"""What sums of weights may be off by, as a share of them."""


def means(values: Values, weights: Floats) -> Floats:
    """The mean of each column."""
    return np.asarray(np.average(values, axis=0, weights=weights), dtype=np.float64)


def geometric_means(values: Values, weights: Floats) -> Floats:
    """The geometric mean of each column."""
    return np.asarray(np.exp(means(np.log(values), weights)))


def quantiles(values: Floats, weights: Floats, shares: Sequence[float]) -> list[Floats]:
    """For each of `shares`, the least value of each column that so much of the weight is up to."""
    order = np.argsort(values, axis=0, kind="stable")
    ranked = np.take_along_axis(values, order, axis=0)
    up_to = np.cumsum(weights[order], axis=0)
    total = weights.sum()
    rows = [(up_to >= (share - ROUNDING) * total).argmax(axis=0) for share in shares]
    return [np.take_along_axis(ranked, row[None], axis=0)[0] for row in rows]


def grouped_means(
    values: Values, weights: Floats, groups: "NDArray[np.integer[Any]]", count: int
) -> Floats:
    """Means of each column over the rows of each of `count` groups, NaN without any."""
    order = np.argsort(groups, kind="stable")
    present, starts = np.unique(groups[order], return_index=True)
    grouped_means = np.full((count, values.shape[1]), np.nan)
    if len(present):
        own = weights[order]
        sums = np.add.reduceat(values[order] * own[:, None], starts, axis=0)
        grouped_means[present] = sums / np.add.reduceat(own, starts)[:, None]
    return grouped_means
