"""Grids on the terminal."""

import io
import shutil

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from flowstart.render.grid import Grid
from flowstart.render.marks import MARK
from flowstart.render.text import printable


def fitted(grid: Grid, console: Console) -> tuple[Table, list[str]]:
    """The table in the console's width: closer where need be, then with fewer columns.

    The spare columns are left out first, then numbers from the right: a number is shown whole or
    not at all, and words go on in another line. Returns the titles of what was left out, too.
    """
    titles = [column.title for column in grid.columns]
    hidden: set[str] = set()
    unbounded = console.options.update(max_width=10_000)
    while True:
        for gap in (1, 0):
            found = table(grid, gap)
            if Measurement.get(console, unbounded, found).maximum <= console.width:
                return found, [_line(title) for title in titles if title in hidden]
        place = _spared(grid)
        if place is None:
            return found, [_line(title) for title in titles if title in hidden]
        hidden.add(grid.columns[place].title)
        grid = grid.without(place)


def _line(title: str) -> str:
    """A heading of several lines in one."""
    return " ".join(title.split())


def _spared(grid: Grid) -> int | None:
    """The place of the column that is left out next; None where none is."""
    # Of columns that are as spare as each other, the last.
    spare = {column.spare: i for i, column in enumerate(grid.columns) if column.spare}
    if spare:
        return spare[max(spare)]
    numbers = [i for i, column in enumerate(grid.columns) if column.number]
    return numbers[-1] if len(numbers) > 1 else None


def show(grid: Grid, console: Console) -> None:
    """The table, and in a line below it what there was no room for."""
    found, hidden = fitted(grid, console)
    console.print(found)
    if hidden:
        console.print(_text(f"Hidden, too narrow: {', '.join(dict.fromkeys(hidden))}."))


def plain(grid: Grid, width: int) -> str:
    """The table as text of at most so many columns, with what it has no room for below it."""
    console = Console(width=width, file=io.StringIO(), color_system=None)
    with console.capture() as caught:
        show(grid, console)
    return "\n".join(line.rstrip() for line in caught.get().strip("\n").splitlines())


def screen(headline: str, grid: Grid, more: str) -> str:
    """A result on one screen of the terminal; where rows are missing, `more` says who has them."""
    size = shutil.get_terminal_size((100, 40))
    rows = max(10, size.lines - 10)
    left = f"{len(grid.rows) - rows} more rows: {more}" if len(grid.rows) > rows else ""
    return "\n".join(filter(None, [headline, plain(grid.first(rows), size.columns), left]))


def table(grid: Grid, gap: int = 1) -> Table:
    """A rich table, one column and `gap` apart; the best rows are bold and end in a mark."""
    found = Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, gap, 0, 0),
        title=_text(grid.title) if grid.title else None,
    )
    for place, column in enumerate(grid.columns):
        found.add_column(
            _text(column.title),
            justify="right" if column.number else "left",
            no_wrap=column.number or place == 0 or column.title == "startup",
        )
    if grid.marked:
        found.add_column("")
    for index, row in enumerate(grid.rows):
        if index in grid.groups:
            if index:
                found.add_row()
            found.add_row(_text(grid.groups[index], "bold underline"))
        best = index in grid.marked
        cells = [_text(cell) for cell in row] + (
            [Text(MARK if best else "")] if grid.marked else []
        )
        found.add_row(*cells, style="bold green" if best else "")
    return found


def _text(words: str, style: str = "") -> Text:
    """Words of any origin: neither rich's markup nor the terminal's escapes have an effect."""
    return Text(printable(words), style=style)
