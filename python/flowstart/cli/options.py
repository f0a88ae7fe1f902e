"""Options that several commands share."""

import pathlib
from typing import Annotated, Any

import typer

from flowstart.errors import RequestError

Folder = Annotated[
    pathlib.Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="DIR",
        help="Write tables, figures and a report into this folder.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
Workers = Annotated[
    int | None, typer.Option(min=1, help="Threads to simulate on; all cores by default.")
]


def text(help_: str, metavar: str) -> typer.models.OptionInfo:
    """An option whose value is passed on to the simulator as it is."""
    option: typer.models.OptionInfo = typer.Option(metavar=metavar, help=help_)
    return option


def endpoints(given: dict[str, Any]) -> dict[str, Any] | None:
    """`--stack`, `--ack` and `--iw` as one."""
    from flowstart.model import stack as stacks

    fields = stacks.parse(given["stack"]) if given["stack"] else {}
    for name in ("ack", "iw"):
        if given[name] is not None:
            if name in fields:
                raise RequestError(
                    f"--{name} and --stack {given['stack']}: both set {name}; leave one out"
                )
            fields[name] = given[name]
    return fields or None
