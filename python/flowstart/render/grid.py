"""A table of text, for the terminal and for pages alike."""

from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class Column:
    """A column's heading and side; numbers stand to the right."""

    title: str
    number: bool = True
    spare: int = 0
    """A terminal that is too narrow may leave it out, the largest numbers first; 0 for never."""


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

    def first(self, count: int) -> "Grid":
        """The same table with at most so many rows."""
        groups = {row: heading for row, heading in self.groups.items() if row < count}
        return replace(self, rows=self.rows[:count], groups=groups)

    def without(self, index: int) -> "Grid":
        """The same table without the column at `index`."""
        columns = [*self.columns[:index], *self.columns[index + 1 :]]
        rows = [[*row[:index], *row[index + 1 :]] for row in self.rows]
        return replace(self, columns=columns, rows=rows)
