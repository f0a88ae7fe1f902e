"""`flowstart replay`: the user's own transfers under each startup."""

import itertools
from typing import TYPE_CHECKING, Annotated

from flowstart.cli import console, flags
from flowstart.errors import SimulationError
from flowstart.questions.option import Given, Option, of
from flowstart.questions.replay import ReplayQuestion

if TYPE_CHECKING:
    from flowstart.replays.result import Replay

FILES = next(each.option for each in of(ReplayQuestion) if each.is_argument)


def replay(
    files: Annotated[list[str], FILES],
    question: Annotated[Given, of(ReplayQuestion, without=("capture",))],
    path: Annotated[Given, flags.REPLAYED_PATH],
    stack: Annotated[Given, flags.REPLAYED_ENDPOINTS],
    reading: Annotated[Given, flags.READING],
    full_json: Annotated[
        bool,
        Option(
            "All rows in result.json and --json, in addition to Parquet and CSV.", panel="Captures"
        ),
    ] = False,
    details: flags.Details = False,
    json: flags.Json = False,
    output: flags.Folder = None,
) -> None:
    """Replay the transfers of captures and logs with each startup.

    Path options override the estimates of the capture.
    """
    from flowstart.cli.progress import Progress
    from flowstart.replays.request import check, question_of
    from flowstart.replays.request import replay as replayed

    folder = flags.folder(output)
    with console.speaking_of(None):
        keywords = question_of({**question, **path, **stack})
        check(ReplayQuestion(files[0], **keywords))  # before reading
    capture = flags.read(files, reading, seed=question.get("seed"))
    with console.speaking_of(None), console.attending(), Progress("transfers") as progress:
        result = replayed(capture, **keywords, progress=progress)
    for warning in result.warnings:
        console.note(f"warning: {warning}")
    show = _show_details if details else _show
    console.deliver(
        lambda: console.show_json(result.to_dict(rows=full_json)) if json else show(result),
        folder,
        result.files(rows=full_json),
        interrupted=result.interrupted,
    )
    _say_what_is_missing(result)


def _show(result: "Replay") -> None:
    """The answer on one screen, and the tables that an option requests."""
    from flowstart.replays.report import requested

    console.summarised(result)
    for grid in requested(result):
        console.show_grid(grid)


def _show_details(result: "Replay") -> None:
    """All tables."""
    from flowstart.render.summary import folded
    from flowstart.replays import calibration, overview, tables
    from flowstart.replays.report import further

    answers = (
        overview.verdict(result),
        overview.risk(result),
        overview.validity(result),
    )
    opening = [overview.headline(result), *overview.sample(result)]
    for line in [*opening, *itertools.chain(*answers)]:
        console.show_text(line)
    for line in overview.remedy(result):
        console.say("\n".join(folded(line)))
    console.show_grid(tables.paths(result.paths))
    console.show_text(" ".join([overview.sources(result), *overview.details(result)]))
    console.show_grid(tables.times(result.summaries))
    if len(result.settings.names) > 1:
        console.show_grid(tables.changes(result.summaries))
    for line in overview.table_legend(result).splitlines():
        console.show_text(line)
    for grid in further(result):
        console.show_grid(grid)
    if result.calibration:
        console.show_text("\n".join(calibration.legend(result.calibration)))
    for notes in result.notes_to_deploy:
        console.say("\n".join(notes.lines))
    for line in overview.LIMITS:
        console.say(line)
    console.say(f"Reproduce: {result.command}")


def _say_what_is_missing(result: "Replay") -> None:
    from flowstart.simulation import bounds

    if result.interrupted:
        raise bounds.current().stopped(": what is finished is above")
    for failure in result.failures[:3]:
        console.note(failure)
    if result.failures:
        raise SimulationError(f"{len(result.failures)} runs failed; the others are above")
    if result.all_failed:
        raise SimulationError("no transfer was completed; what became of them is above")
