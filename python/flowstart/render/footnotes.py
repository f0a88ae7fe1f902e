"""Notes below tables of startups: what their marks mean, and what they had to work with.

Comparisons on a path and replays of a capture have the same notes here.
"""

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flowstart import _native
from flowstart._native import marked
from flowstart.model.catalog import listed

__all__ = ["RECONSTRUCTED", "Setting", "cautions", "footnotes", "marked", "uses_memory"]

RECONSTRUCTED = "†"
"""Stands after the name of an algorithm that is in parts a reconstruction."""


@dataclass(frozen=True)
class Setting:
    """What the rows of a table have in common, as far as footnotes depend on it."""

    startups: Sequence[str]
    cached_cwnd: Sequence[str | None]
    """The windows that flows under test remember, None for nothing."""
    cache_option: str
    """What gives them one."""
    interfaces: Sequence[str | None]
    """The rate that flows under test take for their interface's, None where the path has a line."""
    queues: Mapping[str, str]
    """The disciplines of the queues under each startup."""
    drawn: Sequence[str]
    """What is drawn at random."""
    seeds: int
    """How many seeds were run."""
    seed_option: str
    """What runs more."""
    spared: int = 0
    """How many more seeds were requested, which could not differ."""
    missing: str = ""
    """Why runs are missing and how many, where any are."""


def footnotes(setting: Setting) -> list[str]:
    """A sentence or two for everything that a reader of the table has to know."""
    return _notes(setting)[0]


def cautions(setting: Setting, *, repeated: bool) -> list[str]:
    """The notes that a short summary has too: missing runs, and what depends on the seed.

    `repeated` is whether intervals from perturbed repeats show what another seed may give.
    """
    return _notes(setting, repeated=repeated)[1]


def _notes(setting: Setting, *, repeated: bool = False) -> tuple[list[str], list[str]]:
    facts = dataclasses.asdict(setting) | {"queues": list(setting.queues.items())}
    return _native.notes(json.dumps(facts), repeated)


def uses_memory(startup: str) -> bool:
    """Whether a startup uses what an earlier connection left behind."""
    entry = listed(startup)
    return entry is not None and "cache" in entry.needs
