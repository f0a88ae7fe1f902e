"""`flowstart sweep`: every startup on a family of paths."""

import dataclasses
import pathlib
import sys
from typing import TYPE_CHECKING, Annotated

from flowstart import text
from flowstart.cli import console, flags
from flowstart.errors import RequestError, SimulationError
from flowstart.questions.option import Given, Option, of
from flowstart.questions.sweep import SweepQuestion
from flowstart.sweeps.language.named import names

if TYPE_CHECKING:
    from flowstart.sweeps.execution.execute import Approve, Estimate
    from flowstart.sweeps.execution.store import Swept

SETTING = dataclasses.replace(
    next(each.option for each in of(SweepQuestion) if each.is_argument), names=names
)


def sweep(
    question: Annotated[Given, of(SweepQuestion, without=("setting",))],
    setting: Annotated[str | None, SETTING] = None,
    output: Annotated[
        str | None, Option("Folder of the results, new or unfinished.", "DIR", short="-o")
    ] = None,
    yes: Annotated[
        bool, Option("No confirmation of sweeps over an hour.", panel="Execution")
    ] = False,
    listed: Annotated[bool, Option("List of the built-in sweeps.", flag="list")] = False,
    json: flags.Json = False,
) -> None:
    """Run every startup on a family of paths, with a row for each run.

    The same command resumes an interrupted sweep. Several commands on one folder, also on several
    machines, share the work.
    """
    if listed:
        _list(json=json)
        return
    if setting is None or output is None:
        missing = "SWEEP.toml" if setting is None else "-o DIR"
        raise RequestError(f"{missing} is missing: flowstart sweep SWEEP.toml -o DIR")
    if "workers" in question and "dask" in question:
        raise RequestError("--workers: contradicts --dask; give one of the two")
    from flowstart.cli.progress import Progress
    from flowstart.maps.sweep_result import sweep as swept
    from flowstart.sweeps import report
    from flowstart.sweeps.execution.store import DAMAGED
    from flowstart.sweeps.language.sweep import read

    family = read(setting, allow_python=bool(question.get("allow_python")))
    approve = _approval(pathlib.Path(output), yes=yes)
    with console.speaking_of(None), Progress("cells") as progress:
        result = swept(family, output, **question, progress=progress, approve=approve)
        if not result.interrupted:
            report.write(result)
    if aside := result.store.set_aside:
        kept = result.store.place / DAMAGED
        console.note(f"damaged: {text.first_of(aside)}; set aside in {kept} and written again")
    if json:
        console.show_json(result.to_dict())
    else:
        _show(result)
    _say_what_is_missing(result)


def _list(*, json: bool) -> None:
    from flowstart.render.grid import Column, Grid

    known = names()
    if json:
        console.show_json([{"name": name, "about": about} for name, about in known.items()])
        return
    grid = Grid([Column("name", number=False), Column("what it is", number=False)])
    grid.rows = [[name, about] for name, about in known.items()]
    console.show_grid(grid)
    console.say("One of them: flowstart sweep NAME -o DIR")


def _approval(folder: pathlib.Path, *, yes: bool) -> "Approve":
    """Says on stderr what a sweep will take, and asks where that is long."""

    def approve(estimate: "Estimate") -> bool:
        console.note(str(estimate))
        if yes or estimate.is_modest:
            return True
        if not sys.stdin.isatty():
            raise RequestError(
                f"{folder}: {estimate}; for more than an hour, say that it is meant with --yes"
            )
        console.note("Is that meant? [y/N]")
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            raise RequestError(f"{folder}: nothing is run or written")
        return True

    return approve


def _show(result: "Swept") -> None:
    folder = result.store.place
    there = result.height - result.ran
    others = f", {there:,} from earlier" if there else ""
    rows = f"{result.height:,} {'row' if result.height == 1 else 'rows'}"
    console.say(f"{rows} in {folder / 'parts'}: {result.ran:,} run now{others}")
    for parameter, count in result.collapsed.items():
        console.say(
            f"{parameter} made no difference to {count:,} of {result.cells:,} cells: not run again"
        )
    for failure in result.failures:
        console.say(f"no rows of {failure}")
    if not result.interrupted:
        console.say(f"Next: flowstart map {folder}")


def _say_what_is_missing(result: "Swept") -> None:
    from flowstart.simulation import bounds

    folder = result.store.place
    if result.interrupted:
        raise bounds.current().stopped(
            f": {result.height:,} rows are kept in {folder}, and the same command resumes the sweep"
        )
    errors = result.errors
    if errors.height:
        first = errors.row(0, named=True)
        raise SimulationError(
            f"{errors.height:,} of {result.height:,} runs failed; the column `error` has the "
            f"reason, first of cell {first['cell']} with {first['startup']}: {first['error']}"
        )
    if result.failures:
        raise SimulationError(
            f"{len(result.failures)} batches have no rows: {result.failures[0]}; the same command "
            "tries them again"
        )
