"""The answer to a command on one screen, 25 lines of 80 columns; a report begins with it."""

import functools
import re
import shlex
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from flowstart.render import html
from flowstart.render.grid import Grid

LINES = 25
WIDTH = 80
HARD_SPACE = "\N{NO-BREAK SPACE}"
ROWS = 10
"""The most rows of its table; others are behind `--details`."""


@dataclass(frozen=True)
class Summary:
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

    @property
    def opening(self) -> list[str]:
        """The lines above the table."""
        return [one for line in (self.ran, *self.answer) for one in folded(line)]

    @functools.cached_property
    def shown(self) -> Grid | None:
        """The table as far as the screen has room for it, without columns that say nothing."""
        if self.table is None or not self.table.rows:
            return None
        whole = self.table.informative()
        return next((cut for cut in _cuts(whole) if self._fits(cut)), whole.first(1))

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
        parts = [html.paragraph(self.ran), *map(html.headline, self.answer)]
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
        lines += [one for note in [*self._all_notes, self.hint] for one in folded(note)]
        commands = {"Next: ": self.next, "Reproduce: ": self.command}
        return lines + [
            one for label, words in commands.items() if words for one in command(label, words)
        ]

    def _fits(self, cut: Grid) -> bool:
        from flowstart.render.terminal import plain  # loads rich

        table = plain(cut, WIDTH).count("\n") + 1
        return len(self.opening) + table + len(self._below(cut)) <= LINES


def _cuts(whole: Grid) -> Iterator[Grid]:
    """A table with fewer rows each time."""
    return (whole.first(count) for count in range(min(ROWS, len(whole.rows)), 0, -1))


def _left_out(whole: Grid | None, shown: Grid | None) -> int:
    return len(whole.rows) - len(shown.rows) if whole and shown else 0


def folded(line: str, width: int = WIDTH, indent: str = "") -> list[str]:
    """A line in as many as it takes; a number and its unit stay together."""
    kept = re.sub(r"(?<=\d) (?=[A-Za-zµ%×])", HARD_SPACE, line)
    lines = textwrap.wrap(
        kept, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return [one.replace(HARD_SPACE, " ") for one in lines]


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
    found: list[str] = []
    for word in map(shlex.quote, shlex.split(words)):
        if found and found[-1].startswith("-") and " " not in found[-1] and word[:1] != "-":
            found[-1] += f" {word}"
        else:
            found.append(word)
    return found
