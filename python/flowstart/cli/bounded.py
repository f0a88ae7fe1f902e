"""The options that bound what a command uses: `--max-packets` and others, and `--time-limit`."""

import contextlib
import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

from flowstart.cli import console

PANEL = "Execution"


def _option(metavar: str, help_: str) -> Any:
    return typer.Option(metavar=metavar, help=help_, rich_help_panel=PANEL)


OPTIONS = {
    "max_packets": Annotated[
        str | None, _option("N", "Limit on the estimated data packets of all runs. [3e10]")
    ],
    "max_flows": Annotated[
        str | None, _option("N", "Limit on the estimated connections of all runs. [1e8]")
    ],
    "max_memory": Annotated[
        str | None, _option("SIZE", "Limit on memory, such as 64GB. [the machine's]")
    ],
    "max_time": Annotated[
        str | None, _option("TIME", "Limit on the estimated time, such as 30h. [168h]")
    ],
    "no_limits": Annotated[
        bool,
        typer.Option("--no-limits", help="Removal of all default limits.", rich_help_panel=PANEL),
    ],
    "time_limit": Annotated[
        str | None, _option("TIME", "Time after which work ends; finished results are kept.")
    ],
}
"""The options that bound what a command uses."""


def bounded(command: Callable[..., None]) -> Callable[..., None]:
    """A command with the options that bound it."""

    @functools.wraps(command)
    def run(**parameters: Any) -> None:
        from flowstart.simulation.bounds import bounded as bounding

        given = {name: parameters.pop(name) for name in OPTIONS}
        with contextlib.ExitStack() as stack:
            with console.speaking_of(None):
                stack.enter_context(bounding(**given, is_command=True))
            command(**parameters)

    kind = inspect.Parameter.KEYWORD_ONLY
    own = inspect.signature(command, eval_str=True).parameters.values()
    more = [
        inspect.Parameter(
            name, kind, default=False if name == "no_limits" else None, annotation=annotation
        )
        for name, annotation in OPTIONS.items()
    ]
    parameters = [*(one.replace(kind=kind) for one in own), *more]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run
