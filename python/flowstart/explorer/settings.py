"""What an explorer was started with: what its command line allows, and what is shown first."""

import functools
import json
import pathlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from flowstart._native import Explorer
from flowstart.model.path import named_paths

Kind: TypeAlias = Literal["text", "number", "switch", "list"]


@dataclass(frozen=True)
class PageOption:
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
class PageSettings:
    """What an explorer was started with."""

    options: Mapping[str, PageOption]
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

    @functools.cached_property
    def native(self) -> Explorer:
        """What answers requests about a path."""
        return Explorer(json.dumps(self.document))

    def typed(self, state: object) -> dict[str, Any]:
        """The state by option, with values of the types that options have."""
        options: dict[str, Any] = json.loads(self.native.typed(json.dumps(state)))
        return options

    @property
    def document(self) -> dict[str, Any]:
        """What a state may have, as `crates/compare` reads it."""
        paths = {
            name: {field: value for field, value in fields.items() if field != "about"}
            for name, fields in named_paths().items()
        }
        return {
            "options": [
                {"flag": o.flag, "kind": o.kind, "least": o.least, "names_file": o.names_file}
                for o in self.options.values()
            ],
            "custom": list(self.custom),
            "files": sorted(self.files),
            "paths": paths,
        }
