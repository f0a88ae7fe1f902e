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
PACKETS = ("packets_sent", "packets_dropped", "packets_retransmitted")


class Times:
    """Completion times in seconds by variant and transfer; `inf` where one was never done.

    With `packets` also the packets of each transfer: sent, lost, retransmitted.
    """

    def __init__(self, *, packets: bool = False) -> None:
        self._columns = ("fct_s", *(PACKETS if packets else ()))
        self._parts: dict[str, list[tuple[Numbers, Floats]]] = {}

    def add(self, rows: "pl.DataFrame") -> None:
        """Takes in rows with `variant`, `transfer`, `fct_s`, and `PACKETS` if these are kept."""
        import polars as pl

        fct = pl.col("fct_s").fill_null(float("inf"))
        taken = rows.select("variant", "transfer", fct, *self._columns[1:]).sort("transfer")
        for (variant,), part in taken.partition_by("variant", as_dict=True).items():
            numbers = part["transfer"].to_numpy()
            values = part.select(pl.col(self._columns).cast(pl.Float64)).to_numpy()
            self._parts.setdefault(str(variant), []).append((numbers, values))

    def of(self, variant: str, transfers: Numbers) -> Floats:
        """Those of some transfers under a variant; NaN where one was not run."""
        return self.columns(variant, transfers)[:, 0]

    def columns(self, variant: str, transfers: Numbers) -> Floats:
        """Times and packets of some transfers: transfers × columns; NaN where one was not run."""
        found = np.full((len(transfers), len(self._columns)), np.nan)
        if variant not in self._parts:
            return found
        numbers, values = self._in_order(variant)
        place = np.minimum(np.searchsorted(numbers, transfers), len(numbers) - 1)
        there = numbers[place] == transfers
        found[there] = values[place[there]]
        return found

    def _in_order(self, variant: str) -> tuple[Numbers, Floats]:
        """A variant's transfers and their values, by number; as one part from then on."""
        parts = self._parts[variant]
        if len(parts) > 1:
            numbers, values = (np.concatenate(part) for part in zip(*parts, strict=True))
            order = np.argsort(numbers, kind="stable")
            self._parts[variant] = parts = [(numbers[order], values[order])]
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
