"""Two columns of cells as a plane of tiles, and who is best in each tile."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from flowstart import text
from flowstart.errors import RequestError
from flowstart.maps.outcomes import DIMENSIONS, UNKNOWN, Dimension, Floats, Numbers, Outcomes

if TYPE_CHECKING:
    import polars as pl

AXES: dict[str, tuple[str, str, Callable[[float], str]]] = {
    "rate": ("rate_bps", "rate", text.rate),
    "rtt": ("rtt_s", "round trip", text.seconds),
    "buffer": ("buffer_pkts", "buffer (packets)", text.count),
    "buffer-bdp": ("buffer_bdp", "buffer (BDP)", text.ratio),
    "bdp": ("bdp_pkts", "BDP (packets)", text.count),
    "size": ("size_bytes", "size", text.size),
    "loss": ("loss", "random loss", lambda share: f"{100 * share:.3g} %"),
    "reverse-rate": ("reverse_rate_bps", "reverse rate", text.rate),
}
"""What an axis may show: the column, its title, and how a value is written."""
Ticks: TypeAlias = tuple[tuple[float, str], ...]
"""Where words stand along an axis, in tiles from its beginning, and the words."""
MOST_VALUES = 20
"""More values than these are not a tile each, but classes of equal ratio."""
TILES = 14
"""Into so many at most."""
CELLS = 6
"""So many cells a tile has on average at least, where values are in classes."""
MOST_PANELS = 4
"""Side by side, and as many below each other."""


@dataclass(frozen=True)
class Axis:
    """One side of the plane, in tiles."""

    name: str
    title: str
    count: int
    """How many tiles it has."""
    places: Numbers
    """For each cell its tile."""
    ticks: Ticks


@dataclass(frozen=True)
class Tile:
    """One tile of a panel."""

    x: int
    y: int
    cells: int
    winner: int
    """The startup with the least mean regret."""
    regret: float
    """Its geometric mean."""
    within: tuple[int, ...]
    """The startups within the margin of it, itself among them."""
    means: tuple[float, ...]
    """The geometric mean regrets of all startups."""


@dataclass(frozen=True)
class Plane:
    """Two axes, and the kinds of cells that have a panel each."""

    x: Axis
    y: Axis
    across: Dimension
    down: Dimension

    def tiles(self, outcomes: Outcomes, margin: float, column: int, row: int) -> list[Tile]:
        """The tiles of a panel that have cells."""
        own = (self.across.places == column) & (self.down.places == row)
        numbers = self.y.places[own] * self.x.count + self.x.places[own]
        if not numbers.size:
            return []
        order = np.argsort(numbers, kind="stable")
        weights = outcomes.weights[own][order]
        logs = np.log(outcomes.regret[own][order]) * weights[:, None]
        present, starts = np.unique(numbers[order], return_index=True)
        counts = np.diff([*starts, len(numbers)])
        sums = np.add.reduceat(logs, starts, axis=0)
        means = np.exp(sums / np.add.reduceat(weights, starts)[:, None])
        return [
            _tile(int(number) % self.x.count, int(number) // self.x.count, int(count), mean, margin)
            for number, count, mean in zip(present, counts, means, strict=True)
        ]

    def panels(self) -> Iterator[tuple[int, int]]:
        """The columns and rows of panels."""
        for row in range(len(self.down.kinds)):
            for column in range(len(self.across.kinds)):
                yield column, row

    def document(self, outcomes: Outcomes, margin: float) -> dict[str, Any]:
        """The plane with its tiles as JSON has it."""
        return {
            **{name: _axis(axis) for name, axis in (("x", self.x), ("y", self.y))},
            "panels": [
                {
                    self.across.name: self.across.kinds[column],
                    self.down.name: self.down.kinds[row],
                    "tiles": [
                        {
                            "x": tile.x,
                            "y": tile.y,
                            "cells": tile.cells,
                            "winner": outcomes.startups[tile.winner],
                            "regret": tile.regret,
                            "within": [outcomes.startups[index] for index in tile.within],
                        }
                        for tile in self.tiles(outcomes, margin, column, row)
                    ],
                }
                for column, row in self.panels()
            ],
        }


def _axis(axis: Axis) -> dict[str, Any]:
    ticks = [{"at": at, "label": words} for at, words in axis.ticks]
    return {"name": axis.name, "title": axis.title, "tiles": axis.count, "ticks": ticks}


def _tile(x: int, y: int, cells: int, means: Floats, margin: float) -> Tile:
    winner = int(means.argmin())
    near = np.flatnonzero(means <= (1 + margin) * means[winner])
    within = tuple(near.tolist())
    return Tile(x, y, cells, winner, float(means[winner]), within, tuple(means.tolist()))


def plane(
    cells: "pl.DataFrame", x: str = "rate", y: str = "rtt", col: str = "queue", row: str = "size"
) -> Plane:
    """The plane with the axes `x` and `y`, and panels by `col` side by side, by `row` below.

    Raises RequestError where a name is none that it may be.
    """
    for option, name in (("x", x), ("y", y)):
        if name not in AXES:
            raise RequestError(
                f"`{name}` is not an axis; one of {', '.join(AXES)} is needed", (option,)
            )
    if x == y:
        raise RequestError(f"`{y}` is the x axis already; another one is needed", ("y",))
    for option, name in (("col", col), ("row", row)):
        if name not in DIMENSIONS:
            known = ", ".join(DIMENSIONS)
            raise RequestError(f"`{name}` makes no panels; one of {known} does", (option,))
    across, down = (_panels(cells, name) for name in (col, row))
    share = len(cells) / (len(across.kinds) * len(down.kinds))
    return Plane(_of(cells, x, share), _of(cells, y, share), across, down)


def _panels(cells: "pl.DataFrame", name: str) -> Dimension:
    """The kinds that have panels; the last of too many together."""
    dimension = DIMENSIONS[name](cells)
    if len(dimension.kinds) <= MOST_PANELS:
        return dimension
    kinds = (*dimension.kinds[: MOST_PANELS - 1], "others")
    return Dimension(name, kinds, np.minimum(dimension.places, MOST_PANELS - 1))


def _of(cells: "pl.DataFrame", name: str, share: float) -> Axis:
    """An axis; cells without a value of it are in a tile of their own, the last."""
    column, title, words = AXES[name]
    values = cells[column].to_numpy().astype(np.float64)
    unknown = np.isnan(values)
    known = values[~unknown]
    if len(np.unique(known)) <= MOST_VALUES:
        count, places, ticks = _values(known, words)
    else:
        count = int(np.clip(math.sqrt(share / CELLS), 3, TILES))
        places, ticks = _classes(known, words, count)
    tiles = np.full(len(values), count)
    tiles[~unknown] = places
    if unknown.any():
        ticks, count = (*ticks, (count + 0.5, UNKNOWN)), count + 1
    return Axis(name, title, count, tiles, ticks)


def _values(values: Floats, words: Callable[[float], str]) -> tuple[int, Numbers, Ticks]:
    """A tile for each value: how many there are, where each cell is, and the words."""
    own, places = np.unique(values, return_inverse=True)
    ticks = tuple((i + 0.5, text.brief(words(value))) for i, value in enumerate(own.tolist()))
    return len(own), places.astype(np.int64), ticks


def _classes(values: Floats, words: Callable[[float], str], count: int) -> tuple[Numbers, Ticks]:
    """Values in classes: of equal ratio where all are above 0, else of equal width."""
    is_log = bool(values.min() > 0)
    scaled = np.log10(values) if is_log else values
    low, high = float(scaled.min()), float(scaled.max())
    step = (high - low) / count
    places = np.clip(((scaled - low) / step).astype(np.int64), 0, count - 1)
    ticks = tuple(
        ((at - low) / step, text.brief(words(10**at if is_log else at)))
        for at in (_decades(low, high) if is_log else np.linspace(low, high, 4).tolist())
    )
    return places, ticks


def _decades(low: float, high: float) -> list[float]:
    """Logarithms of round numbers between two: 1, 10, 100, and 3 or 2 and 5 where those are few."""
    for digits in ((1,), (1, 3), (1, 2, 5)):
        decades = [
            decade + math.log10(digit)
            for decade in range(math.floor(low), math.ceil(high) + 1)
            for digit in digits
            if low <= decade + math.log10(digit) <= high
        ]
        if len(decades) >= 2:
            break
    return decades
