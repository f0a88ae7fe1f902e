"""The folder of `-o`."""

import pathlib
import sys

from flowstart.render import folder
from flowstart.render.folder import About, Results


def check(given: pathlib.Path) -> None:
    """Raises RequestError where results could not be put there; leaves nothing behind."""
    folder.check(given, f"-o {given}")


def results(given: pathlib.Path, seed: int | None = None) -> Results:
    """The results of this command, on their way there."""
    return Results(given, f"-o {given}", About(["flowstart", *sys.argv[1:]], seed))
