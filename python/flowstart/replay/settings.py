"""What the user of a replay decides."""

from dataclasses import dataclass, field
from typing import Any

from flowstart.model.custom import CustomStartups


@dataclass(frozen=True)
class Settings:
    """What the user decides; None follows the capture."""

    startups: tuple[str, ...]
    rate: str | None = None
    reverse_rate: str | None = None
    buffer: str | None = None
    reverse_buffer: str | None = None
    rtt: str | None = None
    """One round trip for all, needed for logs that tell none."""
    loss: str | float | None = None
    stack: dict[str, Any] | None = None
    avoidance: str | None = None
    remembered: str | None = None
    """The window that an earlier connection left behind, for start-ups that use a memory."""
    without: tuple[str, ...] = ()
    """Start-ups that `all` left out, since they have nothing to remember."""
    seed: int = 1
    custom: CustomStartups = field(default_factory=CustomStartups)
    """The start-ups that are not in the catalog."""
