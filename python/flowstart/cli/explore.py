"""`flowstart explore`: a page on one's own machine that shows startups over time."""

import dataclasses
import pathlib
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from flowstart import extras
from flowstart._native import split
from flowstart.cli import flags
from flowstart.errors import RequestError
from flowstart.model import input_files
from flowstart.questions.option import CommandParameter, Given, Option

if TYPE_CHECKING:
    from flowstart.explorer.settings import Kind, PageOption, PageSettings

_MEANT = (
    *("startups", "baseline", "sizes", "flows", "stagger", "seed", "stack", "cc"),
    *("cached_cwnd", "landing", "available_rate"),
)
"""The options of a comparison that a state of the page may have, next to the path's."""
FLAGS = (
    *(each for each in flags.COMPARED if each.name in _MEANT),
    *flags.PATH,
    *flags.ENDPOINTS,
)
LARGEST_PORT = 65535
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


def _opening(each: CommandParameter) -> CommandParameter:
    """An option with what the page shows first in the place of a comparison's default."""
    name = each.flag.removeprefix("--")
    if name not in FIRST:
        return each
    first = FIRST[name].replace(",", ", ")
    help_ = f"{_USUAL.sub('', each.option.help)} [{first}]"
    return dataclasses.replace(each, option=dataclasses.replace(each.option, help=help_))


OPENING = tuple(map(_opening, FLAGS))


def explore(
    state: Annotated[Given, OPENING],
    port: Annotated[int | None, Option("Port of the page. [any free port]", least=1)] = None,
    no_open: Annotated[bool, Option("No browser window.", panel="Execution")] = False,
    map_: Annotated[
        list[str],
        Option("Sweep folder on the page, as a map. Repeatable.", "DIR", is_repeatable=True),
    ] = [],  # noqa: B006 # it is read only
    capture: Annotated[
        list[str], Option("Capture or log on the page. Repeatable.", "FILE", is_repeatable=True)
    ] = [],  # noqa: B006 # it is read only
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

    if port is not None and port > LARGEST_PORT:
        raise RequestError(f"--port: `{port}` is not a whole number from 1 to {LARGEST_PORT}")
    maps, captures = (tuple(map(pathlib.Path, files)) for files in (map_, capture))
    page_settings = settings(state, maps, workers, captures)
    checked(page_settings.first, page_settings)
    serve(page_settings, port=port, opens=not no_open)


def settings(
    options: Given,
    maps: Sequence[pathlib.Path],
    workers: int | None,
    captures: Sequence[pathlib.Path] = (),
) -> "PageSettings":
    """What the explorer is started with, from its command line."""
    from flowstart.explorer.settings import PageSettings
    from flowstart.model import custom

    for folder in maps:
        _check_sweep(folder)
    for file in captures:
        _check_capture(file)
    described = {name for way, names in _INSTEAD.items() if way in options for name in names}
    usual = {name: value for name, value in FIRST.items() if name not in described}
    startups = list(options.get("startups", split(usual["startup"])))
    others = usual | {
        each.flag.removeprefix("--"): options[each.name] for each in FLAGS if each.name in options
    }
    first = {
        name: ",".join(value) if isinstance(value, list) else str(value)
        for name, value in others.items()
        if name != "startup"
    }
    return PageSettings(
        options={option.name: option for option in map(option_of, FLAGS)},
        first={**first, "startup": startups},
        custom=tuple(name for name in startups if custom.is_in_a_file(name)),
        files=frozenset(str(options[name]) for name in _FILES if name in options),
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


def option_of(each: CommandParameter) -> "PageOption":
    """An option of the command line as one of the page's state."""
    from flowstart.explorer.settings import PageOption

    words, _, usual = each.option.help.rstrip("]").partition(" [")
    name = each.flag.removeprefix("--").replace("-", "_")
    kind: Kind = "switch" if each.is_switch else "number" if each.is_number else "text"
    return PageOption(
        name=name,
        help=words,
        usual=usual or None,
        value=each.value,
        kind="list" if name == "startup" else kind,
        least=each.option.least,
        names_file=name in _FILES,
    )
