"""`flowstart schema`: what a file may say, for editors."""

from typing import Annotated

import typer

from flowstart.cli import console


def schema(
    kind: Annotated[str, typer.Argument(metavar="scenario", help="The kind of file.")] = "scenario",
) -> None:
    """Print the JSON Schema of a scenario file."""
    from flowstart.model import document

    console.show_json(document.schema(kind))
