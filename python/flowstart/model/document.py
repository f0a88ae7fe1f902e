"""A scenario as the simulator reads it: plain JSON types, and what the simulator makes of them."""

import dataclasses
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from flowstart import _native
from flowstart.errors import Location, RequestError
from flowstart.model.custom import CustomStartups
from flowstart.model.quantities import LARGEST
from flowstart.model.startup import Startup

Document: TypeAlias = dict[str, Any]
"""A scenario as JSON knows it."""

_LONG_NUMBER = re.compile(r"\d{20}")
"""What a larger one looks like."""


_SIMPLE = frozenset({str, int, float, bool})
"""Types of most values, which need no further look."""


def plain(value: Any) -> Any:
    """`value` as JSON types, without the fields that were left out."""
    if type(value) in _SIMPLE or isinstance(value, Startup):
        return value  # a startup may well be a dataclass
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
        text = json.dumps(document, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError):
        # TOML knows dates and infinities, which no field of a scenario takes.
        wrong = ((field, value) for field, value in _values(document) if not _is_json(value))
        field, value = next(wrong, (("the scenario",), "a number of thousands of digits"))
        raise RequestError(f"`{value}` is a value that no field takes", field) from None
    if _LONG_NUMBER.search(text):
        # The simulator would take it for a fraction.
        for field, value in _values(document):
            if isinstance(value, int) and value > LARGEST:
                right = f"at most {LARGEST} is possible"
                raise RequestError(f"`{value}` is too large; {right}", field)
    return text


def _values(value: Any, field: Location = ()) -> Iterator[tuple[Location, Any]]:
    """The single values within a document, with their fields."""
    if isinstance(value, Mapping):
        for name, part in value.items():
            yield from _values(part, (*field, str(name)))
    elif isinstance(value, list | tuple):
        for index, part in enumerate(value):
            yield from _values(part, (*field, index))
    else:
        yield field, value


def _is_json(value: Any) -> bool:
    """Whether JSON can hold a single value."""
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, str | int | None)


def resolve(document: Document, known: CustomStartups | None = None) -> Document:
    """The whole configuration that a document stands for, every default filled in."""
    native = known.natives() if known else None
    resolved: Document = json.loads(_native.resolve(encode(document), native))
    return resolved


def json_schema() -> Document:
    """Returns the JSON Schema of a scenario's file, for editors.

    Returns:
        The schema.

    Example:
        >>> import flowstart as fs
        >>> "flows" in fs.json_schema()["properties"]
        True
    """
    schema: Document = json.loads(_native.schema())
    if "stack" in schema.get("properties", {}):
        # Read here, before the simulator has the document.
        text = {"type": "string", "description": "A preset, such as `linux`, or `linux:iw=20`."}
        schema["properties"]["stack"] = {"anyOf": [schema["properties"]["stack"], text]}
    return schema


def queues(resolved: Document) -> str:
    """The disciplines of a path's queues, each once, of a scenario with every default filled in."""
    path = resolved["path"]
    return ", ".join(dict.fromkeys(hop["queue"] for hop in path.get("hops") or [path]))


def initial_window(stack: Document) -> int:
    """The packets of a resolved stack's initial window."""
    return _native.initial_window(stack["iw"], stack["mss"])


def small_buffers(path: Document, resolved: Document, window: int) -> list[tuple[int, str, str]]:
    """The buffers of a path that were given in BDPs and came to less than the initial `window`.

    Each is packets, field and what was given. `path` and `resolved` are the same path.
    """
    return _native.small_buffers(encode(path), encode(resolved), window)
