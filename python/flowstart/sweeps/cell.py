"""One question that a sweep puts to every start-up."""

from dataclasses import dataclass

from flowstart.model.document import Document


@dataclass(frozen=True)
class Cell:
    """A path, a flow, who is beside it, and a seed; the start-up is left open."""

    number: int
    """Its place among all cells of the sweep, those that collapsed included."""
    path: Document
    """A scenario's path in plain values: laws are drawn and expressions worked out."""
    flow: Document
    """Fields of the flow under test beside its start-up: `size`, `remembered`, ..."""
    stack: Document
    """Fields of the stack, its `preset` among them."""
    avoidance: str | None
    """The congestion avoidance; None for the stack's."""
    company: str
    """Who is beside the flow, a key of `company.COMPANY`."""
    seed: int
    part: str
    """`tuning` or `held-out`; empty without a split."""
    origin: str
    """The path that it was made from: a named one, a network of a capture; or empty."""
