"""Reports that people can look into: the same pages with their rows and a script inside.

The script is built from `web/src/report` (`make page`). Where it is not, a report is the page
without it. A report with it holds all that it shows: nothing is loaded from elsewhere.
"""

import base64
import dataclasses
import json
import math
import pathlib
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, TypeAlias

from flowstart.render import columns, html
from flowstart.render.listed import ListedRows

Place: TypeAlias = tuple[str | int, ...]
"""The names and numbers that lead to a value in a document."""


@dataclass(frozen=True)
class Together:
    """Documents, each value as JSON text."""

    shared: list[tuple[Place, str]]
    """What all of them have."""
    columns: list[tuple[list[Place], list[str | None]]]
    """Places that hold the same in each document, and that by document; None where it has none."""


def together(documents: Sequence[Any]) -> Together:
    """Documents by what they share and where they differ."""
    leaves = [dict(_leaves(document)) for document in documents]
    paths = list(dict.fromkeys(path for leaf in leaves for path in leaf))
    shared: list[tuple[Place, str]] = []
    columns: dict[tuple[str | None, ...], list[Place]] = {}
    for path in paths:
        values = tuple(leaf.get(path) for leaf in leaves)
        first = values[0]
        if first is not None and len(set(values)) == 1:
            shared.append((path, first))
        else:
            columns.setdefault(values, []).append(path)
    return Together(shared, [(own, list(values)) for values, own in columns.items()])


def _leaves(value: Any, path: Place = ()) -> Iterator[tuple[Place, str]]:
    """The values of a document that hold no others."""
    if value and isinstance(value, dict):
        for name, inner in value.items():
            yield from _leaves(inner, (*path, name))
    elif value and isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _leaves(inner, (*path, number))
    else:
        yield path, json.dumps(value, ensure_ascii=False)


DIGITS = 4
"""Significant digits of a number that is not whole, as in the tables."""
EXACT = 2**53
"""Whole numbers from here on are text: scripts have numbers of 64 bits with a fraction."""
FEW = 0.25
"""A column is written as places in a list of its values where these are fewer than this share."""
_NUMBERS = re.compile(r' (?:d|x|y|points)="[^"]*"')
_LONG = re.compile(r"-?\d+\.\d{2,}")


def packed_block(rows: ListedRows) -> str:
    """The element of a page that holds the rows."""
    text = json.dumps(document(rows), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    kind = "application/octet-stream"
    return f'<script type="{kind}" id="data-rows">{_deflated(text)}</script>'


def figure(svg: str) -> str:
    """A figure, its places and paths rounded to what screens tell apart."""
    return _deflated(_NUMBERS.sub(_shortened, svg))


def _shortened(attribute: re.Match[str]) -> str:
    """A place or path of a figure to tenths of a point, less than a pixel."""
    return _LONG.sub(lambda match: f"{float(match[0]):.1f}".rstrip("0").rstrip("."), attribute[0])


def document(rows: ListedRows) -> dict[str, Any]:
    """The rows as the script reads them (`web/src/tables/columns.ts`)."""
    known = (*columns.tables()[rows.table].columns, *rows.more)
    defined = {column.name: column for column in known}
    file = rows.command.file if rows.command else ""
    encoded_columns = []
    for name in rows.frame.columns:
        if name == file:
            continue
        column = defined.get(name)
        said = {"doc": column.doc, "unit": column.unit} if column else {"doc": "", "unit": None}
        encoded_columns.append({"name": name, **said, **encoded(rows.frame[name].to_list())})
    command = rows.command
    return {
        "count": rows.frame.height,
        "total": rows.total,
        "left_out": rows.left_out,
        "columns": encoded_columns,
        "command": vars(command) if command else None,
        "charts": [vars(chart) for chart in rows.charts],
        "over_time": [vars(trace) for trace in rows.over_time],
        "file": _file(rows.frame[file].to_list()) if file in rows.frame.columns else None,
        "heat": dataclasses.asdict(rows.heat) if rows.heat else None,
    }


def _file(texts: Sequence[str | None]) -> dict[str, Any]:
    """The files of all rows: what they share, and which values stand where in each."""
    known = list(dict.fromkeys(texts))
    parts = together([json.loads(text) if text else None for text in known])
    numbers = {text: index for index, text in enumerate(known)}
    return {
        "shared": parts.shared,
        "columns": [{"at": places, **encoded(values)} for places, values in parts.columns],
        "of": encoded([numbers[text] for text in texts]),
        "count": len(known),
    }


def encoded(values: Sequence[Any]) -> dict[str, Any]:
    """A column as the shortest of four: all the same, places in a list, steps, or values."""
    shown = [_rounded(value) for value in values]
    known = list(dict.fromkeys(shown))
    if len(known) <= 1:
        return {"same": known[0] if known else None}
    if len(known) < FEW * len(shown):
        numbers = {value: index for index, value in enumerate(known)}
        return {"known": known, "places": [numbers[value] for value in shown]}
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


CHARTS = '<div id="charts"></div>'
"""Where in a page the script puts its charts and maps."""
PAGE = pathlib.Path(__file__).parent / "page"
"""Where the script is, if it has been built."""
_NOT_BUILT = (
    "Its tables can be sorted and filtered, and its numbers looked up, where `make page` has been "
    "run before the command."
)


def is_built() -> bool:
    """Whether the script of reports is there."""
    return (PAGE / "report.js").is_file()


def page(title: str, parts: Iterable[str], rows: ListedRows | None = None) -> str:
    """A whole page of parts that are HTML, with the script and the rows that it shows."""
    if not is_built():
        return html.page(title, [*parts, html.made_by(_NOT_BUILT)])
    style = f"<style>{(PAGE / 'report.css').read_text('utf-8')}</style>"
    script = (PAGE / "report.js").read_text("utf-8").replace("</script", "<\\/script")
    block = [packed_block(rows)] if rows is not None else []
    body = [style, *parts, '<div id="rows"></div>', html.made_by(), *block]
    return html.page(title, [*body, f"<script>{script}</script>"])


def picture(svg: str, caption: str, file: str, *, charted: bool = False) -> str:
    """A figure with its caption: deflated for the script, and `file` beside without it.

    Where a chart of the script shows the same (`charted`), the figure is for readers without it.
    """
    if not is_built():
        return html.picture(svg, caption)
    words = escape(caption)
    beside = f'<img src="{escape(file)}" alt="{words}">'
    told = f"<figcaption>{words}</figcaption>"
    if charted:
        return f"<noscript><figure>{beside}{told}</figure></noscript>"
    inside = figure(svg)
    return (
        f'<figure><template class="picture" data-alt="{words}">{inside}</template>'
        f"<noscript>{beside}</noscript>{told}</figure>"
    )
