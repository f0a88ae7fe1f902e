"""The page of all columns, from their definitions."""

from flowstart.render.columns import VERSION, Column, tables
from reference import cell

HEAD = f"""<!-- Written by `make docs` from the columns' definitions; changes here are lost. -->

# Columns

The columns of the files of `-o` and of `--json`, version {VERSION}. The version increases if a
column is removed or changes its meaning. `flowstart schema rows` prints them as JSON Schema, and
the metadata of Parquet files has them under the key `flowstart`. A column without “no value
means” always has a value; in JSON a missing value is `null`. Traces have additional columns of
startups.
"""

FILES = {
    "runs": "`runs` of what `fs.run_many` returns",
    "flows": "`rows` of `run`",
    "transfers": "`transfers` of `run`",
    "objects": "`objects` of `run`",
    "links": "`links` of `run`",
    "startups": "`startups` of `run`",
    "limits": "`limits` of `run`",
    "goodputs": "`goodputs` of `run`",
    "delays": "`delays` of `run`",
    "handshakes": "`handshakes` of `run`",
    "flow-samples": "`flow-samples` of `run --trace`",
    "queue-samples": "`queue-samples` of `run --trace`",
    "queue-departures": "`queue-departures` of `run --trace`",
    "comparison-rows": "`rows` of `compare`",
    "live-rows": "`rows` of `live`",
    "live-pairs": "`pairs` of `live`",
    "load-rows": "`frame` of what `fs.live_load` returns",
    "comparison-intervals": "`intervals` of `compare`",
    "comparison-summaries": "`summaries` of what `fs.compare` returns",
    "replay-rows": "`rows` of `replay`",
    "replay-intervals": "`intervals` of `replay`",
    "replay-summaries": "`classes` in the `result.json` of `replay`",
    "collected-rows": "files of `collect`",
    "capture-connections": "`connections` of `capture`",
    "capture-demands": "`demands` of `capture`",
    "capture-transfers": "`transfers` of `capture`",
    "capture-senders": "`senders` of `capture`",
    "capture-quic": "`quic` of `capture`",
    "sweep-rows": "`parts` of `sweep`",
    "worst-rows": "`worst` of `worst`",
    "gate-rows": "`cases` of `gate check`",
    "verify-rows": "`verify` of `verify`",
    "map-winners": "`winners` of `map`",
    "map-regret": "`regret` of `map`",
    "map-worst": "`worst` of `map`",
    "map-dominance": "`dominance` of `map`",
    "map-pareto": "`pareto` of `map`",
    "map-cells": "`cells` of `map`",
}
"""Where a table is found."""

EXTENDED = ("flows", "sweep-rows")
"""Tables whose columns others have too."""


def _extends(name: str, base: str) -> bool:
    """Whether a table has all columns of another, and more."""
    return name != base and set(tables()[base].columns) <= set(tables()[name].columns)


def page() -> str:
    """The whole page."""
    sections = [HEAD]
    for name, table in tables().items():
        base = next((one for one in EXTENDED if _extends(name, one)), "")
        known = tables()[base].columns if base else ()
        shown = [column for column in table.columns if column not in known]
        more = f" It has the columns of `{base}`, and these." if base else ""
        rows = ["| column | type | unit | what it holds | no value means |", "| --- " * 5 + "|"]
        rows += map(_row, shown)
        head = f"## {name}\n\n{FILES[name]}. {table.about}{more}"
        sections.append(head + "\n\n" + "\n".join(rows) + "\n")
    return "\n".join(sections)


def _row(column: Column) -> str:
    parts = (column.kind, column.unit or "", column.doc, column.null or "")
    return f"| `{column.name}` | " + " | ".join(cell(part) for part in parts) + " |"
