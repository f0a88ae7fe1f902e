"""A scenario as the simulator reads it: plain JSON types, and what the simulator makes of them."""

import dataclasses
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from flowstart import _native
from flowstart.errors import RequestError
from flowstart.model.custom import CustomStartups
from flowstart.model.startup import Startup

Document: TypeAlias = dict[str, Any]
"""A scenario as JSON knows it."""

LARGEST = 2**64 - 1
"""No field of a scenario holds a larger whole number."""


def plain(value: Any) -> Any:
    """`value` as JSON types, without the fields that were left out."""
    if isinstance(value, Startup):
        return value  # which may well be a dataclass
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {key: plain(v) for key, v in value.items() if v is not None}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(v) for v in value]
    return value


def encode(document: Document) -> str:
    """A document as the simulator's JSON text."""
    try:
        return json.dumps(document, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        # TOML knows dates and infinities, which no field of a scenario takes.
        field, value = next(_not_json(document), ("the scenario", error))
        raise RequestError(f"{field}: `{value}` is a value that no field takes") from None


def _not_json(value: Any, field: str = "") -> Iterator[tuple[str, Any]]:
    """The values within a document that JSON cannot hold, with their fields."""
    if isinstance(value, Mapping):
        for name, part in value.items():
            yield from _not_json(part, f"{field}.{name}" if field else str(name))
    elif isinstance(value, list | tuple):
        for index, part in enumerate(value):
            yield from _not_json(part, f"{field}[{index}]")
    elif isinstance(value, float):
        if not math.isfinite(value):
            yield field, value
    elif not isinstance(value, str | int | None):
        yield field, value


def resolve(document: Document, known: CustomStartups | None = None) -> Document:
    """The whole configuration that a document stands for, every default filled in."""
    native = known.natives() if known else None
    resolved: Document = json.loads(_native.resolve(encode(document), native))
    return resolved


def schema(kind: str = "scenario") -> Document:
    """The JSON Schema of a scenario file, for editors."""
    found: Document = json.loads(_native.schema(kind))
    return found


def queues(resolved: Document) -> str:
    """The disciplines of a path's queues, each once, of a scenario with every default filled in."""
    path = resolved["path"]
    return ", ".join(dict.fromkeys(hop["queue"] for hop in path.get("hops") or [path]))
