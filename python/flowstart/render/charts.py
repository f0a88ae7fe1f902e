"""What all figures have in common: their looks, small panels, and the files they become.

Every startup keeps its colour, dash and marker through all figures; the colours are
Okabe and Ito's, which colour-blind readers tell apart, and the dashes carry the figure
where there is no colour at all.
"""

import io
import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import matplotlib as mpl
from matplotlib.figure import Figure

from flowstart.errors import RequestError
from flowstart.model import custom
from flowstart.model.catalog import suggest

if TYPE_CHECKING:
    from matplotlib.axes import Axes

T = TypeVar("T")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
"""What XML cannot hold; names of files and scenarios may."""
COLOURS = ("#000000", "#E69F00", "#0072B2", "#009E73", "#D55E00", "#CC79A7", "#56B4E9")
DASHES = (
    "-",
    (0, (5, 1.5)),
    (0, (1, 1)),
    (0, (5, 1.5, 1, 1.5)),
    (0, (8, 2)),
    (0, (3, 1, 1, 1, 1, 1)),
)
MARKERS = "osDPX<>"
"""None that points up or down: with a line to it, it would read as an arrow."""
# The default startups look the same in every comparison; others take what is left.
FIXED = ("slow-start", "limited-slow-start", "hystart", "hystart-plus-plus", "jump-start")
MOST_LINES = 8
"""More lines than these are not told apart in one panel: each gets a panel of its own."""
SMALL = 8
"""The size of words that are no axis' own, in points."""
LINE = 0.14
"""The height of a line of them, in inches."""
PALE = "0.8"
"""The others' lines behind it."""

STYLE: Any = {
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.size": 9,
    "grid.alpha": 0.3,
    "grid.linewidth": 0.5,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "svg.fonttype": "none",
    "svg.hashsalt": "flowstart",  # the same figure is the same file
}

CORNER: Any = {
    "xy": (0.98, 0.96),
    "xycoords": "axes fraction",
    "ha": "right",
    "va": "top",
    "fontsize": 7,
}
"""Where a panel says what of it is not seen."""


class Chart(Figure):
    """A figure that a notebook shows whether or not pyplot was imported."""

    def __init__(
        self,
        *,
        figsize: tuple[float, float],
        dpi: float = 150,
        layout: Literal["constrained"] | None = "constrained",
    ) -> None:
        super().__init__(figsize=figsize, dpi=dpi, layout=layout)

    def _repr_svg_(self) -> str:
        return svg(self)


def figure_of(axes: "Axes") -> Figure:
    """The figure that has these axes, whether or not they are in a part of it."""
    figure = axes.figure
    return figure if isinstance(figure, Figure) else figure.figure


def chosen(what: str, name: str | None, known: Mapping[str, T]) -> T:
    """The panel of this name, or the first."""
    if name is None:
        return next(iter(known.values()))
    if name not in known:
        raise RequestError(f"panel: `{name}` is no {what} here{suggest(name, list(known))}")
    return known[name]


def refuse_without_axes(panel: str | None) -> None:
    """Refuses a panel that would not be drawn."""
    if panel is not None:
        raise RequestError(f"panel: `{panel}` is drawn into axes; give them as `ax`")


def looks(names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Colour, dash, marker and width by startup."""
    places = {name: FIXED.index(name) for name in names if name in FIXED}
    free = (i for i in range(len(FIXED) + len(names)) if i not in places.values())
    for name in names:
        if name not in places:
            places[name] = next(free)
    return {
        name: {
            "color": COLOURS[place % len(COLOURS)],
            "linestyle": DASHES[place % len(DASHES)],
            "marker": MARKERS[place % len(MARKERS)],
            # Lines that coincide show below each other.
            "linewidth": max(1.2, 2.6 - 0.3 * place),
        }
        for name, place in places.items()
    }


def broken(name: str) -> str:
    """A startup's name for a narrow panel: its parameters below it where they are long."""
    name = custom.short(name)
    return name if len(name) <= 32 else name.replace(":", ":\n", 1)


def titled(chart: Figure, about: str) -> None:
    """What a figure is of, above its panels, in lines as long as it is wide."""
    width = chart.get_figwidth()
    said = "\n".join(lines(about, width))
    chart.suptitle(said, x=LINE / width, ha="left", fontsize=SMALL)


def lines(words: str, width: float) -> list[str]:
    """Small words in lines of at most `width` inches."""
    return textwrap.wrap(words, round(15 * width), break_on_hyphens=False)


def legend(chart: Figure, axes: "Axes", title: str | None = None) -> None:
    """A legend below all panels, of what `axes` shows."""
    handles, labels = axes.get_legend_handles_labels()
    chart.legend(
        handles,
        labels,
        loc="outside lower center",
        ncols=min(len(labels), 5),
        handlelength=3,
        title=title,
    )


def svg(figure: Figure) -> str:
    """A figure as the text of an SVG picture."""
    with mpl.rc_context(STYLE):
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", dpi=200, metadata={"Date": None})
    # What stands where is settled, and takes as long as drawing: another format needs it not.
    figure.set_layout_engine("none")
    found = buffer.getvalue()
    return _CONTROL.sub(lambda one: ascii(one[0])[1:-1], found[found.index("<svg") :])


def png(figure: Figure, about: Mapping[str, str] | None = None) -> bytes:
    """A figure as a PNG picture, with what `about` says in its text."""
    with mpl.rc_context(STYLE):
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", dpi="figure", metadata=about)
    return buffer.getvalue()
