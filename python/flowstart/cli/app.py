"""The subcommands, one module each, under one name."""

from collections.abc import Callable
from typing import Annotated

import typer

from flowstart import plugins
from flowstart.cli import (
    algorithms,
    capture,
    check,
    compare,
    console,
    deploy,
    doctor,
    explore,
    known,
    live,
    maps,
    replay,
    run,
    sweep,
    worst,
)
from flowstart.cli.help_page import Group
from flowstart.cli.once import Command, bounded

app = typer.Typer(
    name="flowstart",
    cls=Group,
    help="Compare TCP and QUIC startup algorithms on any path or with recorded traffic.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _add(command: Callable[..., None], name: str | None = None) -> None:
    """A subcommand, by its own name unless another is given; its help is its docstring."""
    app.command(name, cls=Command)(command)


_add(bounded(compare.compare))
_add(bounded(replay.replay))
_add(deploy.deploy)
_add(explore.explore)
_add(bounded(run.run))
_add(bounded(live.live))
_add(bounded(sweep.sweep))
_add(capture.capture)
_add(maps.map_, "map")
_add(bounded(worst.worst))
_add(check.check)
_add(algorithms.algorithms)
_add(known.paths)
_add(known.stacks)
for _name, _added in plugins.load("commands").items():
    app.add_typer(_added, name=_name)
_add(known.schema)
_add(doctor.doctor)


def _show_version(wanted: bool) -> None:
    if wanted:
        from flowstart.cli.doctor import lines

        console.say("\n".join(lines()))
        raise typer.Exit


@app.callback()
def _flowstart(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_show_version,
            is_eager=True,
            help="Version and build facts.",
        ),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        console.say(context.get_help())
