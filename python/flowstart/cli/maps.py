"""`flowstart map`: where each startup of a sweep is best."""

import pathlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from flowstart.cli import console, flags
from flowstart.model.quantities import share

if TYPE_CHECKING:
    from flowstart.maps.result import SweepMap

FEW = 8
"""Of so many startups at most the commands that repeat their worst cells are shown."""


def map_(
    sweep: Annotated[
        str, typer.Argument(metavar="DIR", help="Folder of a sweep.", show_default=False)
    ],
    x: Annotated[
        str,
        typer.Option(
            metavar="AXIS",
            help="Horizontal axis of the map: rate, rtt, buffer, buffer-bdp, bdp, size, loss or "
            "reverse-rate.",
        ),
    ] = "rate",
    y: Annotated[str, typer.Option(metavar="AXIS", help="Vertical axis of the map.")] = "rtt",
    col: Annotated[
        str,
        typer.Option(
            metavar="KIND",
            help="Property with a column of panels for each value: queue, competing, ...",
            rich_help_panel="Figures",
        ),
    ] = "queue",
    row: Annotated[
        str,
        typer.Option(
            metavar="KIND",
            help="Property with a row of panels for each value.",
            rich_help_panel="Figures",
        ),
    ] = "size",
    size: Annotated[
        str | None, typer.Option(metavar="S,...", help="Sizes or size classes to include. [all]")
    ] = None,
    competing: Annotated[
        str | None,
        typer.Option(metavar="KIND,...", help="Competing flows to include. [all]"),
    ] = None,
    startup: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,...",
            help="Startups to include, or all with -NAME to exclude one. [all]",
        ),
    ] = None,
    margin: Annotated[
        str,
        typer.Option(metavar="SHARE", help="Largest relative difference that is a tie."),
    ] = "5%",
    details: flags.Details = False,
    json: flags.Json = False,
    output: flags.Folder = None,
) -> None:
    """Show the best startup on each path of a sweep, and its harm."""
    from flowstart.maps.sweep_result import read_map
    from flowstart.model import specs

    if output:
        console.check_folder(output)

    def listed(name: str, text: str | None) -> Sequence[str] | None:
        return None if text is None else specs.listed(name, text, ())

    with console.speaking_of(None):
        found = read_map(
            sweep,
            x=x,
            y=y,
            col=col,
            row=row,
            sizes=listed("size", size),
            competing=listed("competing", competing),
            startups=listed("startup", startup),
            margin=share("margin", margin),
        )
    console.deliver(
        console.view(
            found,
            lambda found: _show(found, output),
            console.summarised,
            json=json,
            details=details,
        ),
        output,
        console.files_of(found),
    )


def _show(found: "SweepMap", output: pathlib.Path | None) -> None:
    from flowstart.maps import tables

    console.say(found.headline)
    console.show_grid(found.table)
    console.show_grid(found.kinds_table)
    console.show_grid(tables.worst(found.worst_cells))
    for note in found.notes:
        console.show_text(note)
    _show_commands(found, output)


def _show_commands(found: "SweepMap", output: pathlib.Path | None) -> None:
    """What repeats the worst cells, where startups are few."""
    from flowstart.maps.result import scenario_file
    from flowstart.maps.worst_cells import from_file

    if len(found.startups) > FEW:
        more = "all commands are in its worst.csv" if output else "-o DIR writes all commands"
        console.say(f"The worst cells again: --startup A,B,... shows the commands; {more}")
        return
    for one in found.worst_cells:
        command = one.command
        if command is None and output:
            file = output / scenario_file(one.startup)
            command = from_file(str(file), one.compared)
        console.say(f"{one.startup}'s worst again: {command or '-o DIR writes its scenario'}")
