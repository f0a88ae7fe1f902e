"""`flowstart worst`: where a startup fails worst."""

import pathlib
from typing import TYPE_CHECKING, Annotated

from flowstart.cli import console, flags
from flowstart.questions.option import Given, of
from flowstart.questions.worst import Worst

if TYPE_CHECKING:
    from flowstart.worst_paths.result import WorstPaths

STARTUP = next(each.option for each in of(Worst) if each.is_argument)


def worst(
    startup: Annotated[str, STARTUP],
    question: Annotated[Given, of(Worst, without=("startup",))],
    details: flags.Details = False,
    json: flags.Json = False,
    output: flags.Folder = None,
) -> None:
    """Search for paths on which a startup is worst compared with others.

    Half of the paths are sampled from the whole search space, half near the worst so far. Each
    finding is simplified, explained, and printed with the command that reproduces it.
    """
    from flowstart.cli.progress import Progress
    from flowstart.worst_paths.result import scenario_file
    from flowstart.worst_paths.search import find_worst_paths

    folder = flags.folder(output)
    with console.speaking_of(None), console.attending(), Progress("paths") as progress:
        result = find_worst_paths(startup, **question, progress=progress)
    scenario = str(folder / scenario_file(1)) if folder else ""
    console.deliver(
        console.view(
            result,
            lambda result: _show(result, folder),
            lambda result: console.show_summary(
                result.summary(console.command_line(result.seed), scenario)
            ),
            json=json,
            details=details,
        ),
        folder,
        console.files_of(result),
        seed=result.seed,
    )


def _show(result: "WorstPaths", output: pathlib.Path | None) -> None:
    from flowstart.worst_paths.result import scenario_file

    console.say(result.headline)
    if not result.failings:
        console.say("Nowhere was it worse than the best of the others.")
        return
    console.show_grid(result.table)
    for number, failing in enumerate(result.failings, 1):
        console.show_text(f"{number}. {failing.why}.")
        file = str(output / scenario_file(number)) if output else ""
        again = failing.again(file) if failing.command or output else "-o DIR writes its scenario"
        console.say(f"   Again: {again}")
    if any(len(failing.evaluation.seeds) > 1 for failing in result.failings):
        console.say(
            f"{result.measure}: of medians over seeds; a command repeats the nearest of them."
        )
