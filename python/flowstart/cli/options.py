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
        help="Write tables, figures and a report into this folder.",
    ),
]
AllowPython = Annotated[
    bool,
    typer.Option(
        "--allow-python",
        help="Run startups in Python that a scenario's or variants' file names.",
        rich_help_panel="How it is run",
    ),
]
Details = Annotated[
    bool, typer.Option("--details", help="All tables and notes in place of the summary.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
Workers = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Threads to simulate on; all cores by default.",
        rich_help_panel="How it is run",
    ),
]
