"""Figures on their way into a folder of results, which is whole without them.

They need the extra `plot`. Without it nothing is drawn, and the page says what is left out.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from flowstart import extras
from flowstart.render import html

if TYPE_CHECKING:
    from matplotlib.figure import Figure


Draw: TypeAlias = "Callable[[], tuple[Figure, str]]"
"""What draws a figure, and returns it with its caption."""
Progress: TypeAlias = Callable[[int, int], object]
"""Called as `progress(done, total)` before each figure is drawn."""


class Files(NamedTuple):
    """A figure as files."""

    name: str
    caption: str
    svg: str
    """The text of the SVG picture, for the page."""
    contents: dict[str, bytes]
    """The SVG and the PNG picture, by the names of their files."""


def wanting() -> str | None:
    """Why no figures can be drawn, and what to install, in a sentence; None where they can."""
    if not (absent := extras.missing("plot")):
        return None
    return (
        f"figures are left out: they need {' and '.join(absent)}, which "
        f"`{extras.how_to_install('plot')}` brings"
    )


def apology() -> list[str]:
    """The same as a paragraph of a page, if there is reason for it."""
    why = wanting()
    return [html.paragraph(f"{why[0].upper()}{why[1:]}.")] if why else []


def shown(draw: "Callable[[], Figure]", caption: str) -> str:
    """A figure in a page or a notebook, or what is needed for it."""
    if wanting():
        return "".join(apology())
    from flowstart.render import charts  # loads matplotlib

    return html.picture(charts.svg(draw()), caption)


def of(name: str, figure: "Figure", caption: str = "") -> Files:
    """A figure as `name`.svg and `name`.png; the figure itself is emptied."""
    from flowstart.render import charts  # loads matplotlib

    svg = charts.svg(figure)
    contents = {f"{name}.svg": svg.encode(), f"{name}.png": charts.png(figure)}
    figure.clear()  # what is left of it refers to itself, and would stay for long
    return Files(name, caption, svg, contents)


def report(
    title: str, parts: list[str], figures: Mapping[str, Draw], progress: Progress | None
) -> dict[str, bytes]:
    """The page of a report, which ends with its figures, and the files of these."""
    pictures = [] if wanting() else [*drawn(figures, progress)]
    shown = [html.picture(each.svg, each.caption) for each in pictures]
    page = html.page(title, [*parts, *shown, *apology(), html.made_by()])
    contents = {name: content for each in pictures for name, content in each.contents.items()}
    return {**contents, "report.html": page.encode()}


def drawn(figures: Mapping[str, Draw], progress: Progress | None = None) -> Iterator[Files]:
    """Figures by the name of their files, drawn one at a time, for they are large."""
    for done, (name, draw) in enumerate(figures.items()):
        if progress:
            progress(done, len(figures))
        figure, caption = draw()
        yield of(name, figure, caption)
