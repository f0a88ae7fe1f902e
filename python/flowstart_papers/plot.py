"""What a figure shows, without drawing it: panels made of frames, and pictures of panels."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from flowstart_papers.axes import Axis as Axis
from flowstart_papers.axes import Panel as Panel
from flowstart_papers.experiment import Picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def panel(
    frame: pl.DataFrame,
    x: tuple[str, Axis],
    y: tuple[str, Axis],
    by: str | None = None,
    *,
    name: str = "{}",
    **more: Any,
) -> Panel:
    """A column over another, with a curve for each value of `by`; `more` are the panel's fields.

    `name` makes a curve's name of its value: `"{} packets"`. Bands are drawn where the frame has
    the ends of an interval, such as `gain_low` and `gain_high` beside `gain`.
    """
    (column, x_axis), (of, y_axis) = x, y
    if by is None:
        parts = {name: frame}
    else:
        parts = {
            name.format(key): part for (key,), part in frame.group_by([by], maintain_order=True)
        }
    curves = {key: (part[column].to_list(), part[of].to_list()) for key, part in parts.items()}
    ends = [f"{of}_low", f"{of}_high"]
    if set(ends) <= set(frame.columns):
        bands = {key: (part[column].to_list(), *(part[end].to_list() for end in ends))
                 for key, part in parts.items()}  # fmt: skip
        more = {"bands": bands, **more}
    return Panel(x_axis, y_axis, curves, **more)


def panels_by(frame: pl.DataFrame, facet: str, title: str, *args: Any, **more: Any) -> list[Panel]:
    """A panel for each value of a column, which `title` makes a text of."""
    return [
        panel(part, *args, title=title.format(value), **more)
        for (value,), part in frame.group_by([facet], maintain_order=True)
    ]


def lines(name: str, caption: str, *drawn: Panel, **size: float) -> Picture:
    """A picture of panels, two in a row."""

    def draw() -> "Figure":
        from flowstart_papers import drawing

        return drawing.panels(*drawn, **size)

    return Picture(name, caption, draw)


def bars(
    name: str,
    caption: str,
    y: Axis,
    groups: Sequence[str],
    values: Mapping[str, Sequence[float | None]],
    ends: Mapping[str, Sequence[tuple[float, float]]] | None = None,
) -> Picture:
    """A picture of bars in groups, a bar of each of `values` in every group, perhaps with ends."""

    def draw() -> "Figure":
        from flowstart_papers import drawing

        return drawing.bars(y, groups, values, ends)

    return Picture(name, caption, draw)
