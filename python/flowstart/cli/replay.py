"""`flowstart compare --capture`: the user's own transfers under each start-up."""

import pathlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from flowstart.cli import console, path
from flowstart.cli.endpoints import Endpoints, stack_of
from flowstart.cli.flags import Given, filled
from flowstart.cli.reading import Reading, read
from flowstart.cli.traffic import Repetition, Replayed, Traffic
from flowstart.errors import RequestError, SimulationError, Stopped

if TYPE_CHECKING:
    from flowstart.captures.contents import Capture
    from flowstart.replay.result import Replay
    from flowstart.replay.settings import Settings


def compare(
    files: Sequence[pathlib.Path],
    given: Given,
    workers: int | None,
    json: bool,
    folder: pathlib.Path | None,
) -> None:
    """Replays a capture and shows, prints or writes the answer."""
    settings = _settings(given)
    how = filled(Reading, given)
    found = read(files, how, filled(Repetition, given).seed)
    with console.speaking_of(None):
        result = _replay(found, settings, workers)
    for warning in result.warnings:
        console.note(f"warning: {warning}")
    console.deliver(
        lambda: console.show_json(result.result()) if json else _show(result),
        folder,
        _files(result),
        interrupted=result.interrupted,
    )
    _say_what_is_missing(result)


def _files(result: "Replay") -> Iterator[Mapping[str, bytes]]:
    """What a folder keeps: tables, then figures, whose library is slow to load."""
    from flowstart.replay import report

    yield report.tables(result)
    yield report.pictures(result)


def _settings(given: Given) -> "Settings":
    from flowstart.cli import applicability
    from flowstart.comparison.plan import DEFAULT_STARTUPS
    from flowstart.model import specs
    from flowstart.model.custom import CustomStartups
    from flowstart.model.path import Path
    from flowstart.replay.settings import Settings, side

    repetition, ends = filled(Repetition, given), filled(Endpoints, given)
    replayed = filled(Replayed, given)
    described = path.read(given) or Path()
    if repetition.repeat > 1:
        raise RequestError(
            "--repeat and --capture: a capture is replayed once; --seed draws another --loss"
        )
    if described.reverse_rate and not described.rate:
        raise RequestError("--reverse-rate: --rate is missing; both directions belong together")
    startups = specs.listed("startup", filled(Traffic, given).startup, DEFAULT_STARTUPS)
    custom = CustomStartups()
    stack = stack_of(given)
    names = specs.startups(startups, custom)
    applicability.refuse_what_does_nothing(given, names, custom, stack)
    return Settings(
        startups=names,
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


def _replay(found: "Capture", settings: "Settings", workers: int | None) -> "Replay":
    from flowstart.cli.progress import Progress
    from flowstart.replay.execute import replay

    with console.attending(), Progress("runs") as progress:
        return replay(found, settings, workers=workers, progress=progress)


def _show(result: "Replay") -> None:
    from flowstart.replay import sentences, tables

    print(sentences.headline(result))
    console.show_grid(tables.paths(result.paths))
    print(" ".join([sentences.sources(result), *sentences.details(result)]))
    console.show_grid(tables.classes(result.summaries))
    print(sentences.legend(result))
    for line in (*sentences.verdict(result), *sentences.LIMITS):
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
