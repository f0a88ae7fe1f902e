"""The subcommands, one module each, under one name."""

from typing import Annotated

import typer

from flowstart.cli import algorithms, capture, compare, papers, run, schema
from flowstart.cli.once import Command

app = typer.Typer(
    name="flowstart",
    help="A laboratory for flow start-up: which start-up serves your traffic best?",
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(cls=Command)(compare.compare)
app.command(cls=Command)(run.run)
app.command(cls=Command)(capture.capture)
app.command(cls=Command)(algorithms.algorithms)
app.add_typer(papers.app, name="papers")
app.command(cls=Command)(schema.schema)


def _show_version(wanted: bool) -> None:
    if wanted:
        from flowstart._native import version

        print(f"flowstart {version()}")
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
        print(context.get_help())
