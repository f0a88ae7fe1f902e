"""`flowstart capture`: what is in a packet capture or a Zeek conn.log."""

import pathlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from flowstart.cli import console, options

if TYPE_CHECKING:
    from flowstart.capture import Capture

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
    from flowstart import output as folders

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
    from flowstart import capture as captures
    from flowstart.progress import Progress

    with Progress("bytes") as progress:
        found = captures.read(file, progress.of_unknown_total)
    for warning in found.warnings:
        console.note(f"warning: {warning}")
    return found


def _show(found: "Capture") -> None:
    from flowstart import capture_grids as grids

    print(grids.headline(found))
    console.show_grid(grids.summary(found))
    if found.document["groups"]:
        console.show_grid(grids.networks(found))
    console.show_grid(grids.connections(found))
    for note in found.notes:
        print(f"Note: {note}")


def _files(found: "Capture") -> Iterator[Mapping[str, bytes]]:
    """What a folder keeps: tables, then figures, whose library is slow to load."""
    yield _tables(found)
    yield _pictures(found)


def _tables(found: "Capture") -> dict[str, bytes]:
    from flowstart.comparison_report import columns, encoded

    files = {"capture.json": encoded(found.document)}
    for name in ("connections", "directions", "transfers"):
        frame = getattr(found, name)
        if len(frame):
            files |= columns(frame, name)
    return files


def _pictures(found: "Capture") -> dict[str, bytes]:
    from flowstart import capture_grids as grids
    from flowstart import capture_plots, plots, report

    files: dict[str, bytes] = {}
    parts = [report.paragraph(grids.headline(found)), report.table(grids.summary(found))]
    parts += [report.table(grids.networks(found)), report.table(grids.connections(found))]
    for name, figure, caption in (
        (
            "needed-rates",
            capture_plots.needed_rates(found),
            "The rate that would carry each direction of more than 4380 bytes in one round trip.",
        ),
        (
            "window-reductions",
            capture_plots.window_reductions(found),
            "How much of that rate the receiver's advertised window takes away.",
        ),
    ):
        svg = plots.svg(figure)
        files |= {f"{name}.svg": svg.encode(), f"{name}.png": plots.png(figure)}
        parts.append(report.picture(svg, caption))
    parts += [report.paragraph(note) for note in (*found.warnings, *found.notes)]
    files["report.html"] = report.page(f"Capture {found.file}", [*parts, report.made_by()]).encode()
    return files
