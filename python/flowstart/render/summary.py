"""A summary on one screen, in HTML and on the terminal."""

import functools
import io
import re
import shlex
import shutil
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flowstart.render import html
from flowstart.render.grid import Grid
from flowstart.text import MARK, printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text


def fitted(grid: Grid, console: "Console") -> "tuple[Table, list[str]]":
    """The table in the console's width: closer where need be, then with fewer columns.

    The spare columns are left out first, then numbers from the right: a number is shown whole or
    not at all, and words go on in another line. Returns the titles of what was left out, too.
    """
    from rich.measure import Measurement

    titles = [column.title for column in grid.columns]
    hidden: set[str] = set()
    unbounded = console.options.update(max_width=10_000)
    while True:
        for gap in (1, 0):
            rendered = table(grid, gap)
            if Measurement.get(console, unbounded, rendered).maximum <= console.width:
                return rendered, [_line(title) for title in titles if title in hidden]
        index = _spared(grid)
        if index is None:
            return rendered, [_line(title) for title in titles if title in hidden]
        hidden.add(grid.columns[index].title)
        grid = grid.without(index)


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


def show(grid: Grid, console: "Console") -> None:
    """The table, and in a line below it what there was no room for."""
    rendered, hidden = fitted(grid, console)
    console.print(rendered)
    if hidden:
        console.print(_text(f"Hidden, too narrow: {', '.join(dict.fromkeys(hidden))}."))


def show_all(grid: Grid, console: "Console") -> None:
    """The table, and in further tables of the same rows what there was no room for."""
    rendered, hidden = fitted(grid, console)
    console.print(rendered)
    rest = grid.only([c.title for c in grid.columns if _line(c.title) in hidden])
    if 1 < len(rest.columns) < len(grid.columns):
        show_all(rest, console)


def plain(grid: Grid, width: int) -> str:
    """The table as text of at most so many columns, with what it has no room for below it."""
    from rich.console import Console

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


def table(grid: Grid, gap: int = 1) -> "Table":
    """A rich table, one column and `gap` apart; the best rows are bold and end in a mark."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, gap, 0, 0),
        title=_text(grid.title) if grid.title else None,
    )
    for index, column in enumerate(grid.columns):
        table.add_column(
            _text(column.title),
            justify="right" if column.number else "left",
            no_wrap=column.number or index == 0 or column.title == "startup",
        )
    if grid.marked:
        table.add_column("")
    for index, row in enumerate(grid.rows):
        if index in grid.groups:
            if index:
                table.add_row()
            table.add_row(_text(grid.groups[index], "bold underline"))
        best = index in grid.marked
        cells = [_text(cell) for cell in row] + (
            [Text(MARK if best else "")] if grid.marked else []
        )
        table.add_row(*cells, style="bold green" if best else "")
    return table


def _text(words: str, style: str = "") -> "Text":
    """Words of any origin: neither rich's markup nor the terminal's escapes have an effect."""
    from rich.text import Text

    return Text(printable(words), style=style)


LINES = 25
WIDTH = 80
HARD_SPACE = "\N{NO-BREAK SPACE}"
ROWS = 10
"""The most rows of its table; others are behind `--details`."""


@dataclass(frozen=True)
class SummaryPage:
    """What was run, the answer, a table, and what to do next."""

    ran: str
    """What was run, in a line."""
    answer: Sequence[str]
    """The answer and its reason, a sentence each; a failure in their place."""
    table: Grid | None = None
    notes: Sequence[str] = ()
    """What the table needs to be understood, and what to do next."""
    command: str = ""
    """What reproduces it."""
    next: str = ""
    """The command to run next, where there is one."""
    hint: str = ""
    """Options that show more; only a terminal has it."""
    least_rows: int = 1
    """Rows of the table that are shown even if notes that were requested take their room."""

    @property
    def opening(self) -> list[str]:
        """The lines above the table."""
        return [part for line in (self.ran, *self.answer) for part in folded(line)]

    @functools.cached_property
    def shown(self) -> Grid | None:
        """The table as far as the screen has room for it, without columns that say nothing."""
        if self.table is None or not self.table.rows:
            return None
        whole = self.table.informative()
        # One row takes the place of the line on what is left out.
        most = len(whole.rows) if len(whole.rows) <= ROWS + 1 else ROWS
        counts = range(most, self.least_rows, -1)
        cuts = (whole.first(count) for count in counts)
        return next((cut for cut in cuts if self._fits(cut)), whole.first(self.least_rows))

    @property
    def _all_notes(self) -> list[str]:
        """The notes, after the columns that are left out since all rows have one value."""
        constants = self.table.constants() if self.table else []
        return [f"In all rows: {'; '.join(constants)}."] * bool(constants) + list(self.notes)

    @property
    def closing(self) -> list[str]:
        """The lines below the table."""
        return self._below(self.shown)

    def html(self) -> list[str]:
        """The same as parts of a page."""
        parts = [html.paragraph(self.ran)] * bool(self.ran)
        parts += map(html.headline, self.answer)
        shown = self.shown
        left = _left_out(self.table, shown)
        parts += [html.table(shown)] if shown else []
        return (
            parts
            + [html.paragraph(f"{left} more below.")] * bool(left)
            + [html.paragraph(note) for note in self._all_notes]
        )

    def _below(self, shown: Grid | None) -> list[str]:
        left = _left_out(self.table, shown)
        lines = [f"{left} more: --details"] if left else []
        lines += [part for note in [*self._all_notes, self.hint] for part in folded(note)]
        commands = {"Next: ": self.next, "Reproduce: ": self.command}
        return lines + [
            part for label, words in commands.items() if words for part in command(label, words)
        ]

    def _fits(self, cut: Grid) -> bool:

        table = plain(cut, WIDTH).count("\n") + 1
        return len(self.opening) + table + len(self._below(cut)) <= LINES


def _left_out(whole: Grid | None, shown: Grid | None) -> int:
    return len(whole.rows) - len(shown.rows) if whole and shown else 0


def folded(line: str, width: int = WIDTH, indent: str = "") -> list[str]:
    """A line in as many as it takes; a number and its unit stay together.

    A command on a line of its own goes on as the shell takes it.
    """
    if line.startswith(("  flowstart ", "  timeout ")) and len(line) > width:
        return command("  ", line)
    kept = re.sub(r"(?<=\d) (?=[A-Za-zµ%×])", HARD_SPACE, line)
    lines = textwrap.wrap(
        kept, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return [wrapped.replace(HARD_SPACE, " ") for wrapped in lines]


def command(label: str, words: str) -> list[str]:
    r"""A command after its label; a long one goes on in further lines, with `\` for the shell."""
    lines = [label]
    for option in _options(words):
        joined = f"{lines[-1]}{option} "
        if len(joined) <= WIDTH - 2 or lines[-1] in (label, "  "):
            lines[-1] = joined
        else:
            lines[-1] += "\\"
            lines.append(f"  {option} ")
    return [line.rstrip(" ") for line in lines]


def _options(words: str) -> list[str]:
    """A command's words, each option with its value."""
    options: list[str] = []
    for word in map(shlex.quote, shlex.split(words)):
        if options and options[-1].startswith("-") and " " not in options[-1] and word[:1] != "-":
            options[-1] += f" {word}"
        else:
            options.append(word)
    return options
