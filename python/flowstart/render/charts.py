"""Charts and their panels, drawn with matplotlib, and where labels are placed."""

import io
import math
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

import matplotlib as mpl
import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator

from flowstart import _native
from flowstart.errors import RequestError
from flowstart.model import custom
from flowstart.model.catalog import suggest

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike


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
FIXED = tuple(_native.USUAL_STARTUPS)
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
        raise RequestError(f"`{name}` is not a {what} here{suggest(name, list(known))}", ("panel",))
    return known[name]


def refuse_without_axes(panel: str | None) -> None:
    """Refuses a panel that would not be drawn."""
    if panel is not None:
        raise RequestError(f"`{panel}` is drawn into axes; give them as `ax`", ("panel",))


def looks(names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Colour, dash, marker and width by startup."""
    indices = {name: FIXED.index(name) for name in names if name in FIXED}
    free = (i for i in range(len(FIXED) + len(names)) if i not in indices.values())
    for name in names:
        if name not in indices:
            indices[name] = next(free)
    return {
        name: {
            "color": COLOURS[index % len(COLOURS)],
            "linestyle": DASHES[index % len(DASHES)],
            "marker": MARKERS[index % len(MARKERS)],
            # Lines that coincide show below each other.
            "linewidth": max(1.2, 2.6 - 0.3 * index),
        }
        for name, index in indices.items()
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


def marks(axes: "Axes", x: "ArrayLike", y: "ArrayLike", **look: Any) -> None:
    """Marks that the edge of a panel does not cut; without any, nothing is drawn.

    A line without points counts as at the figure's corner, and the layout makes room for it.
    """
    if np.size(x):
        axes.plot(x, y, linestyle="", clip_on=False, **look)


def log_scale(
    axes: "Axes", side: Literal["x", "y"], values: "ArrayLike", subs: Sequence[float] = (1,)
) -> None:
    """A logarithmic axis where one of its values is above 0; matplotlib refuses others.

    Its ticks are at `subs` times the powers of ten.
    """
    if np.any(np.asarray(values, float) > 0):
        axes.set(**{f"{side}scale": "log"})
        if len(subs) > 1:
            getattr(axes, f"{side}axis").set_major_locator(LogLocator(subs=subs))


def state_absence(axes: "Axes", why: str) -> None:
    """States in an empty panel why it is empty."""
    axes.text(0.5, 0.5, why, transform=axes.transAxes, ha="center", va="center", color="0.4")


def svg(figure: Figure) -> str:
    """A figure as the text of an SVG picture."""
    with mpl.rc_context(STYLE):
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", dpi=200, metadata={"Date": None})
    # What stands where is settled, and takes as long as drawing: another format needs it not.
    figure.set_layout_engine("none")
    picture = buffer.getvalue()
    return _CONTROL.sub(lambda match: ascii(match[0])[1:-1], picture[picture.index("<svg") :])


def png(figure: Figure, about: Mapping[str, str] | None = None) -> bytes:
    """A figure as a PNG picture, with what `about` says in its text."""
    with mpl.rc_context(STYLE):
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", dpi="figure", metadata=about)
    return buffer.getvalue()


COLUMNS = 4
WIDTH, HEIGHT = 2.15, 1.35
"""Of a panel, in inches."""
GAP = 0.2
"""Between panels that stand side by side."""
LEFT, RIGHT = 0.75, 0.15
DPI = 110
"""Of a picture in PNG: a figure of thirty panels is large."""


@dataclass(frozen=True)
class Scale:
    """An axis that all panels have."""

    label: str
    limits: tuple[float, float]
    ticks: Sequence[float]
    words: Sequence[str]
    """What stands at the ticks."""
    is_log: bool = False
    is_upright: bool = False
    """Whether the words are too long to stand side by side, and run upwards."""

    @property
    def height(self) -> float:
        """The room that the words need below a panel, in inches."""
        longest = max(map(len, self.words), default=0)
        return 0.15 + 0.06 * longest if self.is_upright else 0.25


def linear(label: str, high: float) -> Scale:
    """From 0 to `high`, or to 1 where all values are 0."""
    high = high or 1.0
    ticks = [float(t) for t in MaxNLocator(4).tick_values(0, high) if 0 <= t <= high]
    return Scale(label, (0, high), ticks, [f"{t:g}" for t in ticks])


def logarithmic(label: str, values: Sequence[float]) -> Scale:
    """Over all `values`, with some room beyond them."""
    known = list(values) or [1.0]
    low, high = min(known) / 1.1, max(known) * 1.15
    ticks = [float(t) for t in LogLocator(subs=(1, 2, 5)).tick_values(low, high)]
    ticks = [t for t in ticks if low <= t <= high]
    return Scale(label, (low, high), ticks, [f"{t:g}" for t in ticks], is_log=True)


def panels(
    titles: Sequence[str], x: Scale, y: Scale, about: str, *, legend: bool = False
) -> "tuple[Chart, list[Axes]]":
    """A figure with a panel under each of `titles`.

    `about` is what all of them are of; `legend` leaves room for one below it.
    """
    rows, columns = -(-len(titles) // COLUMNS), min(len(titles), COLUMNS)
    width = LEFT + columns * (WIDTH + GAP) - GAP + RIGHT
    said = lines(about, width)
    head = LINE * (len(said) + 0.5) + (2 * LINE if legend else 0)
    between = LINE * (max(title.count("\n") for title in titles) + 1) + 0.15
    foot = x.height + 2.5 * LINE
    height = head + rows * (HEIGHT + between) + foot
    chart = Chart(figsize=(width, height), dpi=DPI, layout=None)
    chart.text(LINE / width, 1 - LINE / 2 / height, "\n".join(said), va="top", fontsize=SMALL)
    chart.supxlabel(x.label, y=LINE / 2 / height, va="bottom", fontsize=SMALL + 1)
    chart.supylabel(y.label, x=LINE / 2 / width, ha="left", fontsize=SMALL + 1)
    all_axes = []
    for index, title in enumerate(titles):
        row, column = divmod(index, COLUMNS)
        left = LEFT + column * (WIDTH + GAP)
        bottom = height - head - (row + 1) * (HEIGHT + between)
        box = (left / width, bottom / height, WIDTH / width, HEIGHT / height)
        axes = chart.add_axes(box)
        axes.set_title(title, fontsize=SMALL, pad=3)
        _scale(axes, x, y, at_left=column == 0, at_bottom=index + COLUMNS >= len(titles))
        all_axes.append(axes)
    return chart, all_axes


def key_of_panels(chart: Chart, axes: "Sequence[Axes]") -> None:
    """A legend in the room that `panels` has left for one: of whatever any panel shows."""
    shown = [dict(zip(*reversed(panel.get_legend_handles_labels()), strict=True)) for panel in axes]
    handles = {label: handle for panel in reversed(shown) for label, handle in panel.items()}
    top = axes[0].get_position().y1 + 3.2 * LINE / chart.get_figheight()
    chart.legend(
        list(handles.values()),
        list(handles),
        loc="upper center",
        bbox_to_anchor=(0.5, top),
        ncols=len(handles),
        fontsize=SMALL,
    )


def _scale(axes: "Axes", x: Scale, y: Scale, *, at_left: bool, at_bottom: bool) -> None:
    """Limits, ticks where they are written, and lines at all of them."""
    axes.set(xlim=x.limits, ylim=y.limits)
    axes.grid(visible=False)
    if x.is_log:
        axes.set_xscale("log")
    if y.is_log:
        axes.set_yscale("log")
    rules = [[(tick, y.limits[0]), (tick, y.limits[1])] for tick in x.ticks]
    rules += [[(x.limits[0], tick), (x.limits[1], tick)] for tick in y.ticks]
    axes.add_collection(
        LineCollection(rules, colors="0.9", linewidths=0.5, zorder=0), autolim=False
    )
    for axis, scale, shown in ((axes.xaxis, x, at_bottom), (axes.yaxis, y, at_left)):
        axis.set_visible(shown)
        if shown:
            axis.set_ticks(list(scale.ticks), list(scale.words), fontsize=SMALL - 1)
            axis.set_ticks([], minor=True)
    if at_bottom and x.is_upright:
        axes.tick_params(axis="x", rotation=90)


Box: TypeAlias = tuple[float, float, float, float]
"""Left, bottom, right, top."""

LETTER = 0.58
"""The mean width of a letter, in sizes of the type."""
RINGS = 14
"""How far from its point a name is tried, in lines."""
ANGLES = (0, 180, 90, 270, 35, -35, 145, -145, 65, -65, 115, -115)
"""In which directions, in degrees."""


@dataclass(frozen=True)
class NamedPoint:
    """A point and its name; lengths are in pixels."""

    x: float
    y: float
    name: str
    is_first: bool = False
    """Whether its name is placed before others'."""


@dataclass(frozen=True)
class Label:
    """A name in its place."""

    point: NamedPoint
    x: float
    """Its left end."""
    y: float
    """Its middle."""
    width: float
    height: float
    far: bool
    """Whether a line should lead to its point."""

    @property
    def box(self) -> Box:
        """The room that it takes."""
        half = self.height / 2
        return self.x, self.y - half, self.x + self.width, self.y + half

    @property
    def side(self) -> float:
        """Where along the name such a line begins: 0 is its left end, 1 its right."""
        return min(max((self.point.x - self.x) / self.width, 0.0), 1.0)


def placed(
    points: Sequence[NamedPoint], size: float, within: Box, avoided: Sequence[Box] = ()
) -> list[Label]:
    """Every name as near to its point as those before it leave room for.

    `size` is that of the type, in pixels; nothing is put over what is `avoided`. Where there is no
    room at all, a name stands beside its point, over whatever is there.
    """
    gap = 0.45 * size
    taken = [*avoided, *((p.x - gap, p.y - gap, p.x + gap, p.y + gap) for p in points)]
    labels = []
    for point in sorted(points, key=lambda p: (not p.is_first, -p.y, p.x)):
        label = next(
            (
                label
                for label in _labels(point, size)
                if _inside(label.box, within) and not any(_overlap(label.box, t) for t in taken)
            ),
            next(_labels(point, size)),
        )
        taken.append(label.box)
        labels.append(label)
    return labels


def _labels(point: NamedPoint, size: float) -> Iterator[Label]:
    """Where a name may stand, the nearest first: to the right, to the left, above, below."""
    width = LETTER * size * len(point.name)
    for ring in range(RINGS):
        away = (0.8 + 0.9 * ring) * size
        for angle in ANGLES:
            dx, dy = math.cos(math.radians(angle)), math.sin(math.radians(angle))
            left = point.x + away * dx - width * (1 - dx) / 2
            yield Label(point, left, point.y + away * dy, width, 1.15 * size, far=ring > 1)


def _inside(box: Box, other: Box) -> bool:
    return box[0] >= other[0] and box[1] >= other[1] and box[2] <= other[2] and box[3] <= other[3]


def _overlap(box: Box, other: Box) -> bool:
    return box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]
