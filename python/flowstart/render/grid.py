"""A table of text, for the terminal and for pages alike."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from flowstart.render.text import ABSENT

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
class Source:
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
    sources: list[Source] = field(default_factory=list)
    """What its rows are made of, row by row; empty where nobody may look it up."""

    def first(self, count: int) -> "Grid":
        """The same table with at most so many rows."""
        groups = {row: heading for row, heading in self.groups.items() if row < count}
        marked = {row for row in self.marked if row < count}
        return replace(self, rows=self.rows[:count], groups=groups, marked=marked)

    def informative(self) -> "Grid":
        """The same table without columns that are empty; of several rows, or the same in each."""
        found = self
        for place in range(len(self.columns) - 1, 0, -1):
            if self.columns[place].is_kept:
                continue
            values = {row[place] for row in self.rows}
            if values <= {"", ABSENT} or (len(self.rows) > 1 and len(values) == 1):
                found = found.without(place)
        return found

    def constants(self) -> list[str]:
        """The columns that `informative` leaves out although their value is not nothing."""
        if len(self.rows) < 2:
            return []
        first = zip(self.columns[1:], self.rows[0][1:], strict=True)
        return [
            f"{column.title} {value}"
            for place, (column, value) in enumerate(first, 1)
            if value not in NOTHING
            and not column.is_kept
            and all(row[place] == value for row in self.rows)
        ]

    def without(self, index: int) -> "Grid":
        """The same table without the column at `index`."""
        columns = [*self.columns[:index], *self.columns[index + 1 :]]
        rows = [[*row[:index], *row[index + 1 :]] for row in self.rows]
        return replace(self, columns=columns, rows=rows)
