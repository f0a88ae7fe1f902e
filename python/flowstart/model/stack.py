"""A stack as people write it: `ns2:recovery=newreno,iw=3`, a preset and fields of its own."""

import functools
import json
from collections.abc import Mapping
from typing import Any

from flowstart import _native
from flowstart.model import specs


def parse(text: str) -> dict[str, Any]:
    """`ns2:recovery=newreno,iw=3` as the fields of a scenario's stack."""
    fields = specs.table("stack", "preset", text)
    return {name: _typed(name, value) for name, value in fields.items()}


def _typed(field: str, value: str) -> object:
    """`value` as a number or a truth value where the schema has one; else as it is."""
    specification = _stack_fields().get(field, {})
    if "string" in specification.get("type", "string"):
        return value
    try:
        return json.loads(value)
    except json.JSONDecodeError:
        return value  # the simulator says what is wrong with it


@functools.cache
def _stack_fields() -> dict[str, Any]:
    schema = json.loads(_native.schema("scenario"))
    fields: dict[str, Any] = schema["$defs"]["StackSpec"]["properties"]
    return fields


def written(fields: Mapping[str, Any] | None) -> str | None:
    """The stack as one word of a command line, the opposite of `parse`."""
    return specs.word(fields, "preset", "rfc") if fields else None
