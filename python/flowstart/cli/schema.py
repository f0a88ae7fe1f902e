"""`flowstart schema`: what a file may say, and what the columns of tables hold."""

from typing import Annotated

import typer

from flowstart.cli import console


def schema(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="scenario|sweep|rows",
            help="File of a scenario or sweep, or rows of tables.",
        ),
    ] = "scenario",
) -> None:
    """Print the JSON Schema of scenarios, sweeps or table columns."""
    from flowstart.errors import RequestError
    from flowstart.model import document
    from flowstart.render import columns
    from flowstart.sweeps.language.schema import schema as sweep_schema

    schemas = {"scenario": document.json_schema, "sweep": sweep_schema, "rows": columns.schema}
    if kind not in schemas:
        raise RequestError(f"no schema is called {kind!r}: there are scenario, sweep and rows")
    console.show_json(schemas[kind]())
