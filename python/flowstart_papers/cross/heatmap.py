"""The picture of the whole table: startups by scenarios, bystanders at the right."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
import polars as pl
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from flowstart.render.charts import SMALL, STYLE, Chart
from flowstart_papers.cross import verdicts
from flowstart_papers.cross.ratios import change, in_doubt
from flowstart_papers.cross.scenarios import PAPERS
from flowstart_papers.cross.table import BYSTANDERS, CrossTable

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
"""Four times faster or slower has the darkest colour: the binary logarithm of it."""
COLOURS = "PuOr_r"
"""Purple is faster, orange slower; colour-blind readers can distinguish them."""
DARK = 1.25
"""From this logarithm on numbers are white."""
BEST, UNAIDED = "#009E73", "#56B4E9"


@dataclass(frozen=True)
class Block:
    """The columns of a paper, or those of bystanders."""

    title: str
    heads: Sequence[str]
    cells: Sequence[Sequence[Mapping[str, Any] | None]]
    """The ratio of each startup in each column, with whether it wins."""


def draw(table: CrossTable) -> Figure:
    """The whole table in one figure, the papers' blocks in as many lines as they need."""
    labels = verdicts.in_order(table)["label"].to_list()
    lines = _lines(_blocks(table, labels))
    width = max(map(_width, lines))
    tall = CELL_HEIGHT * len(labels)
    height = FOOT + (HEAD + tall) * len(lines)
    with mpl.rc_context(STYLE):
        chart = Chart(figsize=(width, height), layout=None)
        for number, line in enumerate(reversed(lines)):
            bottom, left = FOOT + (HEAD + tall) * number, NAMES
            for block in line:
                wide = CELL_WIDTH * len(block.heads)
                place = (left / width, bottom / height, wide / width, tall / height)
                axes = chart.add_axes(place)
                image = _numbers(axes, block)
                if block is line[0]:
                    axes.set_yticks(range(len(labels)), labels, fontsize=SMALL)
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
    columns = sum(len(block.heads) for block in line)
    return NAMES + CELL_WIDTH * columns + GAP * len(line) + 0.3


def _blocks(table: CrossTable, labels: Sequence[str]) -> list[Block]:
    won = verdicts.winners(table.own, "paper", "scenario")
    # No startup is the best of bystanders' times.
    lost = table.of(BYSTANDERS).with_columns(best=pl.lit(value=False), unaided=pl.lit(value=False))
    named = [(PAPERS[str(paper)], part) for (paper,), part in
             won.group_by(["paper"], maintain_order=True)]  # fmt: skip
    found = []
    for title, rows in [*named, *([("bystanders", lost)] if len(lost) else [])]:
        keys = rows["scenario"].unique(maintain_order=True).to_list()
        cells = {(row["label"], row["scenario"]): row for row in rows.rows(named=True)}
        heads = keys if rows is lost else [key.partition(".")[2] for key in keys]
        ratios = [[cells.get((label, key)) for key in keys] for label in labels]
        found.append(Block(title, heads, ratios))
    return found


def _numbers(axes: "Axes", block: Block) -> "mpl.image.AxesImage":
    values = np.array([[_log(ratio) for ratio in row] for row in block.cells])
    norm = TwoSlopeNorm(0, -LIMIT, LIMIT)
    image = axes.imshow(values, norm=norm, cmap=COLOURS, aspect="auto")
    columns = zip(*block.cells, strict=True)
    cells = [((x, y), ratio) for x, column in enumerate(columns) for y, ratio in enumerate(column)]
    for (x, y), ratio in cells:
        _number(axes, (x, y), ratio, abs(float(values[y, x])))
    for place, ratio in cells:
        if ratio and (ratio["best"] or ratio["unaided"]):
            _frame(axes, place, best=ratio["best"])
    _heads(axes, block)
    return image


def _log(ratio: Mapping[str, Any] | None) -> float:
    if ratio is None:
        return math.nan
    return max(-LIMIT, min(LIMIT, math.log2(ratio["ratio"])))


def _number(
    axes: "Axes", place: tuple[int, int], ratio: Mapping[str, Any] | None, log: float
) -> None:
    """A number in bold where draws leave no doubt of a change, in italics where they do."""
    drawn, doubtful = ratio and ratio["low"] is not None, ratio and in_doubt(ratio)
    axes.text(
        *place,
        change(ratio["ratio"]) if ratio else "–",
        ha="center",
        va="center",
        fontsize=NUMBERS,
        fontweight="bold" if drawn and not doubtful else "normal",
        fontstyle="italic" if doubtful else "normal",
        color="white" if log > DARK else "black",
    )


def _frame(axes: "Axes", place: tuple[int, int], *, best: bool) -> None:
    """A frame for the best of all, or for the best of those that are given nothing."""
    x, y = place
    frame = Rectangle((x - 0.5, y - 0.5), 1, 1, fill=False)
    frame.set(
        edgecolor=BEST if best else UNAIDED,
        linewidth=2,
        linestyle="-" if best else (0, (2, 1)),
        clip_on=False,
        zorder=3,
    )
    axes.add_patch(frame)


def _heads(axes: "Axes", block: Block) -> None:
    axes.xaxis.tick_top()
    axes.set_xticks(range(len(block.heads)), block.heads, fontsize=SMALL, rotation=55, ha="left")
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
