"""A stack as people write it: `ns2:recovery=newreno,iw=3`, a preset and fields of its own."""

import json
from collections.abc import Mapping
from typing import Any

from flowstart.model import definitions, specs


def parse(text: str) -> dict[str, Any]:
    """`ns2:recovery=newreno,iw=3` as the fields of a scenario's stack."""
    fields = specs.table("stack", "preset", text)
    return {name: typed(name, value) for name, value in fields.items()}


def typed(field: str, value: Any) -> Any:
    """`value` as a number or a truth value where the field has one; else as it is."""
    if not isinstance(value, str) or _values().get(field) not in ("bool", "f64", "u32"):
        return value
    try:
        return json.loads(value)
    except json.JSONDecodeError:
        return value  # the simulator says what is wrong with it


def _values() -> dict[str, str]:
    """The types of the fields' values in Rust."""
    return {field.name: field.value for field in definitions.parts()["Stack"].fields}


def written(fields: Mapping[str, Any] | None) -> str | None:
    """The stack as one word of a command line, the opposite of `parse`."""
    return specs.word(fields, "preset", "rfc") if fields else None
