"""What other packages add to flowstart: found at run time by their entry points."""

from importlib.metadata import entry_points
from typing import Any


def load(group: str) -> dict[str, Any]:
    """The objects of the entry points `flowstart.GROUP`, by name."""
    return {point.name: point.load() for point in entry_points(group=f"flowstart.{group}")}
