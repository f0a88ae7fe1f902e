"""Many documents that differ in few places, as what they share and columns of what they do not."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Place: TypeAlias = tuple[str | int, ...]
"""The names and numbers that lead to a value in a document."""


@dataclass(frozen=True)
class Together:
    """Documents, each value as JSON text."""

    shared: list[tuple[Place, str]]
    """What all of them have."""
    columns: list[tuple[list[Place], list[str | None]]]
    """Places that hold the same in each document, and that by document; None where it has none."""


def together(documents: Sequence[Any]) -> Together:
    """Documents by what they share and where they differ."""
    leaves = [dict(_leaves(document)) for document in documents]
    places = list(dict.fromkeys(place for one in leaves for place in one))
    shared: list[tuple[Place, str]] = []
    columns: dict[tuple[str | None, ...], list[Place]] = {}
    for place in places:
        values = tuple(one.get(place) for one in leaves)
        first = values[0]
        if first is not None and len(set(values)) == 1:
            shared.append((place, first))
        else:
            columns.setdefault(values, []).append(place)
    return Together(shared, [(own, list(values)) for values, own in columns.items()])


def _leaves(value: Any, place: Place = ()) -> Iterator[tuple[Place, str]]:
    """The values of a document that hold no others."""
    if value and isinstance(value, dict):
        for name, inner in value.items():
            yield from _leaves(inner, (*place, name))
    elif value and isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _leaves(inner, (*place, number))
    else:
        yield place, json.dumps(value, ensure_ascii=False)
