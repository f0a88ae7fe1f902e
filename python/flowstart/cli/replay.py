"""`flowstart replay`: the user's own transfers under each startup."""

import dataclasses
import itertools
import pathlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from flowstart.cli import console, flags
from flowstart.cli.flags import (
    READING,
    SEED,
    Compared,
    Given,
    Reading,
    filled,
    flag,
    of,
    read,
    taking,
)
from flowstart.errors import SimulationError

if TYPE_CHECKING:
    from flowstart.captures.contents import Capture
    from flowstart.replays.answer import Questions
    from flowstart.replays.result import Replay
    from flowstart.replays.settings import Settings

FILES = Annotated[
    list[pathlib.Path],
    typer.Argument(
        metavar="FILE...",
        help="Captures (pcap, pcapng), Zeek conn.log, qlog or server logs, or folders of them.",
        show_default=False,
    ),
]


@dataclass(frozen=True, kw_only=True)
class Replayed:
    """What of a capture is replayed, and whose data is under test."""

    direction: str | None = flag(
        "Side whose data is under test: server, client or both. [server]", "SIDE", panel="Captures"
    )
    network: list[str] | None = flag(
        "Rate and buffer of a network, such as 10.9.3.0/24:rate=20Mbps,buffer=60pkt; * for all "
        "networks. Repeatable.",
        "PREFIX:KEY=VALUE,...",
    )
    rollout: str | None = flag(
        "Share of the connections that switch in a separate pass, such as 10%, with the harm to "
        "the others.",
        "SHARE",
        panel="Captures",
    )
    cross_traffic: str | None = flag(
        "Cross traffic on each path, as a share of its rate, such as 40%.",
        "SHARE",
        panel="Captures",
    )
    competing: str | None = flag(
        "Competing flows on each path: a long cubic or bbr transfer, or the probe of a call.",
        "A,B,...",
        panel="Captures",
    )
    max_harm: str | None = flag(
        "Harm limit of a recommendation: share of harmed transfers in any size class or network. "
        "[5%]",
        "SHARE",
        panel="Captures",
    )
    max_p99: str | None = flag(
        "Limit of a recommendation on the increase of p99 in any size class or network. [25%]",
        "SHARE",
        panel="Captures",
    )
    max_loss: str | None = flag(
        "Limit of a recommendation on additional loss or retransmission in any size class or "
        "network; half of the baseline's where that is more. [1%]",
        "SHARE",
        panel="Captures",
    )
    when: list[str] | None = flag(
        "Network with a separate recommendation, on settings that can be limited to it: "
        "network=10.9.3.0/24. Repeatable.",
        "network=PREFIX",
        panel="Captures",
    )
    no_uncertainty: bool | None = flag(
        "One replay, without repeats, other buffers and calibration.", panel="Captures"
    )
    details: bool | None = flag("All tables and notes instead of the summary.")
    full_json: bool | None = flag(
        "All rows in result.json and --json, in addition to Parquet and CSV.", panel="Captures"
    )
    recorded: str | None = flag(
        "Stack of the recorded hosts, such as freebsd or quinn. [linux; quic for a qlog]",
        "STACK",
    )
    ignore: str | None = flag(
        "Parts of the capture to ignore: turns, page, pauses, warm, handshake, windows.",
        "A,B,...",
        panel="Captures",
    )


FLAGS = (
    *of(Compared),
    *flags.REPLAYED_PATH,
    *of(Replayed),
    *flags.REPLAYED_ENDPOINTS,
    SEED,
    *READING,
)


@taking(FLAGS)
def replay(
    files: FILES,
    *,
    given: Given,
    workers: flags.Workers = None,
    allow_python: flags.AllowPython = False,
    json: flags.Json = False,
    output: flags.Folder = None,
) -> None:
    """Replay the transfers of captures and logs with each startup.

    Path options override the estimates of the capture.
    """
    from flowstart.replays.request import questions_of

    if output:
        console.check_folder(output)
    with console.speaking_of(None):
        questions = questions_of(given)
        _settings(given, allow_python=allow_python)  # refuses what is wrong before reading
    how = dataclasses.replace(filled(Reading, given), sample=None)
    found = read(files, how, given.get("seed"))
    with console.speaking_of(None):
        settings = _settings(given, allow_python=allow_python, capture=found)
        result = _replay(found, settings, questions, workers)
    for warning in result.warnings:
        console.note(f"warning: {warning}")
    rows = bool(given.get("full_json"))
    show = _show_details if given.get("details") else _show
    console.deliver(
        lambda: console.show_json(result.to_dict(rows=rows)) if json else show(result),
        output,
        result.files(rows=rows),
        interrupted=result.interrupted,
    )
    _say_what_is_missing(result)


def _settings(given: Given, *, allow_python: bool, capture: "Capture | None" = None) -> "Settings":
    from flowstart.replays.request import settings_of

    traffic = filled(Compared, given)
    variants = traffic.variants(allow_python=allow_python)
    return settings_of(given, startups=traffic.startups(), variants=variants, capture=capture)


def _replay(
    found: "Capture", settings: "Settings", questions: "Questions", workers: int | None
) -> "Replay":
    from flowstart.cli.progress import Progress
    from flowstart.replays.execute import study

    with console.attending(), Progress("transfers") as progress:
        return study(found, settings, questions, workers=workers, progress=progress)


def _show(result: "Replay") -> None:
    """The answer on one screen, and the tables that an option requests."""
    from flowstart.replays.result import asked

    console.summarised(result)
    for grid in asked(result):
        console.show_grid(grid)


def _show_details(result: "Replay") -> None:
    """All tables."""
    from flowstart.render.summary import folded
    from flowstart.replays import calibration, overview, tables
    from flowstart.replays.result import further

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
