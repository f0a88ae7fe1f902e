"""What the user of a replay decides."""

from dataclasses import dataclass, field
from typing import Any, Literal, cast, get_args

from flowstart.errors import RequestError
from flowstart.model.catalog import suggest
from flowstart.model.custom import CustomStartups
from flowstart.model.variants import Variant

Tested = Literal["server", "client", "both"]
"""Whose data is under test."""

RECORDED = Variant("recorded", startup="hystart", avoidance="cubic", stack={"preset": "linux"})
"""What hosts are taken to do where nobody says otherwise: most of them run Linux."""

PARTS = {
    "turns": "a turn begins once the one before it has arrived; without, when the capture has it",
    "page": "a connection opens once the replies before it on its page have arrived",
    "pauses": "applications take as long to answer as they did; without, they answer at once",
    "warm": "a connection keeps its window from turn to turn; without, each turn has a fresh one",
    "handshake": "connections open with the handshake that the capture shows",
    "windows": "receivers offer what they offered; without, what the stack does",
}
"""What a replay takes over of the capture beside sizes, times and paths."""


def side(name: str) -> Tested:
    """Whose data is under test, by name."""
    for known in get_args(Tested):
        if name == known:
            return cast(Tested, known)
    known = ", ".join(get_args(Tested))
    raise RequestError(f"direction: `{name}` is no side of a connection; give one of {known}")


@dataclass(frozen=True)
class Settings:
    """What the user decides; None follows the capture."""

    startups: tuple[str, ...] = ()
    variants: tuple[Variant, ...] = ()
    """What is compared, beside `startups`, of which each is a variant by itself."""
    direction: Tested = "server"
    """Whose data is under test; the other side does what was recorded."""
    recorded: Variant = RECORDED
    """What the hosts of the capture did."""
    rate: str | None = None
    reverse_rate: str | None = None
    buffer: str | None = None
    reverse_buffer: str | None = None
    rtt: str | None = None
    """One round trip for all, needed for logs that tell none."""
    loss: str | float | None = None
    stack: dict[str, Any] | None = None
    """The stack of the hosts under test; None for that of those recorded."""
    avoidance: str | None = None
    remembered: str | None = None
    """The window that an earlier connection left behind, for start-ups that use a memory.

    None for what earlier connections with the same network have left in the replay itself.
    """
    memory_lifetime: str = "600s"
    """How long that stays good."""
    without: frozenset[str] = frozenset()
    """The `PARTS` of the capture that are left out."""
    seed: int = 1
    custom: CustomStartups = field(default_factory=CustomStartups)
    """The start-ups that are not in the catalog."""

    def __post_init__(self) -> None:
        for name in sorted(self.without - PARTS.keys()):
            right = suggest(name, list(PARTS))
            raise RequestError(f"without: `{name}` is no part of a replay{right}")

    @property
    def compared(self) -> tuple[Variant, ...]:
        """All variants: those given, and one for each start-up, which bears its name."""
        own = (Variant(name, name, self.avoidance) for name in self.startups)
        return (*self.variants, *own)

    def has(self, part: str) -> bool:
        """Whether a part of the capture is replayed."""
        return part not in self.without
