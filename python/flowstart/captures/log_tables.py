"""The rows of server logs as columns of text, for every layout; only those that are used are read.

Names in JSON and Parquet may be nested: `request.remote_ip`.
"""

import glob
import json
import pathlib
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from flowstart.captures import sources
from flowstart.captures.log_formats import PARQUET, W3C_MOMENT, Layout, LogFormat
from flowstart.errors import RequestError

if TYPE_CHECKING:
    import polars as pl

BOM = "\ufeff"
NAMED_BYTES = 1 << 20
"""JSON lines have the names of the lines in so many first bytes."""
MOST_DECLARATIONS = 100
"""An extended log that names its fields in more ways is refused."""


@contextmanager
def unpacked(file: str, form: LogFormat) -> Iterator[str]:
    """A file with the content within the allowance: itself, or for the time being an unpacked one.

    So memory does not grow with it.
    """
    is_text = form.layout is not Layout.PARQUET
    with sources.opened(file) as stream:
        blocks = sources.lines(file, stream) if is_text else iter(lambda: stream.read(1 << 20), b"")
        if not sources.form(file):
            for _ in blocks if is_text else ():
                pass  # counted and measured
            yield file
            return
        # Without a name, so that nothing is left of it where the process is killed.
        with tempfile.TemporaryFile() as content:
            content.writelines(blocks)
            content.flush()
            yield f"/dev/fd/{content.fileno()}"


def names(file: str, path: str, form: LogFormat) -> list[str]:
    """The names of the columns of `file`, whose content is at `path`."""
    with _naming(file, form, "header"):
        if form.layout is Layout.LINES:
            return list(re.compile(form.pattern).groupindex)
        if form.layout is Layout.W3C:
            return _joined(name for line in _declarations(file, path) for name in line.split()[1:])
        if form.layout is Layout.JSON:
            known = list(_json_names(path))
            return _joined(known) if W3C_MOMENT in form.columns else known
        if form.layout is Layout.PARQUET:
            return list(_parquet_cells(file, path))
        return _delimited(path).collect_schema().names()


def cells(
    file: str, path: str, form: LogFormat, used: Sequence[str], wanted: "Sequence[pl.Expr]"
) -> "pl.DataFrame":
    """What `wanted` makes of the columns `used`."""
    with _naming(file, form, "rows"):
        if form.layout is Layout.JSON:
            return _of_json(path, used, wanted)
        if form.layout is Layout.LINES:
            rows = _matched(path, form.pattern)
        elif form.layout is Layout.W3C:
            rows = _with_moment(_fields(_declarations(file, path), path, _apart(used)), used)
        elif form.layout is Layout.PARQUET:
            known = _parquet_cells(file, path)
            rows = _parquet(path).select(known[name].alias(name) for name in used)
        else:
            rows = _delimited(path)
        return rows.select(*wanted).collect(engine="streaming")


@contextmanager
def _naming(file: str, form: LogFormat, part: str) -> Iterator[None]:
    """Makes an error of the library one that names the file and the part of it."""
    import polars as pl

    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        # Its text may quote any part of the file.
        wrong = "damaged Parquet" if form == PARQUET else "no table"
        raise RequestError(
            f"{file} is {wrong}: its {part} cannot be read ({type(error).__name__})"
        ) from None


def _delimited(path: str) -> "pl.LazyFrame":
    """A table of text, its numbers as text: what they are is judged cell by cell."""
    import polars as pl

    with pathlib.Path(path).open("rb") as stream:
        first = stream.read(sources.START).lstrip().split(b"\n")[0]
    return pl.scan_csv(
        path,
        separator=max(",;\t", key=lambda mark: first.count(mark.encode())),
        infer_schema=False,
        truncate_ragged_lines=True,
        encoding="utf8-lossy",
        glob=False,
    )


