"""`flowstart map`: where each startup of a sweep is best."""

import pathlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from flowstart.cli import console, flags
from flowstart.model.quantities import share
from flowstart.questions import names
from flowstart.questions.option import Argument, Option

if TYPE_CHECKING:
    from flowstart.maps.result import SweepMap

FEW = 8
"""Of so many startups at most the commands that repeat their worst cells are shown."""


AXES = ("rate", "rtt", "buffer", "buffer-bdp", "bdp", "size", "loss", "reverse-rate")


def map_(
    sweep: Annotated[str, Argument("Folder of a sweep.", "DIR")],
    x: Annotated[
        str,
        Option(
            "Horizontal axis of the map: rate, rtt, buffer, buffer-bdp, bdp, size, loss or "
            "reverse-rate.",
            "AXIS",
            names=lambda: AXES,
        ),
    ] = "rate",
    y: Annotated[str, Option("Vertical axis of the map.", "AXIS", names=lambda: AXES)] = "rtt",
    col: Annotated[
        str,
        Option(
            "Property with a column of panels for each value: queue, competing, ...",
            "KIND",
            panel="Figures",
        ),
    ] = "queue",
    row: Annotated[
        str,
        Option("Property with a row of panels for each value.", "KIND", panel="Figures"),
    ] = "size",
    sizes: Annotated[
        Sequence[str] | None,
        Option("Sizes or size classes to include. [all]", "S,...", flag="size"),
    ] = None,
    competing: Annotated[
        Sequence[str] | None, Option("Competing flows to include. [all]", "KIND,...")
    ] = None,
    startups: Annotated[
        Sequence[str] | None,
        Option(
            "Startups to include, or all with -NAME to exclude one. [all]",
            "A,B,...",
            flag="startup",
            names=names.startups,
        ),
    ] = None,
    margin: Annotated[str, Option("Largest relative difference that is a tie.", "SHARE")] = "5%",
    details: flags.Details = False,
    json: flags.Json = False,
    output: flags.Folder = None,
) -> None:
    """Show the best startup on each path of a sweep, and its harm."""
    from flowstart.maps.sweep_result import read_map

    folder = flags.folder(output)
    with console.speaking_of(None):
        sweep_map = read_map(
            sweep,
            x=x,
            y=y,
            col=col,
            row=row,
            sizes=sizes,
            competing=competing,
            startups=startups,
            margin=share("margin", margin),
        )
    console.deliver(
        console.view(
            sweep_map,
            lambda sweep_map: _show(sweep_map, folder),
            console.summarised,
            json=json,
            details=details,
        ),
        folder,
        console.files_of(sweep_map),
    )


def _show(sweep_map: "SweepMap", output: pathlib.Path | None) -> None:
    from flowstart.maps import tables

    console.say(sweep_map.headline)
    console.show_grid(sweep_map.table)
    console.show_grid(sweep_map.kinds_table)
    console.show_grid(tables.worst(sweep_map.worst_cells))
    for note in sweep_map.notes:
        console.show_text(note)
    _show_commands(sweep_map, output)


def _show_commands(sweep_map: "SweepMap", output: pathlib.Path | None) -> None:
    """What repeats the worst cells, where startups are few."""
    from flowstart.maps.report import scenario_file
    from flowstart.maps.worst_cells import from_file

    if len(sweep_map.startups) > FEW:
        more = "all commands are in its worst.csv" if output else "-o DIR writes all commands"
        console.say(f"The worst cells again: --startup A,B,... shows the commands; {more}")
        return
    for worst_cell in sweep_map.worst_cells:
        command = worst_cell.command
        if command is None and output:
            file = output / scenario_file(worst_cell.startup)
            command = from_file(str(file), worst_cell.compared)
        console.say(
            f"{worst_cell.startup}'s worst again: {command or '-o DIR writes its scenario'}"
        )
