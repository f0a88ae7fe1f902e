"""`flowstart capture`: what is in a packet capture or a Zeek conn.log."""

import pathlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from flowstart.cli import console, options

if TYPE_CHECKING:
    from flowstart.capture.reading import Capture

FILE = Annotated[
    pathlib.Path,
    typer.Argument(
        metavar="FILE",
        help="pcap or pcapng, gzipped or not, or a Zeek conn.log.",
        show_default=False,
    ),
]


def capture(file: FILE, json: options.Json = False, output: options.Folder = None) -> None:
    """Show the transfers, round trips and needed initial rates in a capture."""
    from flowstart.cli import output as folders

    if output:
        folders.check(output)
    found = read(file)
    console.deliver(
        lambda: console.show_json(found.document) if json else _show(found),
        output,
        _files(found),
    )


def read(file: pathlib.Path) -> "Capture":
    """Reads with progress; warnings go to stderr."""
    from flowstart.capture import reading
    from flowstart.cli.progress import Progress

    with Progress("bytes") as progress:
        found = reading.read(file, progress.of_unknown_total)
    for warning in found.warnings:
        console.note(f"warning: {warning}")
    return found


def _show(found: "Capture") -> None:
    from flowstart.capture import tables

    print(tables.headline(found.file, found.document))
    console.show_grid(tables.summary(found.document))
    if found.document["groups"]:
        console.show_grid(tables.networks(found.document))
    console.show_grid(tables.connections(found.document))
    for note in found.notes:
        print(f"Note: {note}")


def _files(found: "Capture") -> Iterator[Mapping[str, bytes]]:
    """What a folder keeps: tables, then figures, whose library is slow to load."""
    from flowstart.capture import report

    yield report.tables(found)
    yield report.pictures(found)
