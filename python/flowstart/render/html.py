"""Pages that need nothing but themselves: tables and pictures in one HTML file.

They are read on a telephone, on a screen and on paper.
"""

import json
from collections.abc import Iterable
from html import escape
from string import Template

from flowstart import _native
from flowstart.render.grid import Column, Grid, RowSource, Where

_PAGE = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff;
       max-width: 73rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.5rem; margin: .5rem 0; }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
pre, code { font: .85rem/1.4 ui-monospace, monospace; }
pre { background: #f4f4f4; padding: .6rem; white-space: pre-wrap; overflow-wrap: anywhere; }
figure { margin: 1rem 0; }
figcaption { color: #555; font-size: .9rem; }
svg { max-width: 100%; height: auto; }
.headline { font-size: 1.15rem; font-weight: bold; }
footer { margin-top: 3rem; color: #555; font-size: .85rem; }
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  figure, tr { break-inside: avoid; }
  .first-page { break-after: page; }
  html body .flowstart { max-height: none; overflow: visible; }
  html body .flowstart table { font-size: 7pt; }
  html body .flowstart th, html body .flowstart td { padding: .1rem .25rem; }
  html body .flowstart thead th { position: static; }
  details::details-content { content-visibility: visible; }
}
</style>
</head>
<body>
$body
</body>
</html>
""")

# Within the table, because a notebook shows a table without the page around it.
_TABLE_STYLE = """<style>
.flowstart { overflow-x: auto; }
.flowstart table { border-collapse: collapse; font-size: .85rem;
                   font-variant-numeric: tabular-nums; }
.flowstart th, .flowstart td { padding: .15rem .45rem; text-align: right; white-space: nowrap; }
.flowstart caption, .flowstart .words { text-align: left; }
.flowstart caption { font-weight: bold; padding: .3rem .6rem; }
.flowstart thead th, .flowstart td.words { white-space: normal; vertical-align: top; }
.flowstart td.words:first-child { min-width: 9.5rem; }
.flowstart thead th { border-bottom: 1px solid #888; }
.flowstart th.group { text-align: left; padding-top: .7rem; }
.flowstart .best { font-weight: bold; color: #00664a; }
.flowstart .best td:first-child::after { content: " ◀"; }
</style>"""


def page(title: str, parts: Iterable[str]) -> str:
    """A whole page of parts that are already HTML."""
    return _PAGE.substitute(title=escape(title), body="\n".join([heading(title, 1), *parts]))


def heading(words: str, level: int = 2) -> str:
    """A heading."""
    return f"<h{level}>{escape(words)}</h{level}>"


def paragraph(words: str) -> str:
    """A paragraph of plain text."""
    return f"<p>{escape(words)}</p>"


def headline(words: str) -> str:
    """The sentence that a reader has to see."""
    return f'<p class="headline">{escape(words)}</p>'


def first_page(parts: Iterable[str]) -> str:
    """Parts that are a page by themselves on paper."""
    return f'<section class="first-page">{"".join(parts)}</section>'


def code(words: str) -> str:
    """A command or a file's text, set as it is."""
    return f"<pre>{escape(words)}</pre>"


def made_by(note: str = "") -> str:
    """The last line of a page, with a note after it."""
    words = " ".join(filter(None, [f"Made by flowstart {_native.version()}.", note]))
    return f"<footer>{escape(words)}</footer>"


def picture(svg: str, caption: str) -> str:
    """A figure with its caption."""
    return f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>"


def table(grid: Grid) -> str:
    """A table that scrolls sideways where the screen is narrow.

    Where the grid says what its numbers are made of, the table says so to the script of a report.
    """
    sides = ["" if column.number else ' class="words"' for column in grid.columns]
    titles = zip(sides, grid.columns, strict=True)
    traced = bool(grid.sources)
    head = "".join(f"<th{side}{_made_of(c, traced)}>{escape(c.title)}</th>" for side, c in titles)
    lines = []
    for index, row in enumerate(grid.rows):
        if index in grid.groups:
            span = len(grid.columns)
            group = escape(grid.groups[index])
            lines.append(f'<tr><th class="group" colspan="{span}">{group}</th></tr>')
        cells = "".join(f"<td{s}>{escape(c)}</td>" for s, c in zip(sides, row, strict=True))
        mark = ' class="best"' if index in grid.marked else ""
        source = _source(grid.sources[index]) if traced else ""
        lines.append(f"<tr{mark}{source}>{cells}</tr>")
    caption = f"<caption>{escape(grid.title)}</caption>" if grid.title else ""
    return (
        f'{_TABLE_STYLE}<div class="flowstart"><table>{caption}<thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def _made_of(column: Column, traced: bool) -> str:
    """What the numbers of a column are made of, as attributes of its heading."""
    if not (traced and column.of):
        return ""
    where = _where("where", column.where) if column.where is not None else ""
    return f' data-of="{escape(column.of)}"{where}{" data-compares" if column.compares else ""}'


def _source(source: RowSource) -> str:
    """Which rows of the result a row is made of, as attributes."""
    against = _where("against", source.against) if source.against is not None else ""
    return _where("rows", source.where) + against


def _where(name: str, where: Where) -> str:
    text = json.dumps(where, ensure_ascii=False, separators=(",", ":"))
    return f" data-{name}='{escape(text, quote=False).replace(chr(39), '&#x27;')}'"
