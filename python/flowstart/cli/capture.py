"""`flowstart capture`: what is in packet captures and logs."""

import pathlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from flowstart.cli import console, flags
from flowstart.cli.flags import READING, Flag, Given, Reading, filled, read, taking
from flowstart.errors import RequestError

if TYPE_CHECKING:
    from flowstart.captures.contents import Capture


def show(found: "Capture", workers: int | None, json: bool) -> None:
    """Replays a capture as it was recorded, and shows or prints the comparison."""
    from flowstart.cli.progress import Progress
    from flowstart.replays import calibration
    from flowstart.replays.calibration import calibrate

    with console.speaking_of(None), Progress("transfers") as progress:
        answer = calibrate(found, workers=workers, progress=progress)
    if json:
        console.show_json({"files": list(found.files), **answer.to_dict()})
        return
    console.say(calibration.headline(answer))
    console.show_grid(calibration.table(answer))
    for line in calibration.legend(answer):
        console.say(line)


FILES = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...",
        help="Captures (pcap, pcapng, compressed or not), Zeek conn.log, qlog or server logs; "
        "folders of them; - for the standard input.",
        show_default=False,
    ),
]
FULL_JSON = Annotated[
    bool,
    typer.Option("--full-json", help="All rows in capture.json, in addition to Parquet and CSV."),
]
SEED = Flag("seed", "Seed of the sample. [1]", type=int | None, least=0, panel="Captures")


CALIBRATE = Annotated[
    bool,
    typer.Option(
        "--calibrate",
        help="Replay of the recorded setting, with simulated over recorded times.",
    ),
]


@taking((*READING, SEED))
def capture(
    files: FILES,
    *,
    given: Given,
    calibrate: CALIBRATE = False,
    workers: flags.Workers = None,
    details: flags.Details = False,
    json: flags.Json = False,
    full_json: FULL_JSON = False,
    output: flags.Folder = None,
) -> None:
    """Show the transfers, RTTs and needed initial rates of captures."""
    if output:
        console.check_folder(output)
    if full_json and not output:
        raise RequestError("--full-json: it is for capture.json, and needs -o DIR")
    _refuse_what_contradicts(calibrate, workers, output)
    found = read(files, filled(Reading, given), given.get("seed"))
    if calibrate:
        show(found, workers, json)
        return
    console.deliver(
        console.view(found, _show_details, _show, json=json, details=details),
        output,
        _files(found, full_json),
    )


def _refuse_what_contradicts(
    calibrate: bool, workers: int | None, output: pathlib.Path | None
) -> None:
    if calibrate and output:
        raise RequestError("--calibrate and -o: a table is all there is; leave one of the two out")
    if workers is not None and not calibrate:
        raise RequestError("--workers: reading takes one; it is for --calibrate")


def _show(found: "Capture") -> None:
    """What was read, and the networks, on one screen."""
    from flowstart.captures.report import overview

    console.show_summary(overview(found))


def _show_details(found: "Capture") -> None:
    from flowstart.captures import contents, senders

    console.say(contents.headline(found))
    if quic := contents.quic(found):
        console.say(quic)
    console.show_grid(contents.summary_table(found.summary))
    if found.groups:
        console.show_grid(contents.networks(found))
    if (measured := senders.table(found.senders)).rows:
        console.show_grid(measured)
    console.show_grid(contents.connections(found))
    for note in found.notes:
        console.say(f"Note: {note}")


def _files(found: "Capture", rows: bool) -> Iterator[Mapping[str, bytes]]:
    """What a folder keeps: tables, then figures, whose library is slow to load."""
    from flowstart.captures import report

    yield report.tables(found, rows=rows)
    yield report.pictures(found)