def _lines(path: str) -> "pl.LazyFrame":
    """The lines of a text as the column `line`."""
    import polars as pl

    lines = pl.scan_csv(
        path,
        separator="\x01",
        quote_char=None,
        has_header=False,
        new_columns=["line"],
        infer_schema=False,
        truncate_ragged_lines=True,
        encoding="utf8-lossy",
        glob=False,
    )
    return lines.select(pl.col("line").str.strip_chars(f"{BOM}\r\n\0"))


def _matched(path: str, pattern: str) -> "pl.LazyFrame":
    """The groups of a pattern in each line; null in lines without a match."""
    import polars as pl

    return _lines(path).select(pl.col("line").str.extract_groups(pattern).alias("")).unnest("")


def with_further_fields(path: str, form: LogFormat) -> int:
    """How many lines have more fields than the form has."""
    import polars as pl

    if not form.further:
        return 0
    further = pl.col("line").str.contains(form.further)
    return int(_lines(path).select(further.sum()).collect(engine="streaming").item())


DECLARES = "#Fields:"


def _declarations(file: str, path: str) -> list[str]:
    """The different lines of an extended log that name the fields of the lines below."""
    import polars as pl

    declared = pl.col("line").str.starts_with(DECLARES)
    lines = _lines(path).filter(declared).unique(maintain_order=True)
    declarations = lines.head(MOST_DECLARATIONS + 1).collect(engine="streaming")["line"].to_list()
    if len(declarations) > MOST_DECLARATIONS:
        raise RequestError(f"{file}: more than {MOST_DECLARATIONS} lines name its fields anew")
    return declarations


def _joined(fields: Iterable[str]) -> list[str]:
    """The different fields, with one for date and time where there are both."""
    different = list(dict.fromkeys(fields))
    if not {"date", "time"} <= set(different):
        return different
    return [W3C_MOMENT, *(name for name in different if name not in ("date", "time"))]


def _apart(used: Sequence[str]) -> list[str]:
    """The fields that are read for those used."""
    return [part for name in used for part in (("date", "time") if name == W3C_MOMENT else (name,))]


def _with_moment(rows: "pl.LazyFrame", used: Sequence[str]) -> "pl.LazyFrame":
    """The fields used, date and time as one in UTC."""
    import polars as pl

    if W3C_MOMENT not in used:
        return rows
    return rows.with_columns(
        pl.concat_str("date", pl.lit("T"), "time", pl.lit("Z")).alias(W3C_MOMENT)
    )


def _fields(declarations: Sequence[str], path: str, used: Sequence[str]) -> "pl.LazyFrame":
    """The fields of an extended log, each line by the declaration above it."""
    import polars as pl

    lines, line = _lines(path), pl.col("line")
    if len(declarations) > 1:
        declared = pl.when(line.str.starts_with(DECLARES)).then(line).forward_fill()
        lines = lines.with_columns(declared.alias("declared"))
    else:
        lines = lines.with_columns(pl.lit(declarations[0]).alias("declared"))
    rows = lines.filter(~line.str.starts_with("#"))
    token = TABBED if _is_tabbed(path) else SPACED
    parts = [
        _split(rows.filter(pl.col("declared") == declaration), declaration, used, token)
        for declaration in declarations
    ]
    return pl.concat(parts)


TABBED = r"[^\t]*", r"\t"
SPACED = r'(?:"(?:[^"]|"")*"|\S+)', r"\s+"
"""A field, and what is between two, as regular expressions."""


def _is_tabbed(path: str) -> bool:
    """Whether tabs are between the fields, as in CloudFront's logs, by the first row."""
    with pathlib.Path(path).open("rb") as stream:
        lines = stream.read(sources.START).splitlines()
    return b"\t" in next((line for line in lines[1:] if not line.startswith(b"#")), b"")


