"""`flowstart explore`: a page on one's own machine that shows startups over time."""

import dataclasses
import pathlib
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from flowstart import extras
from flowstart._native import split
from flowstart.cli import flags
from flowstart.cli.flags import REPETITION, TRAFFIC, Flag, Given, taking
from flowstart.errors import RequestError
from flowstart.model import input_files

if TYPE_CHECKING:
    from flowstart.explorer.settings import Option, Settings

_MEANT = ("startup", "baseline", "size", "flows", "stagger", "seed")
"""What of a comparison's flags beside those of path and endpoints a state of the page may say."""
FLAGS = (
    *(flag for flag in (*TRAFFIC, *REPETITION) if flag.name in _MEANT),
    *flags.PATH_FLAGS,
    *flags.ENDPOINT_FLAGS,
)
FIRST = {
    "startup": "slow-start,limited-slow-start,hystart,hystart-plus-plus,search,jump-start",
    "rate": "50Mbps",
    "rtt": "80ms",
    "size": "1MB",
}
"""What the page shows first where nothing else is said."""
_USUAL = re.compile(r" \[[^\[\]]*\]$")
"""The end of a help text: what holds where the option is not given."""
_INSTEAD = {"path": ("rate", "rtt"), "rate_trace": ("rate",), "rate_steps": ("rate",)}
"""What stands for fields of the usual path."""
_FILES = ("rate_trace", "reverse_rate_trace")

PORT = Annotated[
    int | None,
    typer.Option(min=1, max=65535, metavar="NUMBER", help="Port of the page. [any free port]"),
]
NO_OPEN = Annotated[
    bool, typer.Option("--no-open", help="No browser window.", rich_help_panel="Execution")
]
CAPTURES = Annotated[
    list[pathlib.Path] | None,
    typer.Option("--capture", metavar="FILE", help="Capture or log on the page. Repeatable."),
]
MAPS = Annotated[
    list[pathlib.Path] | None,
    typer.Option("--map", metavar="DIR", help="Sweep folder on the page, as a map. Repeatable."),
]


def _opening(flag: Flag) -> Flag:
    """A flag with what the page shows first in the place of a comparison's default."""
    if flag.name not in FIRST:
        return flag
    first = FIRST[flag.name].replace(",", ", ")
    return dataclasses.replace(flag, help=f"{_USUAL.sub('', flag.help)} [{first}]")


@taking([_opening(flag) for flag in FLAGS])
def explore(
    *,
    given: Given,
    port: PORT = None,
    no_open: NO_OPEN = False,
    map_: MAPS = None,
    capture: CAPTURES = None,
    workers: flags.Workers = None,
) -> None:
    """Open an interactive page on this machine: startups over time.

    The page shows windows, queues and sequence numbers of every startup, and the table of
    `compare`. The options set the page's initial state, and which startups in Python it may run.
    The page is served on the loopback interface until Ctrl-C.
    """
    extras.require("explore", "explore")
    from flowstart.explorer.path import checked
    from flowstart.explorer.serve import serve

    found = settings(given, tuple(map_ or ()), workers, tuple(capture or ()))
    checked(found.first, found)
    serve(found, port=port, opens=not no_open)


def settings(
    given: Given,
    maps: Sequence[pathlib.Path],
    workers: int | None,
    captures: Sequence[pathlib.Path] = (),
) -> "Settings":
    """What the explorer is started with, from its command line."""
    from flowstart.explorer.settings import Settings
    from flowstart.model import custom

    for folder in maps:
        _check_sweep(folder)
    for file in captures:
        _check_capture(file)
    described = {name for way, names in _INSTEAD.items() if way in given for name in names}
    usual = {name: value for name, value in FIRST.items() if name not in described}
    startups = split(str(given.get("startup", usual["startup"])))
    others = {name: str(value) for name, value in (usual | dict(given)).items()}
    first = {name.replace("_", "-"): value for name, value in others.items() if name != "startup"}
    return Settings(
        options={flag.name: option_of(flag) for flag in FLAGS},
        first={**first, "startup": startups},
        custom=tuple(name for name in startups if custom.is_in_a_file(name)),
        files=frozenset(str(given[name]) for name in _FILES if name in given),
        maps=tuple(maps),
        captures=tuple(captures),
        workers=workers,
    )


def _check_sweep(folder: pathlib.Path) -> None:
    from flowstart.sweeps.execution.store import Store

    if not folder.is_dir():
        raise RequestError(f"--map {folder}: there is no such folder")
    if not Store(folder).parts():
        raise RequestError(
            f"--map {folder}: it holds no part of a sweep; a folder that `flowstart sweep ... "
            "-o DIR` has written is needed"
        )


def _check_capture(file: pathlib.Path) -> None:
    """That there is one which may be read; what is in it is told when it is opened."""
    if not file.exists():
        raise RequestError(f"--capture {file}: there is no such file")
    input_files.check(file)
    try:
        if file.is_file():
            file.open("rb").close()
    except OSError as error:
        raise RequestError(f"--capture {file}: {error.strerror}") from None


def option_of(flag: Flag) -> "Option":
    """A flag as an option of the page's state."""
    from flowstart.explorer.settings import Kind, Option

    kinds: dict[object, Kind] = {int | None: "number", bool | None: "switch"}
    said = re.fullmatch(r"(.*?)(?: \[([^\[\]]*)\])?", flag.help, re.DOTALL)
    words, usual = (said[1], said[2]) if said else (flag.help, None)
    return Option(
        name=flag.name,
        help=words,
        usual=usual,
        value=flag.metavar or ("NUMBER" if flag.type == int | None else ""),
        kind="list" if flag.name == "startup" else kinds.get(flag.type, "text"),
        least=flag.least,
        names_file=flag.name in _FILES,
    )
