"""What statistics are made of: questions about transfers, most of them with yes or no as answer.

A component is the share of a group's transfers to which the answer is yes (below a quantile, or
hurt), or the mean of a number that each has. It is kept per transfer, so that it can be summed up
by cluster.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from flowstart.inference.clusters import LEFT_OUT, Column, Floats, Part
from flowstart.inference.data import Group

Chosen = NDArray[np.bool_]
"""Which transfers of a group are compared."""


@dataclass(frozen=True)
class Ranked:
    """Values of the compared transfers in rising order."""

    order: NDArray[np.int64]
    values: Floats

    def rank(self, p: float) -> int:
        """The place of the quantile `p`, by nearest rank."""
        return round(p * (len(self.values) - 1))

    def at(self, p: float, shifts: Floats) -> Floats:
        """The values whose ranks are away from that of `p` by shares of all transfers.

        Rounded away from it; NaN beyond the first or last value.
        """
        steps = np.sign(shifts) * np.ceil(np.abs(shifts) * len(self.values) - 1e-9)
        places = self.rank(p) + steps
        inside = (places >= 0) & (places < len(self.values))
        found = self.values[np.where(inside, places, 0).astype(np.int64)]
        return np.where(inside, found, np.nan)


@dataclass
class Components:
    """The components of one group, each made once."""

    group: Group
    shuffled: NDArray[np.int64]
    """The transfers in random order, which is that of equal values, for all variants the same."""
    columns: list[Column] = field(default_factory=list)
    _ranked: dict[object, Ranked] = field(default_factory=dict)
    _below: dict[object, int] = field(default_factory=dict)

    def ranked(self, key: object, values: Floats, compared: Chosen) -> Ranked:
        """The compared transfers by `values`, which are known as `key`."""
        if key not in self._ranked:
            chosen = self.shuffled[compared[self.shuffled]]
            order = chosen[np.argsort(values[chosen], kind="stable")]
            self._ranked[key] = Ranked(order, values[order])
        return self._ranked[key]

    def below(self, key: object, p: float) -> int:
        """The column that tells who is at or below the quantile `p` of the values at `key`."""
        if (key, p) not in self._below:
            ranked = self._ranked[key]
            column = np.full(len(self.shuffled), LEFT_OUT, dtype=np.int8)
            column[ranked.order] = 0
            column[ranked.order[: ranked.rank(p) + 1]] = 1
            self._below[key, p] = self._add(column)
        return self._below[key, p]

    def where(self, answers: Chosen, compared: Chosen) -> int:
        """The column of answers that are known."""
        return self._add(np.where(compared, answers, LEFT_OUT).astype(np.int8))

    def values(self, values: Floats, compared: Chosen) -> int:
        """The column of numbers that are known."""
        return self._add(np.where(compared, values, np.nan))

    def part(self) -> Part:
        """All columns, ready to be summed up."""
        return Part(tuple(self.columns), self.group.clusters)

    def _add(self, column: Column) -> int:
        self.columns.append(column)
        return len(self.columns) - 1
