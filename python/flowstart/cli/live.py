"""`flowstart live`: startups in the simulator and in a real stack, side by side."""

from typing import TYPE_CHECKING, Annotated

from flowstart import _native
from flowstart.cli import console, flags
from flowstart.errors import RequestError, SimulationError
from flowstart.questions.live import Live
from flowstart.questions.option import Given, Option, of

if TYPE_CHECKING:
    from flowstart.comparison.live.result import LiveComparison

USUAL = "noq"
"""The stack where none is named."""


def live(
    question: Annotated[Given, of(Live)],
    path: Annotated[Given, flags.PATH],
    listed: Annotated[
        bool,
        Option(
            "List of the real stacks, and what each needs here.", flag="list", panel="Endpoints"
        ),
    ] = False,
    details: flags.Details = False,
    json: flags.Json = False,
    output: flags.Folder = None,
) -> None:
    """Compare startups in a real stack and in the simulator.

    Every size is transferred with every startup in both, over the same links. The table shows
    completion times, the difference between the two, the end of the startup and dropped packets.
    In virtual time a transfer takes milliseconds. With --clock real, and in the kernel (--stack
    linux), it takes its real time and is repeated --repeat times.
    """
    from flowstart.cli.progress import Progress
    from flowstart.comparison.compare import compare
    from flowstart.comparison.request import path_of
    from flowstart.model.path import NetworkPath

    if listed:
        _list(json=json)
        return
    folder = flags.folder(output)
    with console.speaking_of(None):
        described = path_of(path)
        if described is None:
            raise RequestError("no path is given: name its --rate and --rtt, or a --path NAME")
        keywords = {"on": USUAL, **question}
        with console.attending(), Progress() as progress:
            result = compare(NetworkPath(**described), **keywords, progress=progress)
    with console.attending():
        console.deliver(
            console.view(result, _show_details, console.summarised, json=json, details=details),
            folder,
            console.files_of(result),
            seed=result.seed,
            interrupted=result.interrupted,
        )
    _say_what_is_missing(result, kept=f"in {output}" if output else "above")


def _list(*, json: bool) -> None:
    """The real stacks, each with what adds it to this build."""
    from flowstart.render.grid import Column, Grid

    known = {name: _obstacle(name) for name in _native.LIVE_STACKS}
    if json:
        console.show_json([{"name": name, "obstacle": why} for name, why in known.items()])
        return
    grid = Grid([Column("stack", number=False), Column("on this machine", number=False)])
    grid.rows = [[name, why or "runs"] for name, why in known.items()]
    console.show_grid(grid, console.PLAIN_LINE)
    console.say("With one: flowstart live --rate 10Mbps --rtt 50ms --stack NAME")


def _obstacle(name: str) -> str | None:
    """Why startups cannot drive a stack here; None where they can."""
    try:
        return _native.live_prohibition(name, True)
    except RequestError as error:
        return error.message.partition(": ")[2]


def _show_details(result: "LiveComparison") -> None:
    """Header, table, how far the two agree, and the command that does it again."""
    console.say(result.headline)
    if result.paired:
        console.show_grid(result.table)
        for line in result.legend.splitlines():
            console.show_text(line)
    if result.command:
        console.say(f"Reproduce: {result.command}")
    if result.paired:
        console.say(result.verdict)


def _say_what_is_missing(result: "LiveComparison", kept: str) -> None:
    """Ends in an error where runs failed or were stopped."""
    from flowstart.simulation import bounds

    if result.interrupted:
        finished = len(result.found)
        raise bounds.current().stopped(f": {finished} live runs are finished and {kept}")
    for failure in result.failures[:3]:
        console.note(failure)
    if result.failures:
        raise SimulationError(f"{len(result.failures)} runs failed; the others are {kept}")