def _split(
    rows: "pl.LazyFrame", declaration: str, used: Sequence[str], form: tuple[str, str]
) -> "pl.LazyFrame":
    """The used fields of the lines below a declaration; null in lines with fewer fields."""
    import polars as pl

    (token, between), fields = form, declaration.split()[1:]
    groups = [name for name in fields if name in used]
    tokens = (f"({token})" if name in used else token for name in fields)
    matched = pl.col("line").str.extract_groups(f"^{between.join(tokens)}(?:\\s|$)")

    def cell(name: str) -> "pl.Expr":
        if name not in groups:
            return pl.lit(None, pl.String)
        return matched.struct.field(str(groups.index(name) + 1)).str.strip_chars('" ')

    return rows.select(cell(name).alias(name) for name in used)


def _json_names(path: str) -> dict[str, tuple[str, ...]]:
    """The names in JSON lines, with the keys that lead to each."""
    with pathlib.Path(path).open("rb") as stream:
        start = stream.read(NAMED_BYTES).decode("utf-8", "replace").removeprefix(BOM)
    known: dict[str, tuple[str, ...]] = {}
    for line in start.splitlines():
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue  # cut or damaged: its row is counted as one without values
        if isinstance(row, dict):
            known |= {".".join(keys): keys for keys in _leaves(row)}
    return known


def _leaves(row: dict[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for key, value in row.items():
        if isinstance(value, dict) and value and len(above) < 8:
            yield from _leaves(value, (*above, key))
        else:
            yield (*above, key)


def _of_json(path: str, used: Sequence[str], wanted: "Sequence[pl.Expr]") -> "pl.DataFrame":
    """JSON lines; where a line is no JSON, line by line, which takes several times as long."""
    import polars as pl

    keys, parts = _json_names(path), _apart(used)
    tops = dict.fromkeys(keys[name][0] for name in parts)
    try:
        scanned = pl.scan_ndjson(
            glob.escape(path),  # it has no option for that
            schema={top: _type([keys[name] for name in parts], (top,)) for top in tops},
            ignore_errors=True,
        )
        rows = scanned.select(_nested(keys[name]).alias(name) for name in parts)
        return _with_moment(rows, used).select(*wanted).collect(engine="streaming")
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        line = pl.col("line")
        rows = _lines(path).select(
            line.str.json_path_match(_json_path(keys[name])).alias(name) for name in parts
        )
        return _with_moment(rows, used).select(*wanted).collect(engine="streaming")


def _type(paths: Sequence[tuple[str, ...]], above: tuple[str, ...]) -> "pl.DataType":
    """The type of what is below these keys: text, or a struct of what is used of it."""
    import polars as pl

    depth = len(above)
    below = [path for path in paths if path[:depth] == above and len(path) > depth]
    fields = dict.fromkeys(path[depth] for path in below)
    types = {field: _type(below, (*above, field)) for field in fields}
    return pl.Struct(types) if types else pl.String()


def _nested(keys: Sequence[str]) -> "pl.Expr":
    import polars as pl

    cell = pl.col(keys[0])
    for key in keys[1:]:
        cell = cell.struct.field(key)
    return cell


def _json_path(keys: Sequence[str]) -> str:
    return "$" + "".join(f"['{key}']" for key in keys)


def _parquet(path: str) -> "pl.LazyFrame":
    import polars as pl

    return pl.scan_parquet(path, glob=False)


def _parquet_cells(file: str, path: str) -> "dict[str, pl.Expr]":
    """The columns of Parquet by name, dates as ISO 8601."""
    import polars as pl

    table = _parquet(path)
    sources.check_rows(file, table.select(pl.len()).collect().item())
    return dict(_flattened(table.collect_schema(), ()))


def _flattened(
    schema: "Mapping[str, Any]", above: tuple[str, ...]
) -> "Iterator[tuple[str, pl.Expr]]":
    import polars as pl

    for name, kind in schema.items():
        keys = (*above, name)
        if isinstance(kind, pl.Struct):
            yield from _flattened(kind.to_schema(), keys)
        else:
            cell = _nested(keys)
            dated = isinstance(kind, pl.Datetime)
            yield ".".join(keys), cell.dt.to_string("iso:strict") if dated else cell
