"""Options that several commands share: of paths, endpoints, captures and output."""

import dataclasses
import pathlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, TypeAlias

from flowstart.cli import console
from flowstart.model.path import IMPAIRING
from flowstart.questions import names
from flowstart.questions.common import WORKERS
from flowstart.questions.compare import Compare
from flowstart.questions.option import CommandParameter, Given, Option, defined, of

if TYPE_CHECKING:
    from flowstart.captures.contents import Capture

Folder: TypeAlias = Annotated[
    str | None, Option("Folder for tables, figures and a report.", "DIR", short="-o")
]
Details: TypeAlias = Annotated[bool, Option("All tables and notes instead of the summary.")]
Json: TypeAlias = Annotated[bool, Option("One JSON document as the only output.")]
Workers: TypeAlias = Annotated[int | None, WORKERS]


def _named(name: str, option: Option) -> CommandParameter:
    return CommandParameter(name, option, str)


_PATH = defined("NetworkPath", "Path", usual=("rate", "rtt", "buffer"))
for _name in ("queue", "reverse_queue"):
    _option = dataclasses.replace(_PATH[_name].option, names=names.queues)
    _PATH[_name] = dataclasses.replace(_PATH[_name], option=_option)
PATH = (
    _named(
        "path",
        Option(
            "Named path, or words of tc; other path options override it.",
            "NAME",
            names=names.paths,
        ),
    ),
    *_PATH.values(),
)
"""A path, in the order of the help; all but the first are fields of `NetworkPath`."""
_ENDPOINT = defined("Endpoint", "Endpoints")
ENDPOINTS = (*_ENDPOINT.values(),)
"""Fields of a stack that have options of their own."""

_OVERRIDING = ("rate", "rtt", "buffer", "loss", "reverse_rate", "reverse_buffer")
REPLAYED_PATH = tuple(
    dataclasses.replace(each, option=dataclasses.replace(each.option, panel="Path"))
    for each in _PATH.values()
    if each.name in (*_OVERRIDING, *IMPAIRING)
)
"""What overrides what a capture has of its paths, or adds to it."""
REPLAYED_ENDPOINTS = tuple(_ENDPOINT[name] for name in ("iw", "ack", "window", "receiver"))
"""What the hosts of a capture may be given."""
COMPARED = of(Compare, without=("setting",))

READING = (
    _named(
        "columns",
        Option(
            "Columns of a server log, with units where names lack them, such as "
            "time=ts,peer=client_ip,bytes=size,rtt=rtt:us.",
            "NAME=COLUMN,...",
        ),
    ),
    CommandParameter(
        "anonymize",
        Option("Numbers instead of network addresses in all output.", panel="Captures"),
        bool,
        False,
    ),
)
"""How captures are read."""


def read(
    files: Sequence[str], reading: Given, sample: str | None = None, seed: int | None = None
) -> "Capture":
    """Reads with progress; warnings go to stderr."""
    from flowstart.captures.reading import read_capture
    from flowstart.cli.progress import Progress

    with Progress("bytes") as progress:
        capture = read_capture(
            *files,
            columns=reading.get("columns"),
            sample=sample,
            anonymize=bool(reading.get("anonymize")),
            seed=1 if seed is None else seed,
            progress=progress.of_unknown_total,
        )
    for warning in capture.warnings:
        console.note(f"warning: {warning}")
    return capture


def folder(output: str | None) -> pathlib.Path | None:
    """The folder of `-o`. Raises RequestError where results could not be put there."""
    if output is None:
        return None
    path = pathlib.Path(output)
    console.check_folder(path)
    return path
