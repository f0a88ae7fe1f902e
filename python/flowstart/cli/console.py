"""What the commands say: results on stdout, everything else on stderr."""

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from flowstart.errors import RequestError

if TYPE_CHECKING:
    from rich.console import Console

    from flowstart.grids import Grid

PLAIN_WIDTH = 132
"""The width of tables that go to a file or a pipe, where nothing forces a fold."""


def note(message: str) -> None:
    """One line on stderr that does not end the work."""
    print("flowstart:", " ".join(message.split()), file=sys.stderr)


_FIELD = re.compile(r"(path|stack|flows|name|seed|duration|trace)\b|missing field|unknown field")
"""How a message begins that speaks of a field of the scenario."""


@contextmanager
def speaking_of(file: str | None) -> Iterator[None]:
    """Makes a wrong request speak of what the user wrote: the file, or the options."""
    try:
        yield
    except RequestError as error:
        message = str(error)
        if not file:
            raise RequestError(_as_option(message)) from None
        if _FIELD.match(message):
            raise RequestError(f"{file}: {message}") from None
        raise


def _as_option(message: str) -> str:
    """`path.rate: …` as `--rate: …`, where a field of the scenario came from an option."""
    message = re.sub(r"^stack\.preset\b", "--stack", message)
    message = re.sub(r"^stack\.(ack|iw)\b", r"--\1", message)
    message = re.sub(r"^stack\.(\w+)", r"--stack: \1", message)
    message = re.sub(r"^flows\[0\]: ", "", message)
    field = re.match(r"(path|flows\[0\])\.(\w+)\b", message)
    if field:
        return f"--{field[2].replace('_', '-')}{message[field.end() :]}"
    return message


def show_json(document: Any) -> None:
    """One JSON document on stdout."""
    json.dump(document, sys.stdout, indent=1, allow_nan=False, ensure_ascii=False)
    print()


def show_grid(grid: "Grid") -> None:
    """A table on stdout."""
    from flowstart.tables import fitted

    console = _stdout()
    table, hidden = fitted(grid, console)
    console.print(table)
    if hidden:
        console.print(f"Hidden for want of width: {', '.join(hidden)}.")


def _stdout() -> "Console":
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else PLAIN_WIDTH, highlight=False)
