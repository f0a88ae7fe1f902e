"""`flowstart compare --capture`: the user's own transfers under each start-up."""

import dataclasses
import pathlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from flowstart.cli import console, path
from flowstart.cli.endpoints import Endpoints
from flowstart.cli.flags import Given, filled
from flowstart.cli.reading import Reading, read
from flowstart.cli.shares import share as part
from flowstart.cli.traffic import Repetition, Replayed, Traffic
from flowstart.errors import RequestError, SimulationError, Stopped

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
    with console.speaking_of(None):
        settings, questions = _settings(given, allow_python=allow_python), _questions(given)
    how = filled(Reading, given)
    found = read(files, how, filled(Repetition, given).seed)
    with console.speaking_of(None):
        result = _replay(found, settings, questions, workers)
    for warning in result.warnings:
        console.note(f"warning: {warning}")
    console.deliver(
        lambda: console.show_json(result.result()) if json else _show(result),
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


def _questions(given: Given) -> "Questions":
    from flowstart.inference import Rule
    from flowstart.inference.recommendation import MAX_HARM
    from flowstart.replays.questions import QUICK, Questions

    asked = filled(Replayed, given)
    share = None if asked.share is None else part("share", asked.share)
    harm = MAX_HARM if asked.max_harm is None else part("max_harm", asked.max_harm)
    usual = QUICK if asked.quick else Questions()
    return dataclasses.replace(usual, share=share, rule=Rule(max_harm=harm))


def _settings(given: Given, *, allow_python: bool) -> "Settings":
    from flowstart.comparison import applicability
    from flowstart.comparison.asked import path_of, stack_of
    from flowstart.comparison.plan import chosen
    from flowstart.model import specs
    from flowstart.model.custom import CustomStartups
    from flowstart.model.path import Path
    from flowstart.replays.settings import Settings, side

    repetition, ends = filled(Repetition, given), filled(Endpoints, given)
    replayed = filled(Replayed, given)
    described = path_of(given) or Path()
    if repetition.repeat > 1:
        raise RequestError(
            "--repeat and --capture: a capture is replayed once; --seed draws another --loss"
        )
    if described.reverse_rate and not described.rate:
        raise RequestError("--reverse-rate: --rate is missing; both directions belong together")
    traffic = filled(Traffic, given)
    custom = CustomStartups()
    stack = stack_of(given)
    variants = chosen(traffic.variants(allow_python=allow_python), traffic.startups(), custom)
    begins = [str(variant.begins) for variant in variants]
    applicability.refuse_what_does_nothing(given, begins, custom, stack)
    own = {name: getattr(described, name) for name in path.IMPAIRING}
    return Settings(
        startups=tuple(v.name for v in variants if v.name == v.startup),
        variants=tuple(v for v in variants if v.name != v.startup),
        baseline=traffic.baseline,
        impairments={name: value for name, value in own.items() if value is not None},
        cross=0.0 if replayed.cross is None else part("cross", replayed.cross),
        beside=tuple(specs.listed("beside", replayed.beside, ())),
        rate=described.rate,
        reverse_rate=described.reverse_rate,
        buffer=described.buffer,
        reverse_buffer=described.reverse_buffer,
        rtt=described.rtt,
        loss=described.loss,
        stack=stack,
        avoidance=ends.avoidance,
        remembered=ends.remembered,
        direction=side(replayed.direction or "server"),
        without=frozenset(specs.listed("without", replayed.without, ())),
        seed=repetition.seed or 1,
        custom=custom,
    )


def _replay(
    found: "Capture", settings: "Settings", questions: "Questions", workers: int | None
) -> "Replay":
    from flowstart.cli.progress import Progress
    from flowstart.replays.execute import study

    with console.attending(), Progress("transfers") as progress:
        return study(found, settings, questions, workers=workers, progress=progress)


def _show(result: "Replay") -> None:
    from flowstart.replays import sentences, tables
    from flowstart.replays.further import further

    print(sentences.headline(result))
    console.show_grid(tables.paths(result.paths))
    print(" ".join([sentences.sources(result), *sentences.details(result)]))
    console.show_grid(tables.times(result.summaries))
    if len(result.settings.names) > 1:
        console.show_grid(tables.changes(result.summaries))
    print(sentences.legend(result))
    for line in sentences.verdict(result):
        print(line)
    for grid in further(result):
        console.show_grid(grid)
    for notes in result.notes_to_deploy:
        print("\n".join(notes.lines))
    for line in sentences.LIMITS:
        print(line)
    print(f"Again: {result.command}")


def _say_what_is_missing(result: "Replay") -> None:
    if result.interrupted:
        raise Stopped("stopped by Ctrl-C: what is finished is above")
    for failure in result.failures[:3]:
        console.note(failure)
    if result.failures:
        raise SimulationError(f"{len(result.failures)} runs failed; the others are above")
    if result.all_failed:
        raise SimulationError("no transfer was completed; what became of them is above")
