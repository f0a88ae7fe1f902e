"""Tables as the page takes them."""

from typing import Any

from flowstart.render.grid import Grid


def document(grid: Grid) -> dict[str, Any]:
    """A table as JSON: columns, rows of text, headings by row, and the rows that are marked."""
    return {
        "title": grid.title,
        "columns": [{"title": one.title, "number": one.number} for one in grid.columns],
        "rows": grid.rows,
        "groups": {str(row): heading for row, heading in grid.groups.items()},
        "marked": sorted(grid.marked),
    }
