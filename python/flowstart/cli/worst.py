"""`flowstart worst`: where a startup fails worst."""

import pathlib
from typing import TYPE_CHECKING, Annotated

import typer

from flowstart.cli import completion, console, flags
from flowstart.model import stack as stacks

if TYPE_CHECKING:
    from flowstart.worst_paths.result import WorstPaths

SEARCH = "Search"


def worst(
    startup: Annotated[
        str,
        typer.Argument(
            metavar="STARTUP",
            help="Startup under test.",
            show_default=False,
            autocompletion=completion.startup,
        ),
    ],
    against: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,...",
            help="Startups to compare with. [unaided: all without router, peer or cache support]",
        ),
    ] = None,
    search_space: Annotated[
        str | None,
        typer.Option(
            metavar="FIELD=MIN..MAX,...",
            help="Ranges of paths, sizes and competing flows: "
            "rate=1Mbps..1Gbps,queue=fq-codel|codel. All but rate, rtt, buffer and size may be "
            "absent from a path. [a realistic range of each]",
            show_default=False,
        ),
    ] = None,
    measure: Annotated[
        str, typer.Option(metavar="regret|loss|harm", help="Measure to maximise.")
    ] = "regret",
    stack: Annotated[
        str, typer.Option(metavar="STACK", help="Preset of both endpoints.")
    ] = stacks.DEFAULT,
    cc: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Congestion control after startup. [the stack's]"),
    ] = None,
    runs: Annotated[
        int, typer.Option(metavar="N", help="Number of paths to try.", rich_help_panel=SEARCH)
    ] = 500,
    distinct: Annotated[
        int, typer.Option(metavar="N", help="Number of findings to show.", rich_help_panel=SEARCH)
    ] = 5,
    seed: Annotated[
        int, typer.Option(metavar="N", help="Seed of the search.", rich_help_panel=SEARCH)
    ] = 1,
    seeds: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="Seeds per path, for the median, where anything is random.",
            rich_help_panel=SEARCH,
        ),
    ] = 3,
    workers: flags.Workers = None,
    details: flags.Details = False,
    json: flags.Json = False,
    output: flags.Folder = None,
) -> None:
    """Search for paths on which a startup is worst compared with others.

    Half of the paths are sampled from the whole search space, half near the worst so far. Each
    finding is simplified, explained, and printed with the command that reproduces it.
    """
    from flowstart.cli.progress import Progress
    from flowstart.model import specs
    from flowstart.worst_paths.result import scenario_file
    from flowstart.worst_paths.search import find_worst_paths as searched

    if output:
        console.check_folder(output)
    with console.speaking_of(None), console.attending(), Progress("paths") as progress:
        found = searched(
            startup,
            against=None if against is None else specs.listed("against", against, ()),
            search_space=search_space,
            measure=measure,
            runs=runs,
            distinct=distinct,
            stack=stack,
            cc=cc,
            seed=seed,
            seeds=seeds,
            workers=workers,
            progress=progress,
        )
    scenario = str(output / scenario_file(1)) if output else ""
    console.deliver(
        console.view(
            found,
            lambda found: _show(found, output),
            lambda found: console.show_summary(
                found.summary(console.command_line(found.seed), scenario)
            ),
            json=json,
            details=details,
        ),
        output,
        console.files_of(found),
        seed=seed,
    )


def _show(found: "WorstPaths", output: pathlib.Path | None) -> None:
    from flowstart.worst_paths.result import scenario_file

    console.say(found.headline)
    if not found.failings:
        console.say("Nowhere was it worse than the best of the others.")
        return
    console.show_grid(found.table)
    for number, one in enumerate(found.failings, 1):
        console.show_text(f"{number}. {one.why}.")
        file = str(output / scenario_file(number)) if output else ""
        again = one.again(file) if one.command or output else "-o DIR writes its scenario"
        console.say(f"   Again: {again}")
    if any(len(one.evaluation.seeds) > 1 for one in found.failings):
        console.say(
            f"{found.measure}: of medians over seeds; a command repeats the nearest of them."
        )
