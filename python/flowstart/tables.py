"""Grids on the terminal."""

from rich import box
from rich.table import Table
from rich.text import Text

from flowstart.grids import Grid

MARK = "◀"
"""Stands at the end of the best rows, for readers without colour."""


def table(grid: Grid) -> Table:
    """A rich table; the best rows are bold and end in a mark."""
    found = Table(
        box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), title=grid.title or None
    )
    for column in grid.columns:
        found.add_column(
            column.title,
            justify="right" if column.number else "left",
            no_wrap=True,
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
