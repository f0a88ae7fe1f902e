"""Reports that people can look into: the same pages with their rows and a script inside.

The script is built from `web/src/report` (`make page`). Where it is not, a report is the page
without it. A report with it holds all that it shows: nothing is loaded from elsewhere.
"""

import pathlib
from collections.abc import Iterable
from html import escape

from flowstart.render import html, packed
from flowstart.render.listed import Rows

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


def page(title: str, parts: Iterable[str], rows: Rows | None = None) -> str:
    """A whole page of parts that are HTML, with the script and the rows that it shows."""
    if not is_built():
        return html.page(title, [*parts, html.made_by(_NOT_BUILT)])
    style = f"<style>{(PAGE / 'report.css').read_text('utf-8')}</style>"
    script = (PAGE / "report.js").read_text("utf-8").replace("</script", "<\\/script")
    block = [packed.block(rows)] if rows is not None else []
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
    inside = packed.figure(svg)
    return (
        f'<figure><template class="picture" data-alt="{words}">{inside}</template>'
        f"<noscript>{beside}</noscript>{told}</figure>"
    )
