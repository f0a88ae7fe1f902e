"""What an explorer was started with: what its command line allows, and what is shown first."""

import pathlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["text", "number", "switch", "list"]


@dataclass(frozen=True)
class Option:
    """An option of `flowstart compare` that the page may give as well."""

    name: str
    """With `_` for `-`: `reverse_rate`."""
    help: str
    usual: str | None = None
    """What holds where it is not given, in words."""
    value: str = ""
    """What stands for its value in the help: `RATE`; empty for a switch."""
    kind: Kind = "text"
    least: int | None = None
    """The smallest number that it may be."""
    names_file: bool = False
    """Whether its value is the name of a file."""

    @property
    def flag(self) -> str:
        """How it is written on the command line, without its dashes: `reverse-rate`."""
        return self.name.replace("_", "-")


@dataclass(frozen=True)
class Settings:
    """What an explorer was started with."""

    options: Mapping[str, Option]
    """What a state may say, by name."""
    first: Mapping[str, str | list[str]] = field(default_factory=dict)
    """The state that the page shows first, by flag."""
    custom: tuple[str, ...] = ()
    """Startups in Python that were named, as they were; no other is run."""
    files: frozenset[str] = frozenset()
    """Files that options were given; no other is read."""
    maps: tuple[pathlib.Path, ...] = ()
    """Folders of sweeps."""
    captures: tuple[pathlib.Path, ...] = ()
    """Captures that were named; others are dropped on the page."""
    workers: int | None = None
    """Threads to simulate on; None for all cores."""
