"""The traceback of the last error under `FLOWSTART_DEBUG=1`, for the bundle of `doctor`."""

import contextlib
import os
import pathlib
import traceback


def place() -> pathlib.Path:
    """A file in `FLOWSTART_CACHE`, or in `flowstart` of the user's cache folder."""
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    folder = os.environ.get("FLOWSTART_CACHE") or pathlib.Path(base) / "flowstart"
    return pathlib.Path(folder) / "last-error.txt"


def keep(error: BaseException) -> None:
    """Writes the command and the traceback, where the file can be written."""
    from flowstart.cli import console

    with contextlib.suppress(OSError):
        place().parent.mkdir(parents=True, exist_ok=True)
        lines = [" ".join(console.COMMAND.get(["flowstart"])) + "\n\n"]
        place().write_text("".join(lines + traceback.format_exception(error)), "utf-8")


def read() -> str | None:
    """What was kept last; None where nothing was."""
    try:
        return place().read_text("utf-8", "replace")
    except OSError:
        return None
