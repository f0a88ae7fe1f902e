"""What the commands say: results on stdout, everything else on stderr."""

import contextlib
import dataclasses
import io
import itertools
import json
import logging
import os
import pathlib
import shlex
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from flowstart.errors import FlowstartError, RequestError, SimulationError
from flowstart.interrupts import uninterrupted
from flowstart.text import printable

if TYPE_CHECKING:
    from rich.console import Console

    from flowstart.render.files import Content
    from flowstart.render.folder import Results
    from flowstart.render.grid import Grid
    from flowstart.render.result import Result
    from flowstart.render.summary import SummaryPage


class Documented(Protocol):
    """A result that has a document."""

    def to_dict(self) -> dict[str, Any]:
        """Everything as one JSON document."""


R = TypeVar("R", bound=Documented)
COMMAND: ContextVar[list[str]] = ContextVar("command")
"""The words of the command that is running."""
PLAIN_LINE = 80
"""Columns of a sentence."""
PLAIN_WIDTH = 132
"""The width of tables that go to a file or a pipe, where nothing forces a fold."""


def say(text: str = "") -> None:
    """Lines on stdout; what a file has put into them is shown and not obeyed by the terminal."""
    print(printable(text))


def note(message: str) -> None:
    """One line on stderr that does not end the work."""
    print("flowstart:", printable(" ".join(message.split())), file=sys.stderr)


@contextmanager
def speaking_of(file: str | None) -> Iterator[None]:
    """Makes a wrong request speak of what the user wrote: the file, or the options."""
    try:
        yield
    except RequestError as error:
        if not file:
            options = {word.partition("=")[0] for word in COMMAND.get([])}
            raise error.in_options(options) from None
        if error.location:
            raise RequestError(f"{file}: {error}") from None
        raise


@contextmanager
def attending() -> Iterator[None]:
    """Shows what a user's own startup raises with its traceback, as it is theirs to mend."""
    try:
        yield
    except FlowstartError:
        raise
    except Exception as error:
        notes = "; ".join(getattr(error, "__notes__", []))
        if not notes:  # the simulator's border says in which hook it was
            raise
        frames = traceback.extract_tb(error.__traceback__)
        ours = pathlib.Path(__file__).parent.parent
        theirs = [frame for frame in frames if ours not in pathlib.Path(frame.filename).parents]
        print(printable("".join(traceback.format_list(theirs))), end="", file=sys.stderr)
        raise SimulationError(f"{type(error).__name__}: {error} ({notes})") from error


def check_folder(output: pathlib.Path) -> None:
    """Raises RequestError where results could not be put there; leaves nothing behind."""
    from flowstart.render import folder

    folder.check(output, f"-o {output}")


def results_in(output: pathlib.Path, seed: int | None = None) -> "Results":
    """The results of this command, on their way into the folder of `-o`."""
    from flowstart.render.folder import About, Results

    return Results(output, f"-o {output}", About(["flowstart", *sys.argv[1:]], seed))


def deliver(
    show: Callable[[], None],
    folder: pathlib.Path | None,
    contents: "Iterator[Mapping[str, Content]]",
    *,
    seed: int | None = None,
    interrupted: bool = False,
) -> None:
    """Shows a result and keeps it in `folder`, the first of `contents` before all else.

    So neither Ctrl-C during the figures nor a reader that has seen enough costs results.
    Nothing is asked of `contents` without a folder. `seed` is the result's, and `interrupted`
    whether it is what Ctrl-C has left: both stand in the folder's manifest.
    """
    if folder is None:
        _shown(show)
        return
    from flowstart.render import figure_files
    from flowstart.simulation import bounds

    with results_in(folder, seed) as results:
        _write_tables(results, dict(next(contents)), folder)
        try:
            _shown(show)
            if interrupted or bounds.current().is_late:  # figures would take more time
                results.put("interrupted")
                return
            if why := figure_files.wanting():
                note(why)
            for content in contents:
                bounds.current().check_time()
                results.write(content)
        except KeyboardInterrupt:
            raise bounds.current().stopped(
                f" while figures were drawn: all results are in {folder}, "
                "figures and report.html are missing"
            ) from None
        results.put("complete")


def files_of(result: "Result") -> "Iterator[Mapping[str, Content]]":
    """The files of a result, with the progress of its figures."""
    from flowstart.cli.progress import Progress

    with Progress("figures") as progress:
        yield from result.files(progress)


def summarised(result: "Result") -> None:
    """Shows a result on one screen, with the command that reproduces it."""
    show_summary(result.summary(command_line(result.seed)))


def view(
    result: R,
    tables: Callable[[R], None],
    summary: Callable[[R], None],
    *,
    json: bool,
    details: bool,
) -> Callable[[], None]:
    """The function that shows a result as JSON, with all tables, or as a summary."""
    if json:
        return lambda: show_json(result.to_dict())
    return lambda: (tables if details else summary)(result)


