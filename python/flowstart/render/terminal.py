"""Grids on the terminal."""

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from flowstart.render.grid import Grid
from flowstart.render.marks import MARK


def fitted(grid: Grid, console: Console) -> tuple[Table, list[str]]:
    """The table in the console's width: closer where need be, then without spare columns.

    Returns the titles of the columns that were left out, too.
    """
    titles = [column.title for column in grid.columns]
    hidden: set[str] = set()
    unbounded = console.options.update(max_width=10_000)
    while True:
        for gap in (1, 0):
            found = table(grid, gap)
            if Measurement.get(console, unbounded, found).maximum <= console.width:
                return found, [title for title in titles if title in hidden]
        # Of columns that are as spare as each other, the last.
        spare = {column.spare: i for i, column in enumerate(grid.columns) if column.spare}
        if not spare:
            return found, [title for title in titles if title in hidden]
        place = spare[max(spare)]
        hidden.add(grid.columns[place].title)
        grid = grid.without(place)


def table(grid: Grid, gap: int = 1) -> Table:
    """A rich table, one column and `gap` apart; the best rows are bold and end in a mark."""
    found = Table(
        box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, gap, 0, 0), title=grid.title or None
    )
    for column in grid.columns:
        found.add_column(
            column.title,
            justify="right" if column.number else "left",
            no_wrap=column.number or column.title == "start-up",
        )
    if grid.marked:
        found.add_column("")
    for index, row in enumerate(grid.rows):
        if index in grid.groups:
            if index:
                found.add_row()
            found.add_row(Text(grid.groups[index], style="bold underline"))
        best = index in grid.marked
        cells = [Text(cell) for cell in row] + ([Text(MARK if best else "")] if grid.marked else [])
        found.add_row(*cells, style="bold green" if best else "")
    return found
