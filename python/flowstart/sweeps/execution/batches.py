"""Cells in batches: what is run at once, and kept as one part of the store.

Which cells are together follows from the cells alone, so every command that is asked the same makes
the same batches, whatever runs them.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

from flowstart.sweeps.cell import Cell

PACKETS = 3_500_000
"""Batches have about so many packets: a second or more of work, beside which it does not count to
send them to a worker and to write a file of their rows."""
NAMES = tuple(field.name for field in fields(Cell))
MOST_CELLS = 1000
"""Cells without many packets are no more than so many."""


@dataclass(frozen=True)
class Batch:
    """Cells that are run at once."""

    number: int
    """Its place among the batches of the sweep."""
    cells: tuple[Cell, ...]
    places: int
    """The cells that it stands for: its own, and those that collapsed before them."""
    key: str
    """What its rows follow from, as 64 hexadecimal digits."""

    @property
    def name(self) -> str:
        """The name of its part."""
        return f"{self.number:08}-{self.key[:16]}"


def batches(cells: Iterable[Cell], cost: Callable[[Cell], float], base: str) -> Iterator[Batch]:
    """Cells in their order, in batches of about `PACKETS` packets by `cost`.

    `base` is the key of what all batches share.
    """
    some: list[Cell] = []
    number, packets, place = 0, 0.0, 0
    for cell in cells:
        some.append(cell)
        packets += cost(cell)
        if packets >= PACKETS or len(some) == MOST_CELLS:
            yield batch_of(some, number, place, base)
            number, packets, place, some = number + 1, 0.0, cell.number + 1, []
    if some:
        yield batch_of(some, number, place, base)


def batch_of(cells: Sequence[Cell], number: int = 0, place: int = 0, base: str = "") -> Batch:
    """A batch of these cells; those from `place` on are its own or collapsed."""
    key = digest([base, number, [[getattr(cell, name) for name in NAMES] for cell in cells]])
    return Batch(number, tuple(cells), cells[-1].number + 1 - place, key)


def digest(document: Any) -> str:
    """The SHA-256 of a document's canonical JSON text."""
    text = json.dumps(document, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
