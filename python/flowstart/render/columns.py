"""What every column of every table holds: its type, unit, meaning, and what no value means.

The simulator's columns are defined with its rows in Rust (`record/columns.rs`), the others in
`columns.toml`. The page of columns, `flowstart schema rows` and the metadata of Parquet files are
made from them.
"""

import dataclasses
import functools
import json
import pathlib
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flowstart import _native

if TYPE_CHECKING:
    import polars as pl


VERSION = 1
"""Of all definitions together: greater where a column goes or changes its meaning."""

KEY = "flowstart"
"""The key of the definitions in the metadata of a Parquet file."""


@dataclass(frozen=True)
class Column:
    """One column."""

    name: str
    kind: str
    """`integer`, `number`, `string` or `boolean`."""
    doc: str
    unit: str | None = None
    null: str | None = None
    """What it means that there is no value; None where there always is one."""


@dataclass(frozen=True)
class Table:
    """One table."""

    name: str
    about: str
    columns: tuple[Column, ...]


RUN = Column("run", "integer", "Which of the runs that were made together, from 0.")
"""The first column of what runs leave behind."""


@functools.cache
def tables() -> dict[str, Table]:
    """All tables by name."""
    tables = {}
    for described in json.loads(_native.columns()):
        own = tuple(Column(**column) for column in described["columns"])
        is_row = not described["name"].startswith(("flow-samples", "queue-"))
        columns = (RUN, *own) if is_row else own
        tables[described["name"]] = Table(described["name"], described["about"], columns)
    text = (pathlib.Path(__file__).parent / "columns.toml").read_text(encoding="utf-8")
    for name, described in tomllib.loads(text).items():
        base = tables[described["extends"]].columns if "extends" in described else ()
        own = tuple(Column(column, **more) for column, more in described["columns"].items())
        tables[name] = Table(name, described["about"], base + own)
    return tables


def types(table: str) -> "dict[str, type[pl.DataType]]":
    """The columns of a table in their order, with polars' types."""
    import polars as pl

    kinds: dict[str, type[pl.DataType]] = {
        "integer": pl.Int64,
        "number": pl.Float64,
        "string": pl.String,
        "boolean": pl.Boolean,
    }
    return {column.name: kinds[column.kind] for column in tables()[table].columns}


def frame(records: Sequence[Mapping[str, Any]], table: str) -> "pl.DataFrame":
    """Records as a frame whose types are those of the columns, whether or not these have values."""
    import polars as pl

    return pl.DataFrame(records, schema=types(table))


def metadata(table: str) -> dict[str, str]:
    """What a Parquet file says of the columns of a table, beside them."""
    columns = {column.name: _said(column) for column in tables()[table].columns}
    document = {"version": VERSION, "table": table, "columns": columns}
    return {KEY: json.dumps(document, ensure_ascii=False)}


def schema() -> dict[str, Any]:
    """The JSON Schema of all rows, a definition for each table."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Rows of flowstart's tables",
        "version": VERSION,
        "$defs": {name: _schema(table) for name, table in tables().items()},
    }


def _schema(table: Table) -> dict[str, Any]:
    return {
        "type": "object",
        "description": table.about,
        "properties": {column.name: _property(column) for column in table.columns},
    }


def _property(column: Column) -> dict[str, Any]:
    kind = column.kind if column.null is None else [column.kind, "null"]
    said = _said(column)
    return {"type": kind, "description": said.pop("doc")} | said


def _said(column: Column) -> dict[str, str]:
    """Its meaning, and unit and null where it has them."""
    said = dataclasses.asdict(column)
    return {name: said[name] for name in ("doc", "unit", "null") if said[name] is not None}


CLASSES = (
    ("below 10 kB", 0, 10_000),
    ("10 to 100 kB", 10_000, 100_000),
    ("100 kB to 1 MB", 100_000, 1_000_000),
    ("1 to 10 MB", 1_000_000, 10_000_000),
    ("above 10 MB", 10_000_000, None),
)
"""Size classes: name, and bytes from and below."""
