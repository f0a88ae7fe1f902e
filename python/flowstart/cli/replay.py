"""`flowstart compare --capture`: the user's own transfers under each startup."""

import pathlib
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from flowstart.cli import console
from flowstart.cli.flags import Given, filled
from flowstart.cli.reading import Reading, read
from flowstart.cli.traffic import Repetition, Traffic
from flowstart.errors import RequestError, SimulationError

if TYPE_CHECKING:
    from flowstart.captures.contents import Capture
    from flowstart.render.files import Content
    from flowstart.replays.questions import Questions
    from flowstart.replays.result import Replay
    from flowstart.replays.settings import Settings


def compare(
    files: Sequence[pathlib.Path],
    given: Given,
    workers: int | None,
    json: bool,
    folder: pathlib.Path | None,
    *,
    allow_python: bool,
) -> None:
    """Replays a capture and shows, prints or writes the answer."""
    from flowstart.replays.asked import questions_of

    with console.speaking_of(None):
        questions = questions_of(given)
        _settings(given, allow_python=allow_python)  # refuses what is wrong before reading
    how = filled(Reading, given)
    found = read(files, how, filled(Repetition, given).seed)
    with console.speaking_of(None):
        form = found.about.get("format", "")
        settings = _settings(given, allow_python=allow_python, capture_format=form)
        result = _replay(found, settings, questions, workers)
    for warning in result.warnings:
        console.note(f"warning: {warning}")
    show = _show_details if given.get("details") else _show
    console.deliver(
        lambda: console.show_json(result.result()) if json else show(result),
        folder,
        _files(result, rows=bool(given.get("rows"))),
        interrupted=result.interrupted,
    )
    _say_what_is_missing(result)


def _files(result: "Replay", *, rows: bool) -> "Iterator[Mapping[str, Content]]":
    """What a folder keeps: tables, then figures, whose library is slow to load."""
    from flowstart.replays import report

    yield report.tables(result, rows=rows)
    yield report.pictures(result)


def _settings(given: Given, *, allow_python: bool, capture_format: str = "") -> "Settings":
    from flowstart.replays.asked import settings_of

    if filled(Repetition, given).repeat > 1:
        raise RequestError(
            "--repeat and --capture: a capture is replayed once; --seed draws another --loss"
        )
    traffic = filled(Traffic, given)
    variants = traffic.variants(allow_python=allow_python)
    return settings_of(
        given, startups=traffic.startups(), variants=variants, capture_format=capture_format
    )


def _replay(
    found: "Capture", settings: "Settings", questions: "Questions", workers: int | None
) -> "Replay":
    from flowstart.cli.progress import Progress
    from flowstart.replays.execute import study

    with console.attending(), Progress("transfers") as progress:
        return study(found, settings, questions, workers=workers, progress=progress)


def _show(result: "Replay") -> None:
    """What has to be decided upon, on one screen."""
    from flowstart.replays import overview, sentences
    from flowstart.replays.further import asked

    def say(*lines: str) -> None:
        for line in lines:
            console.say(textwrap.fill(line, console.PLAIN_LINE, break_on_hyphens=False))

    say(*overview.opening(result), "", *sentences.verdict(result))
    console.show_grid(overview.table(result))
    say(*overview.risk(result), *overview.commands(result), *overview.test_plan(result))
    say(*overview.partial(result))
    for grid in asked(result):
        console.show_grid(grid)
    for line in [*result.notes, *sentences.without_syn(result)]:
        console.say(line)
    console.say("Details: --details. Report: -o DIR.")
    console.say(f"Reproduce: {result.command}")


def _show_details(result: "Replay") -> None:
    """All tables."""
    from flowstart.replays import sentences, tables
    from flowstart.replays.further import further

    console.say(sentences.headline(result))
    console.show_grid(tables.paths(result.paths))
    console.say(" ".join([sentences.sources(result), *sentences.details(result)]))
    console.show_grid(tables.times(result.summaries))
    if len(result.settings.names) > 1:
        console.show_grid(tables.changes(result.summaries))
    console.say(sentences.legend(result))
    for line in sentences.verdict(result):
        console.say(line)
    for grid in further(result):
        console.show_grid(grid)
    for notes in result.notes_to_deploy:
        console.say("\n".join(notes.lines))
    for line in sentences.LIMITS:
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
