"""Completion times of transfers by variant, as inference takes them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from flowstart.inference import Group
from flowstart.render.size_classes import CLASSES

if TYPE_CHECKING:
    import polars as pl

Floats: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = NDArray[np.int64]

EVERYTHING = "all sizes"


class Times:
    """Completion times in seconds by variant and transfer; `inf` where one was never done."""

    def __init__(self) -> None:
        self._parts: dict[str, list[tuple[Numbers, Floats]]] = {}

    def add(self, rows: "pl.DataFrame") -> None:
        """Takes in rows with `variant`, `transfer` and `fct_s`."""
        import polars as pl

        taken = rows.select("variant", "transfer", pl.col("fct_s").fill_null(float("inf")))
        taken = taken.sort("transfer")
        for (variant,), part in taken.partition_by("variant", as_dict=True).items():
            pair = (part["transfer"].to_numpy(), part["fct_s"].to_numpy())
            self._parts.setdefault(str(variant), []).append(pair)

    def of(self, variant: str, transfers: Numbers) -> Floats:
        """Those of some transfers under a variant; NaN where one was not run."""
        found = np.full(len(transfers), np.nan)
        if variant not in self._parts:
            return found
        numbers, times = self._in_order(variant)
        place = np.minimum(np.searchsorted(numbers, transfers), len(numbers) - 1)
        there = numbers[place] == transfers
        found[there] = times[place[there]]
        return found

    def _in_order(self, variant: str) -> tuple[Numbers, Floats]:
        """A variant's transfers and their times, by number; as one part from then on."""
        parts = self._parts[variant]
        if len(parts) > 1:
            numbers, times = (np.concatenate(part) for part in zip(*parts, strict=True))
            order = np.argsort(numbers, kind="stable")
            self._parts[variant] = parts = [(numbers[order], times[order])]
        return parts[0]


def classes(facts: "pl.DataFrame") -> list[tuple[str, Numbers, Numbers]]:
    """The size classes that have transfers, all sizes last: name, transfers and their connections.

    `facts` has a row per transfer with `transfer`, `connection` and `size_bytes`.
    """
    sizes = facts["size_bytes"].to_numpy()
    transfers = facts["transfer"].to_numpy().astype(np.int64)
    connections = facts["connection"].to_numpy().astype(np.int64)
    found = []
    for name, least, below in (*CLASSES, (EVERYTHING, 0, None)):
        mine = sizes >= least
        if below is not None:
            mine &= sizes < below
        if mine.any():
            found.append((name, transfers[mine], connections[mine]))
    return found


def groups(facts: "pl.DataFrame", times: Sequence[tuple[str, Times]]) -> list[Group]:
    """The size classes as inference takes them: a column for each of these variants' times."""
    return [
        Group.of(name, np.column_stack([t.of(v, transfers) for v, t in times]), connections)
        for name, transfers, connections in classes(facts)
    ]