def _write_tables(results: "Results", tables: "dict[str, Content]", folder: pathlib.Path) -> None:
    """Keeps tables, the first of them whatever happens; some take seconds to write."""
    from flowstart.simulation import bounds

    first = next(iter(tables))
    try:
        with uninterrupted():
            results.write({first: tables.pop(first)})
        results.write(tables)
    except KeyboardInterrupt:
        results.put("interrupted")
        raise bounds.current().stopped(
            f" while tables were written: those that are finished are in {folder}"
        ) from None
    results.put("pictures-pending")


def _shown(show: Callable[[], None]) -> None:
    """Shows a result, to a reader that may have seen enough."""
    with contextlib.suppress(BrokenPipeError):
        show()
        sys.stdout.flush()


def show_json(document: Any) -> None:
    """One JSON document on stdout, whole even where Ctrl-C comes meanwhile."""
    is_unicode = str(sys.stdout.encoding).lower().startswith("utf")
    text = json.dumps(document, indent=1, allow_nan=False, ensure_ascii=not is_unicode)
    with uninterrupted():
        sys.stdout.write(text + "\n")
        sys.stdout.flush()


def show_text(words: str, width: int | None = None) -> None:
    """A paragraph on stdout, in the width of the terminal or a narrower one."""
    _stdout(width).print(printable(words), markup=False, emoji=False, soft_wrap=False)


def show_grid(grid: "Grid", width: int | None = None) -> None:
    """A table on stdout, in the width of the terminal or a narrower one."""
    from flowstart.render.summary import show

    show(grid, _stdout(width))


def show_columns(grid: "Grid") -> None:
    """A table on stdout with all its columns, in several tables where the terminal is narrow."""
    from flowstart.render.summary import show_all

    show_all(grid, _stdout(None))


def show_summary(page: "SummaryPage") -> None:
    """What was run, the answer, a table, and what to do next, on one screen."""
    if folder := _output():
        notes = [note.replace("--from DIR", f"--from {shlex.quote(folder)}") for note in page.notes]
        hint = page.hint.replace("-o DIR", folder)
        page = dataclasses.replace(page, hint=hint, notes=notes)
    say("\n".join(page.opening))
    if page.shown:
        show_grid(page.shown, PLAIN_LINE)
    elif page.closing:
        say()
    for line in page.closing:
        say(line)


def _output() -> str | None:
    """The folder that the running command writes, as it was given."""
    words = COMMAND.get([])
    for option, value in itertools.pairwise([*words, ""]):
        if option in ("-o", "--output"):
            return value
        if option.startswith(("-o=", "--output=")):
            return option.partition("=")[2]
    return None


def command_line(seed: int | None = None) -> str:
    """The command that is running, as it was given, and its seed where one is given here."""
    words = COMMAND.get()
    is_seeded = seed is None or any(word.split("=")[0] == "--seed" for word in words)
    return shlex.join(words if is_seeded else [*words, "--seed", str(seed)])


def _stdout(width: int | None = None) -> "Console":
    from rich.console import Console

    is_known = sys.stdout.isatty() or "COLUMNS" in os.environ
    most = None if is_known else PLAIN_WIDTH
    console = Console(width=most, highlight=False)
    if width is not None:
        console.width = min(width, console.width)
    return console


class _Target(io.FileIO):
    """A descriptor whose first error is the last: what follows goes nowhere."""

    def __init__(self, number: int, *, is_fatal: bool) -> None:
        super().__init__(number, "w", closefd=False)
        self.is_fatal = is_fatal

    def write(self, data) -> int | None:  # type: ignore[no-untyped-def, override]
        try:
            return super().write(data)
        except OSError as error:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
            if not self.is_fatal:
                return len(data)
            if isinstance(error, BrokenPipeError):
                raise
            raise SimulationError(
                f"the standard output cannot be written: {error.strerror}"
            ) from None


def secure() -> None:
    """Replaces the streams of this process; those of a caller that set others are left alone."""
    for number, name in ((1, "stdout"), (2, "stderr")):
        stream = getattr(sys, name)
        if stream is None:  # closed: no other file may take its number
            os.dup2(os.open(os.devnull, os.O_RDONLY), number)
        elif stream is not getattr(sys, f"__{name}__"):
            continue
        setattr(sys, name, _over(number, stream))


def silence_libraries() -> None:
    """Hides warnings of libraries in this process, unless Python's own options select them.

    Those of a user's startups are shown.
    """
    if not sys.warnoptions:
        warnings.simplefilter("ignore")
        warnings.filterwarnings("default", module=r"flowstart_custom_")
        logging.getLogger("matplotlib").setLevel(logging.ERROR)


def _over(number: int, stream: io.TextIOWrapper | None) -> io.TextIOWrapper:
    target = _Target(number, is_fatal=number == 1)
    return io.TextIOWrapper(
        io.BufferedWriter(target),
        encoding=stream.encoding if stream else "utf-8",
        errors="backslashreplace",
        line_buffering=number == 2 or target.isatty(),
    )
