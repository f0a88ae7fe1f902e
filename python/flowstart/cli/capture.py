"""`flowstart capture`: what is in packet captures and logs."""

import pathlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated

from flowstart.cli import console, flags
from flowstart.errors import RequestError
from flowstart.questions.option import Argument, Given, Option

if TYPE_CHECKING:
    from flowstart.captures.contents import Capture


def show(capture: "Capture", workers: int | None, json: bool) -> None:
    """Replays a capture as it was recorded, and shows or prints the comparison."""
    from flowstart.cli.progress import Progress
    from flowstart.replays import calibration
    from flowstart.replays.calibration import calibrate

    with console.speaking_of(None), Progress("transfers") as progress:
        answer = calibrate(capture, workers=workers, progress=progress)
    if json:
        console.show_json({"files": list(capture.files), **answer.to_dict()})
        return
    console.say(calibration.headline(answer))
    console.show_grid(calibration.table(answer))
    for line in calibration.legend(answer):
        console.say(line)


def capture(
    files: Annotated[
        list[str],
        Argument(
            "Captures (pcap, pcapng, compressed or not), Zeek conn.log, qlog or server logs; "
            "folders of them; - for the standard input.",
            "FILE...",
        ),
    ],
    reading: Annotated[Given, flags.READING],
    sample: Annotated[
        str | None,
        Option(
            "Random sample of connections: a share (10%), a number (5000) or all. [all]",
            "SHARE",
            panel="Captures",
        ),
    ] = None,
    seed: Annotated[
        int | None, Option("Seed of the sample. [1]", least=0, panel="Captures")
    ] = None,
    calibrate: Annotated[
        bool,
        Option("Replay of the recorded setting, with simulated over recorded times."),
    ] = False,
    workers: flags.Workers = None,
    full_json: Annotated[
        bool, Option("All rows in capture.json, in addition to Parquet and CSV.")
    ] = False,
    details: flags.Details = False,
    json: flags.Json = False,
    output: flags.Folder = None,
) -> None:
    """Show the transfers, RTTs and needed initial rates of captures."""
    folder = flags.folder(output)
    if full_json and not output:
        raise RequestError("--full-json: it is for capture.json, and needs -o DIR")
    _refuse_what_contradicts(calibrate, workers, folder)
    capture = flags.read(files, reading, sample, seed)
    if calibrate:
        show(capture, workers, json)
        return
    console.deliver(
        console.view(capture, _show_details, _show, json=json, details=details),
        folder,
        _files(capture, full_json),
    )


def _refuse_what_contradicts(
    calibrate: bool, workers: int | None, output: pathlib.Path | None
) -> None:
    if calibrate and output:
        raise RequestError("--calibrate and -o: a table is all there is; leave one of the two out")
    if workers is not None and not calibrate:
        raise RequestError("--workers: reading takes one; it is for --calibrate")


def _show(capture: "Capture") -> None:
    """What was read, and the networks, on one screen."""
    from flowstart.captures.report import overview

    console.show_summary(overview(capture))


def _show_details(capture: "Capture") -> None:
    from flowstart.captures import contents, senders

    console.say(contents.headline(capture))
    if quic := contents.quic(capture):
        console.say(quic)
    console.show_grid(contents.summary_table(capture.summary))
    if capture.groups:
        console.show_grid(contents.networks(capture))
    if (measured := senders.table(capture.senders)).rows:
        console.show_grid(measured)
    console.show_grid(contents.connections(capture))
    for note in capture.notes:
        console.say(f"Note: {note}")


def _files(capture: "Capture", rows: bool) -> Iterator[Mapping[str, bytes]]:
    """What a folder keeps: tables, then figures, whose library is slow to load."""
    from flowstart.captures import report

    yield report.tables(capture, rows=rows)
    yield report.pictures(capture)
