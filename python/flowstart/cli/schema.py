"""`flowstart schema`: what a file may say, and what the columns of tables hold."""

from typing import Annotated

import typer

from flowstart.cli import console


def schema(
    kind: Annotated[
        str,
        typer.Argument(metavar="scenario|rows", help="A scenario file, or the rows of tables."),
    ] = "scenario",
) -> None:
    """Print a JSON Schema: what a scenario file may say, or what every column holds."""
    from flowstart.errors import RequestError
    from flowstart.model import document
    from flowstart.render import columns

    if kind not in ("scenario", "rows"):
        raise RequestError(f"no schema is called {kind!r}: there are scenario and rows")
    console.show_json(columns.schema() if kind == "rows" else document.schema(kind))
