"""`flowstart replay`: the user's own transfers under each startup."""

import pathlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from flowstart.cli import console, endpoints, options, path
from flowstart.cli.flags import Given, filled, flag, of, taking
from flowstart.cli.reading import READING, Reading, read
from flowstart.cli.traffic import SEED, Compared
from flowstart.errors import SimulationError

if TYPE_CHECKING:
    from flowstart.captures.contents import Capture
    from flowstart.render.files import Content
    from flowstart.replays.questions import Questions
    from flowstart.replays.result import Replay
    from flowstart.replays.settings import Settings

FILES = Annotated[
    list[pathlib.Path],
    typer.Argument(
        metavar="FILE...",
        help="pcap, pcapng, conn.log, qlog or server's log, or a folder of them.",
        show_default=False,
    ),
]


@dataclass(frozen=True, kw_only=True)
class Replayed:
    """What of a capture is replayed, and whose data is under test."""

    direction: str | None = flag(
        "Whose data in the capture is under test: server, client or both. [server]",
        "SIDE",
        panel="Captures",
    )
    network: list[str] | None = flag(
        "Rate and buffer of single networks of a capture, as often as needed: "
        "10.9.3.0/24:rate=20Mbps,buffer=60pkt; * stands for all.",
        "PREFIX:KEY=VALUE,...",
        panel="Captures",
    )
    rollout: str | None = flag(
        "Switch only a share of the connections in a pass of its own, such as 10%: what they gain "
        "and the others lose.",
        "SHARE",
        panel="Captures",
    )
    cross_traffic: str | None = flag(
        "Traffic of others on each path of a capture, as a share of its rate, such as 40%.",
        "SHARE",
        panel="Captures",
    )
    competing: str | None = flag(
        "Who else is on each path of a capture: a long cubic or bbr transfer, a call's probe.",
        "A,B,...",
        panel="Captures",
    )
    max_harm: str | None = flag(
        "Most transfers that a recommended variant may harm in any size class or network. [5%]",
        "SHARE",
        panel="Captures",
    )
    max_p99: str | None = flag(
        "Most that it may lengthen p99 there. [25%]",
        "SHARE",
        panel="Captures",
    )
    max_loss: str | None = flag(
        "Most that it may add to the share of packets lost or retransmitted there; half of the "
        "baseline's where that is more. [1%]",
        "SHARE",
        panel="Captures",
    )
    when: list[str] | None = flag(
        "A verdict for one network, on settings that can be limited to it, as often as needed: "
        "network=10.9.3.0/24.",
        "network=PREFIX",
        panel="Captures",
    )
    no_uncertainty: bool | None = flag(
        "The replay of a capture alone, without repeats, other buffers and calibration.",
        panel="Captures",
    )
    details: bool | None = flag(
        "Show all tables of a replay: size classes, paths, limits, other buffers, options.",
        panel="Captures",
    )
    full_json: bool | None = flag(
        "Keep all rows in result.json too, not only as Parquet and CSV.",
        panel="Captures",
    )
    recorded: str | None = flag(
        "What the hosts of a capture run: linux, freebsd, quic, quinn, s2n, quiche, msquic or "
        "haproxy. [linux; quic for a qlog]",
        "STACK",
        panel="Captures",
    )
    ignore: str | None = flag(
        "Leave parts of the capture out of its replay: turns, page, pauses, warm, handshake, "
        "windows.",
        "A,B,...",
        panel="Captures",
    )


FLAGS = (*of(Compared), *path.REPLAYED, *of(Replayed), *endpoints.REPLAYED, SEED, *READING)


@taking(FLAGS)
def replay(
    files: FILES,
    *,
    given: Given,
    workers: options.Workers = None,
    allow_python: options.AllowPython = False,
    json: options.Json = False,
    output: options.Folder = None,
) -> None:
    """Replay the transfers of captures and logs under each startup.

    Path options override what the capture has of its paths.
    """
    from flowstart.cli import output as folders
    from flowstart.replays.asked import questions_of

    if output:
        folders.check(output)
    with console.speaking_of(None):
        questions = questions_of(given)
        _settings(given, allow_python=allow_python)  # refuses what is wrong before reading
    found = read(files, filled(Reading, given), given.get("seed"))
    with console.speaking_of(None):
        form = found.about.get("format", "")
        settings = _settings(given, allow_python=allow_python, capture_format=form)
        result = _replay(found, settings, questions, workers)
    for warning in result.warnings:
        console.note(f"warning: {warning}")
    show = _show_details if given.get("details") else _show
    console.deliver(
        lambda: console.show_json(result.to_dict()) if json else show(result),
        output,
        _files(result, rows=bool(given.get("full_json"))),
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

    traffic = filled(Compared, given)
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
    """The answer on one screen, and the tables that an option requests."""
    from flowstart.replays.further import asked
    from flowstart.replays.overview import overview

    console.show_summary(overview(result, console.command_line(result.settings.seed)))
    for grid in asked(result):
        console.show_grid(grid)


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
