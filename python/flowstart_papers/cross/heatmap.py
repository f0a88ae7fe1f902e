"""The picture of the whole table: startups by scenarios, bystanders beside them."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from flowstart.render.charts import SMALL, STYLE, Chart
from flowstart_papers.cross import verdicts
from flowstart_papers.cross.glance import in_order
from flowstart_papers.cross.scenarios import PAPERS, Scenario
from flowstart_papers.cross.spelling import change, in_doubt
from flowstart_papers.cross.startups import StartUp
from flowstart_papers.cross.table import CrossTable, Ratio

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CELL_WIDTH, CELL_HEIGHT = 0.385, 0.19
"""Of one number, in inches."""
NAMES, HEAD, FOOT, GAP = 1.72, 1.12, 0.7, 0.16
"""The room for names, for what columns are, for the bar of colours, and between papers."""
WIDEST = 10.9
"""Inches that blocks may fill side by side, so that a page shows their numbers readably."""
NUMBERS = 7.0
"""The size of numbers, in points."""
LIMIT = 2.0
"""Four times sooner or later has the darkest colour: the binary logarithm of it."""
COLOURS = "PuOr_r"
"""Purple sooner, orange later: told apart by colour-blind readers."""
DARK = 1.25
"""From this logarithm on numbers are white."""
BEST, UNAIDED = "#009E73", "#56B4E9"


@dataclass(frozen=True)
class Block:
    """The columns of a paper."""

    title: str
    scenarios: Sequence[Scenario]
    ratio: Callable[[Scenario, StartUp], Ratio | None]
    harm: bool = False
    """Whether it is bystanders' times, of whom nobody is best."""


def draw(table: CrossTable) -> Figure:
    """The whole table in one figure, the papers' blocks in as many lines as they need."""
    lines, rows = _lines(_blocks(table)), in_order(table)
    width = max(map(_width, lines))
    tall = CELL_HEIGHT * len(rows)
    height = FOOT + (HEAD + tall) * len(lines)
    with mpl.rc_context(STYLE):
        chart = Chart(figsize=(width, height), layout=None)
        for number, line in enumerate(reversed(lines)):
            bottom, left = FOOT + (HEAD + tall) * number, NAMES
            for block in line:
                wide = CELL_WIDTH * len(block.scenarios)
                place = (left / width, bottom / height, wide / width, tall / height)
                axes = chart.add_axes(place)
                image = _numbers(axes, table, block, rows)
                if block is line[0]:
                    axes.set_yticks(range(len(rows)), [each.label for each in rows], fontsize=SMALL)
                left += wide + GAP
        bar = chart.add_axes((NAMES / width, 0.36 / height, 3.4 / width, 0.12 / height))
        _bar(bar, image)
    return chart


def _lines(blocks: Sequence[Block]) -> list[list[Block]]:
    found: list[list[Block]] = [[]]
    for block in blocks:
        if found[-1] and _width([*found[-1], block]) > WIDEST:
            found.append([])
        found[-1].append(block)
    return found


def _width(line: Sequence[Block]) -> float:
    """Of blocks side by side, in inches, with room for the last heading."""
    columns = sum(len(block.scenarios) for block in line)
    return NAMES + CELL_WIDTH * columns + GAP * len(line) + 0.3


def _blocks(table: CrossTable) -> list[Block]:
    def own(scenario: Scenario, startup: StartUp) -> Ratio | None:
        entry = table.entry(scenario, startup)
        return entry.ratio if entry else None

    def harm(scenario: Scenario, startup: StartUp) -> Ratio | None:
        entry = table.entry(scenario, startup)
        return entry.harm if entry else None

    found = [
        Block(name, mine, own)
        for paper, name in PAPERS.items()
        if (mine := [each for each in table.scenarios if each.paper == paper])
    ]
    beside = [each for each in table.scenarios if each.bystanders]
    return found + ([Block("bystanders", beside, harm, harm=True)] if beside else [])


def _numbers(
    axes: "Axes", table: CrossTable, block: Block, rows: Sequence[StartUp]
) -> "mpl.image.AxesImage":
    ratios = [[block.ratio(each, startup) for each in block.scenarios] for startup in rows]
    values = np.array([[_log(ratio) for ratio in row] for row in ratios])
    norm = TwoSlopeNorm(0, -LIMIT, LIMIT)
    image = axes.imshow(values, norm=norm, cmap=COLOURS, aspect="auto")
    for place, ratio in np.ndenumerate(np.array(ratios, dtype=object)):
        _number(axes, place, ratio, float(values[place]))
    if not block.harm:
        for column, scenario in enumerate(block.scenarios):
            _frame(axes, table, scenario, rows, column)
    _heads(axes, block)
    return image


def _log(ratio: Ratio | None) -> float:
    if ratio is None:
        return math.nan
    return max(-LIMIT, min(LIMIT, math.log2(ratio.value)))


def _number(axes: "Axes", place: tuple[int, ...], ratio: Ratio | None, log: float) -> None:
    """A number in bold where draws leave no doubt of a change, in italics where they do."""
    row, column = place
    words = change(ratio.value) if ratio else "–"
    drawn = ratio is not None and not ratio.exact
    axes.text(
        column,
        row,
        words,
        ha="center",
        va="center",
        fontsize=NUMBERS,
        fontweight="bold" if ratio and drawn and not in_doubt(ratio) else "normal",
        fontstyle="italic" if ratio and in_doubt(ratio) else "normal",
        color="white" if abs(log) > DARK else "black",
    )


def _frame(
    axes: "Axes", table: CrossTable, scenario: Scenario, rows: Sequence[StartUp], column: int
) -> None:
    """Frames for the best of all, and for the best of those that are given nothing."""
    won = verdicts.winner(table, [scenario])
    for startup in dict.fromkeys([*won.best, *won.unaided]):
        frame = Rectangle((column - 0.5, rows.index(startup) - 0.5), 1, 1, fill=False)
        frame.set(
            edgecolor=BEST if startup in won.best else UNAIDED,
            linewidth=2,
            linestyle="-" if startup in won.best else (0, (2, 1)),
            clip_on=False,
            zorder=3,
        )
        axes.add_patch(frame)


def _heads(axes: "Axes", block: Block) -> None:
    axes.xaxis.tick_top()
    heads = [each.key if block.harm else each.key.partition(".")[2] for each in block.scenarios]
    axes.set_xticks(range(len(heads)), heads, fontsize=SMALL, rotation=55, ha="left")
    axes.set_yticks([])
    axes.tick_params(length=0, pad=1)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    axes.annotate(
        block.title,
        (0, 1),
        xycoords="axes fraction",
        xytext=(0, 56),
        textcoords="offset points",
        fontsize=SMALL + 1,
        fontweight="bold",
    )


def _bar(axes: "Axes", image: "mpl.image.AxesImage") -> None:
    bar = axes.figure.colorbar(image, cax=axes, orientation="horizontal", extend="both")
    ticks = (-2, -1, -0.415, 0, 0.585, 1, 2)
    names = ("−75 %", "−50 %", "−25 %", "0", "+50 %", "×2", "×4")
    bar.set_ticks(ticks, labels=names, fontsize=SMALL - 1)
    axes.annotate(
        "change of the median completion against slow start\n"
        "plain: nothing drawn; bold: beyond doubt (95 %); italics: in doubt; –: cannot be given\n"
        "solid frame: best of its column; dashed: best of those that are given nothing",
        (1.1, 0.2),
        xycoords="axes fraction",
        va="center",
        fontsize=SMALL - 0.5,
    )
