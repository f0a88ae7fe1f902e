"""`flowstart compare`: the same traffic under one startup after another."""

import pathlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from flowstart.cli import console, flags
from flowstart.cli.flags import (
    REPETITION,
    TRAFFIC,
    Given,
    Repetition,
    Traffic,
    filled,
    option,
    taking,
)
from flowstart.errors import RequestError, SimulationError

if TYPE_CHECKING:
    from flowstart.comparison.plan import Plan
    from flowstart.comparison.result import Comparison

SCENARIO_FILE = Annotated[
    str | None,
    typer.Argument(
        metavar="SCENARIO.toml",
        help="Scenario file instead of path options; its flows without a startup are under test, "
        "the others are background traffic.",
        show_default=False,
    ),
]
FLAGS = (*TRAFFIC, *flags.PATH_FLAGS, *flags.ENDPOINT_FLAGS, *REPETITION)
BESIDE_A_SCENARIO = ("startup", "variant", "baseline", "size", "seed", "repeat", "no_uncertainty")
"""What means something where a scenario describes path, endpoints and flows."""


@taking(FLAGS)
def compare(
    scenario: SCENARIO_FILE = None,
    *,
    given: Given,
    workers: flags.Workers = None,
    allow_python: flags.AllowPython = False,
    details: flags.Details = False,
    json: flags.Json = False,
    output: flags.Folder = None,
) -> None:
    """Compare startups on a path or in a scenario.

    Every size is transferred with every startup under the same conditions. The table shows
    completion times, their change against the baseline, losses and the end of each startup.
    Quantities have a unit: 5Mbps, 64ms, 100kB, 60pkt, 1bdp.
    """
    if output:
        console.check_folder(output)
    with console.speaking_of(scenario):
        if scenario:
            plan = _of_scenario(scenario, given, allow_python=allow_python)
        else:
            plan = _of_path(given, allow_python=allow_python)
        result = _execute(plan, workers, uncertainty="no_uncertainty" not in given)
    for warning in result.warnings:
        console.note(f"warning: {warning}")
    with console.attending():  # the figures run startups again, with a trace
        console.deliver(
            console.view(result, _show_details, console.summarised, json=json, details=details),
            output,
            console.files_of(result),
            seed=result.seed,
            interrupted=result.interrupted
            or (result.intervals is not None and result.intervals.interrupted),
        )
    _say_what_is_missing(result, kept=f"in {output}" if output else "above")


def _of_scenario(scenario: str, given: Given, *, allow_python: bool) -> "Plan":
    """What is compared in a scenario, which describes path, endpoints and flows itself."""
    from flowstart.comparison.plan import Plan

    contradicting = [name for name in given if name not in BESIDE_A_SCENARIO]
    if contradicting and not pathlib.Path(scenario).exists():
        raise RequestError(f"{scenario}: no such scenario file; values have no spaces, such as 1MB")
    for name in contradicting:
        raise RequestError(
            f"{option(name)} and {scenario}: the scenario describes path and flows; "
            f"write `{name}` into it, or leave one of the two out"
        )
    traffic, repetition = filled(Traffic, given), filled(Repetition, given)
    return Plan.of_scenario(
        scenario,
        startups=traffic.startups(),
        variants=traffic.variants(allow_python=allow_python),
        baseline=traffic.baseline,
        sizes=_sizes(traffic),
        seed=repetition.seed,
        repeat=repetition.repeat,
        allow_python=allow_python,
    )


def _of_path(given: Given, *, allow_python: bool) -> "Plan":
    """What is compared on a path that the flags describe."""
    from flowstart.comparison.request import plan_of

    traffic = filled(Traffic, given)
    return plan_of(
        given,
        startups=traffic.startups(),
        variants=traffic.variants(allow_python=allow_python),
        sizes=_sizes(traffic),
    )


def _sizes(traffic: Traffic) -> Sequence[str] | None:
    from flowstart.model import specs

    return None if traffic.size is None else specs.listed("size", traffic.size, ())


def _execute(plan: "Plan", workers: int | None, *, uncertainty: bool) -> "Comparison":
    from flowstart.cli.progress import Progress
    from flowstart.comparison.execute import execute

    with console.attending(), Progress() as progress:
        return execute(plan, uncertainty=uncertainty, workers=workers, progress=progress)


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
