"""What users may rely on, as facts: `make stability-record` writes tests/data/stability.json.

A fact is one line: a name, an option, a column with its type, a field of a schema with a type that
it takes, a version of a file format. A recorded fact that no longer holds breaks a user's program.
docs/reference/stability.md states the rules, test_stability.py checks them.
"""

import dataclasses
import inspect
import json
import pathlib
from collections.abc import Iterator
from types import NoneType
from typing import Any

import flowstart as fs
from flowstart.cli.console import Documented
from flowstart.gate import base
from flowstart.model import document
from flowstart.render import columns, folder
from flowstart.replays import result as replays
from flowstart.sweeps.execution import store
from flowstart.sweeps.language.schema import schema as sweep_schema
from test_help import COMMANDS, options

FILE = pathlib.Path(__file__).parents[1] / "data" / "stability.json"
CAPTURE = FILE.parent / "captures" / "small.pcap"
TEXTS = {"$schema", "about", "default", "description", "doc", "examples", "null", "title", "unit"}
"""Keys of a schema that say nothing of what is valid."""


def facts() -> dict[str, list[str]]:
    """All facts by what they are about."""
    found = {
        "python": python(),
        "commands": commands(),
        "columns": table_columns(),
        "scenario schema": schema(document.json_schema()),
        "sweep schema": schema(sweep_schema()),
        "JSON documents": documents(),
        "file formats": formats(),
    }
    return {about: sorted(set(each)) for about, each in found.items()}


def python() -> Iterator[str]:
    """Public names, parameters of functions, fields and methods of classes."""
    for module, prefix in ((fs, ""), (fs.signals, "signals."), (fs.spec, "spec.")):
        for name in module.__all__:
            value = getattr(module, name)
            yield f"{prefix}{name}"
            if inspect.isfunction(value):
                yield from _parameters(f"{prefix}{name}", value)
            elif isinstance(value, type):
                yield from _members(f"{prefix}{name}", value)


def _parameters(name: str, function: Any) -> Iterator[str]:
    for each in inspect.signature(function).parameters.values():
        yield f"{name}({each.name})"
        if each.default is not inspect.Parameter.empty:
            yield f"{name}({each.name}) is optional"


def _members(name: str, of: type) -> Iterator[str]:
    fields = dataclasses.fields(of) if dataclasses.is_dataclass(of) else ()
    members = {field.name for field in fields}
    members |= {each for kind in of.__mro__ if kind.__module__ != "builtins" for each in vars(kind)}
    yield from (f"{name}.{each}" for each in members if not each.startswith("_"))


def commands() -> Iterator[str]:
    """Commands with their options."""
    for name, command in COMMANDS.items():
        yield f"flowstart {name}".strip()
        for each in (*options(command), *(p for p in command.parameters if p.is_argument)):
            value = "a switch" if each.is_switch else "with a value"
            yield from (f"flowstart {name} {word}, {value}" for word in each.words or [each.flag])
            if each.is_argument and each.name not in command.required:
                yield f"flowstart {name} {each.flag} is optional"


def table_columns() -> Iterator[str]:
    """Columns of tables, with type and unit, and which of them always have a value."""
    for table in columns.tables().values():
        for column in table.columns:
            unit = f", {column.unit}" if column.unit else ""
            yield f"{table.name}.{column.name}: {column.kind}{unit}"
            if column.null is None:
                yield f"{table.name}.{column.name} is never null"


def schema(part: Any, place: str = "") -> Iterator[str]:
    """What a JSON Schema takes: properties, types, values; what is not required is optional."""
    if isinstance(part, dict):
        names = set(part.get("properties", {})) - set(part.get("required", []))
        yield from (f"{place}/{name} is optional" for name in names)
        for key, value in part.items():
            if key == "properties":
                for name, field in value.items():
                    yield f"{place}/{name}"
                    yield from schema(field, f"{place}/{name}")
            elif key not in TEXTS and key != "required":
                yield from schema(value, place if key in ("anyOf", "$defs") else f"{place}/{key}")
    elif isinstance(part, list):
        for each in part:
            yield from schema(each, place)
    else:
        yield f"{place}: {json.dumps(part)}"


def documents() -> Iterator[str]:
    """The fields of documents that `--json` prints; columns and schemas have what is in them."""
    path = fs.NetworkPath(rate="5Mbps", rtt="64ms")
    results: dict[str, Documented] = {
        "compare": fs.compare(path, startups=["hystart"], sizes=["20kB"], repeat=2),
        "run": fs.run(fs.Scenario(path=path, flows=[fs.Flow(size="20kB")])),
        "capture": fs.read_capture(CAPTURE),
    }
    for name, result in results.items():
        for field, value in result.to_dict().items():
            yield f"{name}.{field}: {_kind(value)}"


def _kind(value: Any) -> str:
    kinds = {bool: "boolean", str: "string", dict: "object", list: "array", NoneType: "null"}
    return kinds.get(type(value), "number")


def formats() -> Iterator[str]:
    """Versions of the files that flowstart writes and reads again."""
    yield f"columns of tables: version {columns.VERSION}"
    yield f"manifest of a folder: version {folder.VERSION}"
    yield f"verdict of a replay: version {replays.VERSION}"
    yield f"store of a sweep: version {store.FORMAT}"
    yield f"base of a gate: {base.FORM}"


if __name__ == "__main__":
    FILE.write_text(json.dumps(facts(), indent=1, ensure_ascii=False) + "\n", "utf-8")
