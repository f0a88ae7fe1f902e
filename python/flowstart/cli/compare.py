"""`flowstart compare`: the same traffic under one startup after another."""

import pathlib
from typing import TYPE_CHECKING, Annotated, Any

from flowstart.cli import console, flags
from flowstart.errors import RequestError, SimulationError
from flowstart.questions.compare import Compare
from flowstart.questions.option import CommandParameter, Given, of

if TYPE_CHECKING:
    from flowstart.comparison.result import Comparison

SETTING = next(each.option for each in of(Compare) if each.is_argument)


def compare(
    path: Annotated[Given, flags.PATH],
    question: Annotated[Given, flags.COMPARED],
    stack: Annotated[Given, flags.ENDPOINTS],
    scenario: Annotated[str | None, SETTING] = None,
    details: flags.Details = False,
    json: flags.Json = False,
    output: flags.Folder = None,
) -> None:
    """Compare startups on a path or in a scenario.

    Every size is transferred with every startup under the same conditions. The table shows
    completion times, their change against the baseline, losses and the end of each startup.
    Quantities have a unit: 5Mbps, 64ms, 100kB, 60pkt, 1bdp.
    """
    from flowstart.cli.progress import Progress
    from flowstart.comparison.compare import compare as compared
    from flowstart.comparison.request import question_of

    folder = flags.folder(output)
    with console.speaking_of(scenario):
        if scenario:
            keywords = _of_scenario(scenario, {**path, **question, **stack}, question)
        else:
            keywords = question_of({**path, **question, **stack})
        with console.attending(), Progress() as progress:
            result = compared(**keywords, progress=progress)
    for warning in result.warnings:
        console.note(f"warning: {warning}")
    with console.attending():  # the figures run startups again, with a trace
        console.deliver(
            console.view(result, _show_details, console.summarised, json=json, details=details),
            folder,
            console.files_of(result),
            seed=result.seed,
            interrupted=result.interrupted
            or (result.intervals is not None and result.intervals.interrupted),
        )
    _say_what_is_missing(result, kept=f"in {output}" if output else "above")


def _of_scenario(scenario: str, options: Given, question: Given) -> dict[str, Any]:
    """The keywords of `fs.compare` for a scenario, which describes path and flows itself."""
    from flowstart.comparison.plan import BESIDE_A_SCENARIO

    others = [o for o in OPTIONS if o.name in options and o.name not in BESIDE_A_SCENARIO]
    if others and not pathlib.Path(scenario).exists():
        raise RequestError(f"{scenario}: no such scenario file; values have no spaces, such as 1MB")
    for each in others:
        raise RequestError(
            f"{each.flag} and {scenario}: the scenario describes path and flows; "
            f"write `{each.name}` into it, or leave one of the two out"
        )
    return {"setting": scenario, **question}


OPTIONS: tuple[CommandParameter, ...] = (*flags.COMPARED, *flags.PATH, *flags.ENDPOINTS)


def _show_details(result: "Comparison") -> None:
    """All sizes, columns and notes."""
    from flowstart.comparison import landing

    console.say(result.headline)
    if len(result.flow_rows):
        console.show_columns(result.table)
        for line in [*result.legend.splitlines(), *result.verdict]:
            console.show_text(line)
    if after := result.landing_table:
        console.show_grid(after)
        console.show_text(landing.LEGEND)
    if result.command:
        console.say(f"Reproduce: {result.command}")


def _say_what_is_missing(result: "Comparison", kept: str) -> None:
    """Ends in an error where runs failed or were stopped."""
    from flowstart.simulation import bounds

    total = len(result.plan.cases())
    if result.interrupted:
        raise bounds.current().stopped(
            f": {result.finished} of {total} runs are finished and {kept}"
        )
    if result.intervals and result.intervals.interrupted:
        raise bounds.current().stopped(f" during the repeats: those that are finished are {kept}")
    for failure in result.failures[:3]:
        console.note(failure)
    if result.failures:
        failed = len(result.failures)
        raise SimulationError(f"{failed} of {total} runs failed; the others are {kept}")
    if not len(result.flow_rows):
        raise SimulationError("no transfer began before the end of the runs")
    if result.all_failed:
        raise SimulationError(f"no transfer was completed; what became of them is {kept}")
