"""What is known by name besides algorithms, as tables: paths and stacks."""

from collections.abc import Mapping, Sequence
from typing import Any

from flowstart.model.definitions import Field
from flowstart.render import text
from flowstart.render.grid import Column, Grid

BESIDE = ("about", "rate", "rtt", "buffer")
"""What has a column of its own in the table of paths."""


QUALIFYING = ("_every", "_burst", "_period")
"""Endings of fields that only qualify another field."""


def paths(known: Mapping[str, Mapping[str, Any]], *, whole: bool = True) -> Grid:
    """The paths known by name: their line, and what else they are made of.

    `whole` is whether fields that only qualify others are named too.
    """
    titles = ["name", "rate", "RTT", "buffer", "further fields"]
    grid = Grid([Column(title, number=False) for title in titles])
    for name, fields in known.items():
        line = [str(fields.get(field, text.ABSENT)) for field in BESIDE[1:]]
        further = [field for field in fields if field not in BESIDE]
        if not whole:
            further = [field for field in further if not _qualifies(field)]
        others = ", ".join(further)
        grid.rows.append([name, *line, others or text.ABSENT])
    return grid


def _qualifies(field: str) -> bool:
    return field.startswith("reverse_") or field.endswith(QUALIFYING)


def fields(given: Mapping[str, Any], defined: Sequence[Field]) -> Grid:
    """Fields with their values, each with what it is."""
    about = {field.name: field.short for field in defined}
    grid = Grid([Column(title, number=False) for title in ("field", "value", "what it is")])
    grid.rows = [[name, _value(value), about.get(name, "")] for name, value in given.items()]
    return grid


def stacks(presets: Mapping[str, Mapping[str, Any]]) -> Grid:
    """The presets beside each other, in the fields in which they differ."""
    names = list(presets)
    grid = Grid([Column("field", number=False), *(Column(name, number=False) for name in names)])
    for field in dict.fromkeys(name for preset in presets.values() for name in preset):
        values = [_value(preset.get(field)) for preset in presets.values()]
        if len(set(values)) > 1:
            grid.rows.append([field, *values])
    return grid


def _value(value: Any) -> str:
    """A value as a scenario file has it."""
    if value is None:
        return text.ABSENT
    return str(value).lower() if isinstance(value, bool) else str(value)
