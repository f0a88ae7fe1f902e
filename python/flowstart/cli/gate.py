"""`flowstart gate`: whether a change made starts worse than a recorded base."""

from typing import TYPE_CHECKING, Annotated

from flowstart import text
from flowstart.cli import console, flags
from flowstart.cli.command import CommandGroup
from flowstart.questions.gate import GateCheck, GateRecord
from flowstart.questions.option import Given, of

if TYPE_CHECKING:
    from flowstart.gate.result import GateResult

gate = CommandGroup(
    "Check in CI whether a change made starts worse.",
    {"record": "flowstart.cli.gate:record", "check": "flowstart.cli.gate:check"},
)
WORSE = 3
"""The exit status where a case is worse."""
RECORDED, CHECKED = (
    next(each.option for each in of(question) if each.is_argument)
    for question in (GateRecord, GateCheck)
)


def record(
    base: Annotated[str, RECORDED],
    question: Annotated[Given, of(GateRecord, without=("base",))],
) -> None:
    """Record how transfers start now, as the base of later checks.

    The cases are those of a sweep: each of its paths and sizes with every startup. Each is run
    with 11 seeds, or with perturbed delays where nothing is drawn at random.
    """
    from flowstart.cli.progress import Progress
    from flowstart.gate.gate import gate_record

    with console.speaking_of(None), Progress("cases") as progress:
        recorded = gate_record(base, **question, progress=progress)
    cases = text.counted(len(recorded.runs), "case", "cases")
    console.say(f"Recorded {cases} in {base}.")
    console.say(f"Next, after a change: {recorded.check_command}")


def check(
    base: Annotated[str, CHECKED],
    question: Annotated[Given, of(GateCheck, without=("base",))],
    details: flags.Details = False,
    json: flags.Json = False,
    output: flags.Folder = None,
) -> int:
    """Run the cases of a base again: exit status 0, or 3 where a case is worse.

    A case is worse where a difference is beyond its limit and significant. The table names what
    differs first: initial window, growth, exit, loss.
    """
    from flowstart.cli.progress import Progress
    from flowstart.gate.gate import gate_check

    folder = flags.folder(output)
    with console.speaking_of(None), Progress("cases") as progress:
        result = gate_check(base, **question, progress=progress)
    console.deliver(
        console.view(result, _show, console.summarised, json=json, details=details),
        folder,
        console.files_of(result),
    )
    return 0 if result.passed else WORSE


def _show(result: "GateResult") -> None:
    """All cases."""
    console.summarised(result)
    console.show_grid(result.all_cases)
