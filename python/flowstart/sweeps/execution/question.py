"""What a sweep asks: whoever makes cells offers this to those who run and keep them."""

from collections.abc import Iterator, Mapping
from typing import Protocol, Self

from flowstart.model.custom import CustomStartups
from flowstart.model.document import Document
from flowstart.model.variants import Variant
from flowstart.sweeps.cell import Cell


class Question(Protocol):
    """A sweep as it was asked for and checked."""

    @property
    def document(self) -> Document:
        """What was asked, as JSON knows it: the same for everything that means the same."""

    @property
    def variants(self) -> tuple[Variant, ...]:
        """What is put on each cell; startups are names."""

    @property
    def custom(self) -> CustomStartups:
        """The startups of one's own among them."""

    @property
    def count(self) -> int:
        """How many cells there are, those that collapse included."""

    @property
    def collapsed(self) -> Mapping[str, int]:
        """After all cells have been made: how many of them each parameter did not change."""

    def cells(self) -> Iterator[Cell]:
        """The cells in their order, made as they are asked for."""

    def only(self, split: str) -> Self:
        """The same with the cells of one set."""
