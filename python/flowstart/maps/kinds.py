"""The kinds of cells that are told apart: by size, queue, rate and whatever a sweep varies."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from flowstart.maps.outcomes import Flags, Floats, Numbers
from flowstart.render import text
from flowstart.render.size_classes import CLASSES

if TYPE_CHECKING:
    import polars as pl

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
        for place, kind in enumerate(self.kinds):
            yield kind, self.places == place


def dimensions(cells: "pl.DataFrame") -> list[Dimension]:
    """The ways in which these cells differ, after the one in which they do not."""
    everything = Dimension(OVERALL, (OVERALL,), np.zeros(len(cells), dtype=np.int64))
    found = [told(cells) for told in DIMENSIONS.values()]
    return [everything, *(dimension for dimension in found if len(dimension.kinds) > 1)]


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
    used, found = np.unique(places.astype(np.int64), return_inverse=True)
    return Dimension(name, tuple(kinds[place] for place in used), found.astype(np.int64))


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
    "stack": _words("stack", "stack", "rfc"),
    "cc": _words("cc", "cc", "usual"),
    "split": _words("split", "split", "no split"),
}
"""Every way to tell cells apart."""
