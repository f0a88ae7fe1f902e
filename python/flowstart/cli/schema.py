"""`flowstart schema`: what a file may say, and what the columns of tables hold."""

from typing import Annotated

import typer

from flowstart.cli import console


def schema(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="scenario|sweep|rows",
            help="The file of a scenario or of a sweep, or the rows of tables.",
        ),
    ] = "scenario",
) -> None:
    """Print a JSON Schema: what a scenario's or a sweep's file may say, what every column holds."""
    from flowstart.errors import RequestError
    from flowstart.model import document
    from flowstart.render import columns
    from flowstart.sweeps.language.schema import schema as sweep_schema

    schemas = {"scenario": document.json_schema, "sweep": sweep_schema, "rows": columns.schema}
    if kind not in schemas:
        raise RequestError(f"no schema is called {kind!r}: there are scenario, sweep and rows")
    console.show_json(schemas[kind]())
