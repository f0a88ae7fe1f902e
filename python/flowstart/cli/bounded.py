"""The options that bound what a command uses: `--limit` and `--time-limit`."""

import contextlib
import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

from flowstart.cli import console

PANEL = "How it is run"

LIMIT = Annotated[
    str | None,
    typer.Option(
        metavar="WHAT=MOST,...",
        help="Raise what it may be estimated to use: packets=1e12, flows=1e9, memory=64GB, "
        "time=30h; none for no limit. \\[packets=3e10, flows=1e8, the machine's memory, "
        "time=168h]",
        rich_help_panel=PANEL,
    ),
]
TIME_LIMIT = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        help="Stop after so long, as Ctrl-C would: what is finished is kept.",
        rich_help_panel=PANEL,
    ),
]


def bounded(command: Callable[..., None]) -> Callable[..., None]:
    """A command with the options that bound it."""

    @functools.wraps(command)
    def run(*, limit: str | None, time_limit: str | None, **parameters: Any) -> None:
        from flowstart.simulation.bounds import bounded as bounding

        with contextlib.ExitStack() as stack:
            with console.speaking_of(None):
                stack.enter_context(bounding(limit, time_limit, is_command=True))
            command(**parameters)

    kind = inspect.Parameter.KEYWORD_ONLY
    own = inspect.signature(command, eval_str=True).parameters.values()
    more = [
        inspect.Parameter(name, kind, default=None, annotation=annotation)
        for name, annotation in (("limit", LIMIT), ("time_limit", TIME_LIMIT))
    ]
    parameters = [*(one.replace(kind=kind) for one in own), *more]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run
