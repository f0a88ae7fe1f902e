"""Names that a request may have beside those of the catalog, and where they are written."""

from typing import Any

from flowstart import _native
from flowstart.model.document import json_schema
from flowstart.model.path import named_paths


def places(name: str) -> list[str]:
    """What `name` is, each in a few words; empty where nothing has it."""
    found = []
    if name in _native.DISTRIBUTIONS:
        found.append(f"a distribution (as in --jitter {name}:...)")
    if name in _native.STACKS:
        found.append(f"a stack (--stack {name})")
    if name in named_paths():
        found.append(f"a path (--path {name})")
    values = _values(name, "", json_schema(), json_schema()["$defs"])
    # A flow's own stack takes what the scenario's does.
    values = [value for value in values if not value[0].startswith("flows.stack.")]
    return found + [f"a value of {field} ({meaning})" for field, meaning in values]


def _values(
    name: str, field: str, node: dict[str, Any], defined: dict[str, Any]
) -> list[tuple[str, str]]:
    """The fields within a part of the schema that may have this value, and what it means."""
    found = []
    if node.get("const") == name:
        found.append((field, node["description"].rstrip(".")))
    if "$ref" in node:
        found += _values(name, field, defined[node["$ref"].rpartition("/")[2]], defined)
    items = [node["items"]] if "items" in node else []
    for part in (*node.get("anyOf", ()), *node.get("oneOf", ()), *items):
        found += _values(name, field, part, defined)
    for key, part in node.get("properties", {}).items():
        found += _values(name, f"{field}.{key}".lstrip("."), part, defined)
    return found
