"""A scenario as the TOML file that `flowstart run` and `flowstart compare` read."""

import json
from typing import Any

from flowstart.model.document import Document


def written(document: Document) -> str:
    """The file's text: single values first, then tables, then lists of tables."""
    single = {k: v for k, v in document.items() if not _is_tables(v) and not isinstance(v, dict)}
    parts = ["".join(_lines(single))]
    for name, value in document.items():
        if isinstance(value, dict):
            parts.append(f"[{name}]\n" + "".join(_lines(value)))
        elif _is_tables(value):
            parts += [f"[[{name}]]\n" + "".join(_lines(entry)) for entry in value]
    return "\n".join(filter(None, parts))


def _is_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(e, dict) for e in value)


def _lines(fields: Document) -> list[str]:
    return [f"{name} = {_value(value)}\n" for name, value in fields.items()]


def _value(value: Any) -> str:
    """A value in one line; tables within are inline."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name} = {_value(part)}" for name, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    # JSON's texts, numbers and truth values are TOML's too, but for one letter.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
