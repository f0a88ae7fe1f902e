"""`flowstart capture`: what is in a packet capture or a Zeek conn.log."""

import pathlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from flowstart.cli import console, options
from flowstart.errors import RequestError

if TYPE_CHECKING:
    from flowstart.captures.contents import Capture

FILES = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...",
        help="pcap or pcapng, compressed or not, or a Zeek conn.log; a folder of them; - is the "
        "standard input.",
        show_default=False,
    ),
]
ROWS = Annotated[
    bool,
    typer.Option("--rows", help="Keep all rows in capture.json too, not only as Parquet and CSV."),
]


def capture(
    files: FILES, json: options.Json = False, rows: ROWS = False, output: options.Folder = None
) -> None:
    """Show the transfers, round trips and needed initial rates in captures."""
    from flowstart.cli import output as folders

    if output:
        folders.check(output)
    if rows and not output:
        raise RequestError("--rows: it says what capture.json holds, and needs -o DIR")
    found = read(files)
    console.deliver(
        lambda: console.show_json(found.document()) if json else _show(found),
        output,
        _files(found, rows),
    )


def read(files: Sequence[str | pathlib.Path]) -> "Capture":
    """Reads with progress; warnings go to stderr."""
    from flowstart.captures.reading import capture
    from flowstart.cli.progress import Progress

    with Progress("bytes") as progress:
        found = capture(*files, progress=progress.of_unknown_total)
    for warning in found.warnings:
        console.note(f"warning: {warning}")
    return found


def _show(found: "Capture") -> None:
    from flowstart.captures import tables

    print(tables.headline(found))
    console.show_grid(tables.summary(found.summary))
    if found.groups:
        console.show_grid(tables.networks(found))
    console.show_grid(tables.connections(found))
    for note in found.notes:
        print(f"Note: {note}")


def _files(found: "Capture", rows: bool) -> Iterator[Mapping[str, bytes]]:
    """What a folder keeps: tables, then figures, whose library is slow to load."""
    from flowstart.captures import report

    yield report.tables(found, rows=rows)
    yield report.pictures(found)
