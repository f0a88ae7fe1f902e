"""Rows and figures as a report holds them: as columns of few characters, deflated, in base64."""

import base64
import dataclasses
import json
import math
import re
import zlib
from collections.abc import Sequence
from typing import Any

from flowstart.render import columns
from flowstart.render.listed import Rows
from flowstart.render.together import together

DIGITS = 4
"""Significant digits of a number that is not whole, as in the tables."""
EXACT = 2**53
"""Whole numbers from here on are text: scripts have numbers of 64 bits with a fraction."""
FEW = 0.25
"""A column is written as places in a list of its values where these are fewer than this share."""
_NUMBERS = re.compile(r' (?:d|x|y|points)="[^"]*"')
_LONG = re.compile(r"-?\d+\.\d{2,}")


def block(rows: Rows) -> str:
    """The element of a page that holds the rows."""
    text = json.dumps(document(rows), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    kind = "application/octet-stream"
    return f'<script type="{kind}" id="data-rows">{_deflated(text)}</script>'


def figure(svg: str) -> str:
    """A figure, its places and paths rounded to what screens tell apart."""
    return _deflated(_NUMBERS.sub(_shortened, svg))


def _shortened(attribute: re.Match[str]) -> str:
    """A place or path of a figure to tenths of a point, less than a pixel."""
    return _LONG.sub(lambda found: f"{float(found[0]):.1f}".rstrip("0").rstrip("."), attribute[0])


def document(rows: Rows) -> dict[str, Any]:
    """The rows as the script reads them (`web/src/tables/columns.ts`)."""
    known = (*columns.tables()[rows.table].columns, *rows.more)
    defined = {column.name: column for column in known}
    file = rows.command.file if rows.command else ""
    found = []
    for name in rows.frame.columns:
        if name == file:
            continue
        column = defined.get(name)
        said = {"doc": column.doc, "unit": column.unit} if column else {"doc": "", "unit": None}
        found.append({"name": name, **said, **encoded(rows.frame[name].to_list())})
    command = rows.command
    return {
        "count": rows.frame.height,
        "total": rows.total,
        "left_out": rows.left_out,
        "columns": found,
        "command": vars(command) if command else None,
        "charts": [vars(chart) for chart in rows.charts],
        "over_time": [vars(one) for one in rows.over_time],
        "file": _file(rows.frame[file].to_list()) if file in rows.frame.columns else None,
        "heat": dataclasses.asdict(rows.heat) if rows.heat else None,
    }


def _file(texts: Sequence[str | None]) -> dict[str, Any]:
    """The files of all rows: what they share, and which values stand where in each."""
    known = list(dict.fromkeys(texts))
    found = together([json.loads(one) if one else None for one in known])
    place = {text: index for index, text in enumerate(known)}
    return {
        "shared": found.shared,
        "columns": [{"at": places, **encoded(values)} for places, values in found.columns],
        "of": encoded([place[one] for one in texts]),
        "count": len(known),
    }


def encoded(values: Sequence[Any]) -> dict[str, Any]:
    """A column as the shortest of four: all the same, places in a list, steps, or values."""
    shown = [_rounded(value) for value in values]
    known = list(dict.fromkeys(shown))
    if len(known) <= 1:
        return {"same": known[0] if known else None}
    if len(known) < FEW * len(shown):
        place = {value: index for index, value in enumerate(known)}
        return {"known": known, "places": [place[value] for value in shown]}
    if all(type(value) is int for value in shown):
        steps = [b - a for a, b in zip([0, *shown], shown, strict=False)]
        if min(steps[1:]) >= 0:
            return {"steps": steps}
    return {"values": shown}


def _rounded(value: Any) -> Any:
    """A value as JSON has it, a number with a fraction to as many digits as tables show."""
    if type(value) is int and abs(value) >= EXACT:
        return str(value)
    if not isinstance(value, float):
        return value
    if not math.isfinite(value):
        return None
    near = float(f"{value:.{DIGITS}g}")
    return int(near) if near.is_integer() and abs(near) < EXACT else near


def _deflated(text: str) -> str:
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()
