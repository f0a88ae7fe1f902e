"""`flowstart compare --capture`: the user's own transfers under each start-up."""

import pathlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from flowstart.cli import capture, console, options
from flowstart.errors import RequestError, SimulationError, Stopped

if TYPE_CHECKING:
    from flowstart.replay.result import Replay
    from flowstart.replay.settings import Settings

MEANT = (
    *("rate", "reverse_rate", "buffer", "reverse_buffer", "rtt", "loss", "avoidance"),
    "remembered",
)
"""Path options that a replay can use."""
REST = ("capture", "startup", "stack", "ack", "iw", "seed", "repeat", "workers", "json", "output")


def compare(
    file: pathlib.Path,
    given: dict[str, Any],
    workers: int | None,
    json: bool,
    folder: pathlib.Path | None,
) -> None:
    """Replays a capture and shows, prints or writes the answer."""
    settings = _settings(given)
    found = capture.read(file)
    with console.speaking_of(None):
        result = _replay(found, settings, workers)
    for warning in result.warnings:
        console.note(f"warning: {warning}")
    console.deliver(
        lambda: console.show_json(result.result()) if json else _show(result),
        folder,
        _files(result),
    )
    _say_what_is_missing(result)


def _files(result: "Replay") -> Iterator[Mapping[str, bytes]]:
    """What a folder keeps: tables, then figures, whose library is slow to load."""
    from flowstart.replay import report

    yield report.tables(result)
    yield report.pictures(result)


def _settings(given: dict[str, Any]) -> "Settings":
    from flowstart.cli import applicability
    from flowstart.comparison.plan import DEFAULT_STARTUPS
    from flowstart.model import specs
    from flowstart.model.custom import CustomStartups
    from flowstart.render.footnotes import IDLE
    from flowstart.replay.settings import Settings

    for name, value in given.items():
        if value is not None and name not in (*MEANT, *REST):
            option = "SCENARIO.toml" if name == "scenario" else f"--{name.replace('_', '-')}"
            raise RequestError(
                f"{option} and --capture: a replay has no use for it; leave one of the two out"
            )
    if given["repeat"] > 1:
        raise RequestError(
            "--repeat and --capture: a capture is replayed once; --seed draws another --loss"
        )
    if given["reverse_rate"] and not given["rate"]:
        raise RequestError("--reverse-rate: --rate is missing; both directions belong together")
    startups = specs.listed("startup", given["startup"], DEFAULT_STARTUPS)
    custom = CustomStartups()
    idle = () if given["remembered"] else IDLE
    stack = options.endpoints(given)
    names = specs.startups(startups, custom, without=idle)
    applicability.refuse_what_does_nothing(given, names, custom, stack)
    return Settings(
        startups=names,
        without=tuple(name for name in idle if "all" in startups and name not in names),
        custom=custom,
        stack=stack,
        seed=given["seed"] or 1,
        **{name: given[name] for name in MEANT},
    )


def _replay(found: Any, settings: "Settings", workers: int | None) -> "Replay":
    from flowstart.cli.progress import Progress
    from flowstart.replay.execute import replay

    with console.attending(), Progress("runs") as progress:
        return replay(found, settings, workers=workers, progress=progress)


def _show(result: "Replay") -> None:
    from flowstart.replay import sentences, tables

    print(sentences.headline(result))
    console.show_grid(tables.roads(result.roads))
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
