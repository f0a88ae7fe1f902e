"""What to write where, so that a real stack does what was simulated: `knobs.toml` as values."""

import functools
import importlib.resources
import tomllib
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Kind: TypeAlias = Literal["startup", "cc", "setting"]


@dataclass(frozen=True)
class Knob:
    """One option of one stack."""

    stack: str
    write: str
    """What to write where; a name in braces stands for the variant's value."""
    source: str
    """The text that tells of it, with its version."""
    by_network: str = ""
    """The same for one network only; empty where it holds for a whole host."""
    revert: str = ""
    """What undoes it; empty where that is the option of what was there before."""

    def filled(self, value: object) -> str:
        """What to write where, with the variant's value."""
        return self.write.replace("{iw}", str(value))

    def limited(self, network: str, value: object) -> str:
        """What to write for one network."""
        return self.by_network.replace("{network}", network).replace("{iw}", str(value))


@dataclass(frozen=True)
class Offer:
    """What the stacks offer for one algorithm or setting."""

    knobs: tuple[Knob, ...]
    none: str
    """What is known of stacks that do not offer it; empty where nothing is."""

    @property
    def lines(self) -> list[str]:
        """A line for each knob, then what is known otherwise."""
        told = [f"{knob.stack}: {knob.write} ({knob.source})" for knob in self.knobs]
        return told + ([self.none] if self.none else [])


def offer(kind: Kind, name: str) -> Offer | None:
    """What the stacks offer; None for a name that the table does not have, as one's own has not."""
    entry = _table().get(kind, {}).get(name.partition(":")[0].strip())
    if entry is None:
        return None
    return Offer(tuple(Knob(**knob) for knob in entry.get("knobs", ())), entry.get("none", ""))


@functools.cache
def _table() -> dict[str, Any]:
    file = importlib.resources.files("flowstart.deployment").joinpath("knobs.toml")
    return tomllib.loads(file.read_text("utf-8"))
