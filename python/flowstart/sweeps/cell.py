"""A cell of a sweep: one question that is put to every startup."""

from dataclasses import dataclass
from typing import Any

from flowstart.model.document import Document
from flowstart.public import RETURNED, Public

COMPETING = ("alone", "long", "bbr", "short", "same", "probe", "web")
"""Who may be beside the flow under test."""
DRAWN_COMPANY = ("web",)
"""Competing flows whose traffic is drawn, so that another seed brings other traffic."""


@dataclass(frozen=True, slots=True)
class Cell(metaclass=Public):
    """One question that is put to every startup.

    Cells share their documents, which nobody may change.

    Attributes:
        number: Its place among all cells of the sweep, collapsed ones included.
        path: A scenario's path, plain values only: laws drawn, expressions worked out.
        flow: Fields of the flow under test beside its startup: `size`, `cached_cwnd`, ...
        stack: The endpoints' stack: `{"preset": "linux", ...}`.
        cc: The congestion avoidance; None for the stack's.
        competing: One of `COMPETING`.
        seed: The seed of the scenario.
        split: `train`, `test`, or nothing without a split.
        origin: The name of the path that it was made from: a named path, a network of a capture, a
            family with a name. Nothing where there is none.
    """

    __signature__ = RETURNED

    number: int
    path: Document
    flow: Document
    stack: Document
    cc: str | None
    competing: str
    seed: int
    split: str
    origin: str

    def to_dict(self) -> dict[str, Any]:
        """The cell as JSON types."""
        return {name: getattr(self, name) for name in self.__slots__}


def measured_flow(flow: Document) -> tuple[Document, Document]:
    """A flow's fields, and those of its scenario: `within`, the time of which it has a goodput."""
    own = {name: value for name, value in flow.items() if name != "within"}
    return own, {"within": [flow["within"]]} if "within" in flow else {}
