"""Options that several commands share."""

import pathlib
from typing import Annotated

import typer

Folder = Annotated[
    pathlib.Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="DIR",
        help="Folder for tables, figures and a report.",
    ),
]
AllowPython = Annotated[
    bool,
    typer.Option(
        "--allow-python",
        help="Permission for files of scenarios and variants to name startups in Python.",
        rich_help_panel="Execution",
    ),
]
Details = Annotated[
    bool, typer.Option("--details", help="All tables and notes instead of the summary.")
]
Json = Annotated[bool, typer.Option("--json", help="One JSON document as the only output.")]
Workers = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Threads of the simulation. [all cores]",
        rich_help_panel="Execution",
    ),
]
