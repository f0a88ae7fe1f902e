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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

from flowstart.render import columns, html
from flowstart.render.together import together

if TYPE_CHECKING:
    import polars as pl

MOST_ROWS = 20_000
"""A report lists no more rows than these; it says so where there are more."""
DIGITS = 4
"""Significant digits of a number that is not whole, as in the tables."""
FEW = 0.25
"""A column is written as places in a list of its values where these are fewer than this share."""
CHARTS = '<div id="charts"></div>'
"""Where in a page the script puts its charts and maps."""
PAGE = pathlib.Path(__file__).parent / "page"
"""Where the script is, if it has been built."""
_NOT_BUILT = (
    "Its tables can be sorted and filtered, and its numbers looked up, where `make page` has been "
    "run before the command."
)

_NUMBERS = re.compile(r' (?:d|x|y|points)="[^"]*"')
_LONG = re.compile(r"-?\d+\.\d{2,}")


@dataclass(frozen=True)
class Command:
    """How the command that runs a row again is put together."""

    words: str
    """What all rows have in common."""
    options: Mapping[str, Mapping[str, str]]
    """By column: by its value, what is added to the words."""
    note: str = ""
    """What a reader has to know of it."""
    file: str = ""
    """The column with the JSON text of a file that the command reads, if it does."""


@dataclass(frozen=True)
class Chart:
    """Lines over a column of the rows, one for each value of another."""

    title: str
    x: Sequence[str]
    """The columns that a reader may choose from for the axis; the first is shown."""
    y: Sequence[str]
    by: str
    where: Mapping[str, object] = field(default_factory=dict)
    """Only these rows; see `grid.Where`."""
    baseline: str = ""
    """The value of `by` that is emphasised."""


@dataclass(frozen=True)
class Side:
    """One side of a heat map, in tiles."""

    title: str
    count: int
    ticks: Sequence[tuple[float, str]]
    """Where words stand, in tiles from the beginning, and the words."""


@dataclass(frozen=True)
class HeatMaps:
    """Heat maps of the same two sides, of who is best and of what each costs."""

    title: str
    x: Side
    y: Side
    names: Sequence[str]
    """What is compared."""
    panels: Sequence["Panel"]
    column: str
    """The column of the rows that says in which tile a row is."""
    by: str
    """The column with `names`."""
    measure: str
    """What the tiles' values are."""


@dataclass(frozen=True)
class Panel:
    """One heat map. A tile: its name in the rows, x, y, cells, and a value for each name."""

    title: str
    tiles: Sequence[tuple[str, int, int, int, Sequence[float]]]


@dataclass(frozen=True)
class OverTime:
    """Flows of one size over time."""

    label: str
    bin_s: float
    rtt_s: float | None
    """The round trip without queues, over which the delivery rate is taken."""
    flows: Sequence[Mapping[str, Any]]
    """As `web/src/report/overtime.ts` reads them."""


@dataclass(frozen=True)
class Rows:
    """The rows that a report lists, and that the numbers of its tables are made of."""

    frame: "pl.DataFrame"
    table: str
    """Whose definitions say what the columns hold."""
    total: int
    """How many rows the result has."""
    left_out: str = ""
    """Which rows these are, and where the others are, in a sentence; empty where all are there."""
    command: Command | None = None
    charts: Sequence[Chart] = ()
    heat: HeatMaps | None = None
    over_time: Sequence[OverTime] = ()
    more: Sequence[columns.Column] = ()
    """What columns hold that `table` does not define."""


def is_built() -> bool:
    """Whether the script of reports is there."""
    return (PAGE / "report.js").is_file()


def page(title: str, parts: Iterable[str], rows: Rows | None = None) -> str:
    """A whole page of parts that are HTML, with the script and the rows that it shows."""
    if not is_built():
        return html.page(title, [*parts, html.made_by(_NOT_BUILT)])
    style = f"<style>{(PAGE / 'report.css').read_text('utf-8')}</style>"
    script = (PAGE / "report.js").read_text("utf-8").replace("</script", "<\\/script")
    block = [_block("rows", document(rows))] if rows is not None else []
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
    packed = _packed(_NUMBERS.sub(_shortened, svg).encode())
    return (
        f'<figure><template class="picture" data-alt="{words}">{packed}</template>'
        f"<noscript>{beside}</noscript>{told}</figure>"
    )


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
    if not isinstance(value, float):
        return value
    if not math.isfinite(value):
        return None
    near = float(f"{value:.{DIGITS}g}")
    return int(near) if near.is_integer() and abs(near) < 2**53 else near


def _block(name: str, content: object) -> str:
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    kind = "application/octet-stream"
    return f'<script type="{kind}" id="data-{name}">{_packed(text.encode())}</script>'


def _packed(content: bytes) -> str:
    return base64.b64encode(zlib.compress(content, 9)).decode()
