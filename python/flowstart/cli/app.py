"""The subcommands, one module each, under one name."""

from collections.abc import Callable
from typing import Annotated

import typer

from flowstart.cli import (
    algorithms,
    capture,
    compare,
    console,
    explore,
    known,
    live,
    maps,
    papers,
    run,
    schema,
    sweep,
    worst,
)
from flowstart.cli.once import Command

app = typer.Typer(
    name="flowstart",
    help="A laboratory for flow start-up: which start-up serves your traffic best?",
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _add(command: Callable[..., None], name: str | None = None) -> None:
    """A subcommand, by its own name unless another is given.

    Its help is what it says of itself, in paragraphs without line breaks.
    """
    paragraphs = (command.__doc__ or "").split("\n\n")
    text = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
    app.command(name, cls=Command, help=text)(command)


_add(compare.compare)
_add(explore.explore)
_add(run.run)
_add(live.live)
_add(sweep.sweep)
_add(capture.capture)
_add(maps.map_, "map")
_add(worst.worst)
_add(algorithms.algorithms)
_add(known.paths)
_add(known.stacks)
app.add_typer(papers.app, name="papers")
_add(schema.schema)


def _show_version(wanted: bool) -> None:
    if wanted:
        from flowstart._native import version

        console.say(f"flowstart {version()}")
        raise typer.Exit


@app.callback()
def _flowstart(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        console.say(context.get_help())
