"""What the commands say: results on stdout, everything else on stderr."""

import json
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from flowstart.grids import Grid

PLAIN_WIDTH = 132
"""The width of tables that go to a file or a pipe, where nothing forces a fold."""


def complain(message: str, status: int) -> int:
    """One line on stderr; returns `status`."""
    print("flowstart:", " ".join(message.split()), file=sys.stderr)
    return status


def note(message: str) -> None:
    """One line on stderr that is no error."""
    print(message, file=sys.stderr)


def show_json(document: Any) -> None:
    """One JSON document on stdout."""
    json.dump(document, sys.stdout, indent=1, allow_nan=False, ensure_ascii=False)
    print()


def show_grid(grid: "Grid") -> None:
    """A table on stdout."""
    from flowstart.tables import table

    _stdout().print(table(grid))


def _stdout() -> "Console":
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else PLAIN_WIDTH, highlight=False)
