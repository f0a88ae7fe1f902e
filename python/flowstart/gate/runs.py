"""The runs of a case."""

from dataclasses import dataclass
from typing import Any, Self

from flowstart.gate.beginning import Beginning


@dataclass(frozen=True)
class CaseRuns:
    """The runs of one variant on one cell: the cell itself, then its repeats."""

    case: str
    variant: str
    times_s: tuple[float | None, ...]
    """Completion times; None where a transfer did not complete."""
    lost: tuple[float, ...]
    """Shares of packets that the path dropped."""
    harm: tuple[float | None, ...]
    """Harm to the competing flow, as a share; None without one."""
    beginning: Beginning | None
    error: str | None
    """Why there are no runs."""

    @classmethod
    def read(cls, document: dict[str, Any]) -> Self:
        """What `document` wrote."""
        several = {name: tuple(document[name]) for name in ("times_s", "lost", "harm")}
        return cls(**document | several | {"beginning": Beginning.read(document["beginning"])})

    @property
    def document(self) -> dict[str, Any]:
        """In JSON types."""
        several = {name: list(getattr(self, name)) for name in ("times_s", "lost", "harm")}
        beginning = self.beginning and self.beginning.document
        return {**vars(self), **several, "beginning": beginning}
