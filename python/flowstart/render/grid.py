"""A table of text, for the terminal and for pages alike."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from flowstart.text import ABSENT

NOTHING = ("", ABSENT, "0", "0 %", "none")
"""Values that a table need not have."""
Where: TypeAlias = Mapping[str, object]
"""Which rows of a result: what their columns are to hold. One of several values in a list; None
where a column may hold anything, though something else names it."""


@dataclass(frozen=True)
class Column:
    """A column's heading and side; numbers stand to the right."""

    title: str
    number: bool = True
    spare: int = 0
    """A terminal that is too narrow may leave it out, the largest numbers first; 0 for never."""
    of: str = ""
    """What its numbers are made of, in the columns of the result's rows: `mean of fct_s`."""
    where: Where | None = None
    """Rows of the result that they are made of in place of those that the table's row names."""
    is_kept: bool = False
    """Whether a summary has it although all rows have the same value."""
    compares: bool = False
    """Whether the rows that the table's row is compared with are among them."""


@dataclass(frozen=True)
class RowSource:
    """The rows of the result that a row of a table is made of."""

    where: Where
    against: Where | None = None
    """What differs in the rows that it is compared with."""


@dataclass
class Grid:
    """A table of text."""

    columns: list[Column]
    rows: list[list[str]] = field(default_factory=list)
    groups: dict[int, str] = field(default_factory=dict)
    """Headings within the table, by the row they stand above."""
    marked: set[int] = field(default_factory=set)
    """The best rows."""
    title: str = ""
    sources: list[RowSource] = field(default_factory=list)
    """What its rows are made of, row by row; empty where nobody may look it up."""

    def document(self) -> dict[str, Any]:
        """The table as JSON: columns, rows of text, headings by row, and marked rows."""
        return {
            "title": self.title,
            "columns": [
                {"title": column.title, "number": column.number} for column in self.columns
            ],
            "rows": self.rows,
            "groups": {str(row): heading for row, heading in self.groups.items()},
            "marked": sorted(self.marked),
        }

    def first(self, count: int) -> "Grid":
        """The same table with at most so many rows."""
        groups = {row: heading for row, heading in self.groups.items() if row < count}
        marked = {row for row in self.marked if row < count}
        return replace(self, rows=self.rows[:count], groups=groups, marked=marked)

    def informative(self) -> "Grid":
        """The same table without columns that are empty; of several rows, or the same in each."""
        grid = self
        for index in reversed(self._uninformative()):
            grid = grid.without(index)
        return grid

    def constants(self) -> list[str]:
        """The columns that `informative` leaves out although their value is not nothing."""
        return [
            f"{self.columns[index].title} {self.rows[0][index]}"
            for index in self._uninformative()
            if not {row[index] for row in self.rows} <= {*NOTHING}
        ]

    def _uninformative(self) -> list[int]:
        """The places of columns that are empty, or the same in each of several rows."""
        indices = []
        for index, column in enumerate(self.columns[1:], 1):
            values = {row[index] for row in self.rows}
            is_same = len(self.rows) > 1 and len(values) == 1
            if (values <= {"", ABSENT} or is_same) and not column.is_kept:
                indices.append(index)
        return indices

    def only(self, titles: Collection[str]) -> "Grid":
        """The same table with its first column and those of these titles."""
        grid = self
        for index in range(len(self.columns) - 1, 0, -1):
            if self.columns[index].title not in titles:
                grid = grid.without(index)
        return grid

    def without(self, index: int) -> "Grid":
        """The same table without the column at `index`."""
        columns = [*self.columns[:index], *self.columns[index + 1 :]]
        rows = [[*row[:index], *row[index + 1 :]] for row in self.rows]
        return replace(self, columns=columns, rows=rows)
