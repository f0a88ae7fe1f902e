"""`flowstart run`: one scenario in depth."""

import pathlib
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated

from flowstart.cli import console, flags
from flowstart.errors import RequestError, SimulationError
from flowstart.questions.option import Given, Option, of
from flowstart.questions.run import SCENARIO, RunQuestion

if TYPE_CHECKING:
    from flowstart.simulation.recordings import Recordings
    from flowstart.simulation.run import Run as Result


def run(
    scenario: Annotated[str, SCENARIO],
    question: Annotated[Given, of(RunQuestion, without=("scenario_like",))],
    qlog: Annotated[
        str | None,
        Option("Flows with a qlog of their senders, for qvis; requires -o.", "FLOW,..."),
    ] = None,
    pcap: Annotated[
        str | None,
        Option(
            "Flows with a packet capture at their sender or receiver, for Wireshark; requires -o.",
            "FLOW[:receiver],...",
        ),
    ] = None,
    parquet_only: Annotated[
        bool, Option("Rows as Parquet only, with little memory; requires -o.")
    ] = False,
    details: flags.Details = False,
    json: flags.Json = False,
    output: flags.Folder = None,
) -> None:
    """Run one scenario and show its flows and links."""
    from flowstart.simulation import recordings
    from flowstart.simulation.run import run as simulated

    folder = flags.folder(output)
    trace, allow_python = question.get("trace"), bool(question.get("allow_python"))
    wanted = {"--trace": trace, "--qlog": qlog, "--pcap": pcap}
    options = [option for option, value in wanted.items() if value]
    if not folder and (options or parquet_only):
        option = options[0] if options else "--parquet-only"
        what = {"--trace": "a trace is", "--parquet-only": "rows are"}.get(option, "it is")
        raise RequestError(f"{option}: {what} kept in a folder; give it one with -o DIR")
    if parquet_only and folder:
        beside = [*options, "--json"] if json else options
        _stream(scenario, folder, beside[0] if beside else None, allow_python=allow_python)
        return
    recorded = recordings.read(qlog, pcap)
    with console.speaking_of(scenario), console.attending():
        result = simulated(scenario, **question, packets=recorded.flows)
    console.deliver(
        console.view(result, _show_details, _show, json=json, details=details),
        folder,
        _files(result, recorded, title=scenario),
        seed=result.seed,
    )
    if result.all_failed:
        _say_that_all_failed(f"in {output}" if output else "above")


def _stream(
    scenario: str, folder: pathlib.Path, asked_too: str | None, *, allow_python: bool
) -> None:
    from flowstart.simulation.streaming import FILES, store

    if asked_too:
        raise RequestError(f"--parquet-only: contradicts {asked_too}; give one of the two")
    command = ["flowstart", *sys.argv[1:]]
    with console.speaking_of(scenario), console.attending():
        stored = store(scenario, folder, f"-o {folder}", command, allow_python=allow_python)
    for table, count in stored.counts.items():
        console.say(f"{count} {table} in {folder / FILES[table]}")
    if stored.all_failed:
        _say_that_all_failed(f"in {folder}")


def _say_that_all_failed(kept: str) -> None:
    raise SimulationError(f"no transfer was completed; what became of them is {kept}")


def _files(result: "Result", recorded: "Recordings", title: str) -> Iterator[Mapping[str, bytes]]:
    """What a folder keeps: tables, then figures, whose library is slow to load."""
    contents = result.files(title=title)
    yield {**next(contents), **dict(recorded.files(result))}
    yield from contents


def _show(result: "Result") -> None:
    """Path, completions and the flows, on one screen."""
    console.show_summary(result.summary(console.command_line()))


def _show_details(result: "Result") -> None:

    for line in (f"{result.headline}.", *result.summary().answer):
        console.say(line)
    for grid in result.tables:
        console.show_grid(grid)
    for note in result.notes:
        console.say(note)
