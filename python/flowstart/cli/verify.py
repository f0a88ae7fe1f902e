"""`flowstart verify`: a rollout's measurements, with the setting and without it."""

from typing import TYPE_CHECKING, Annotated

from flowstart.cli import console, flags
from flowstart.questions.option import Given, of
from flowstart.questions.verify import Verify

if TYPE_CHECKING:
    from flowstart.rollouts.result import Verification

CONTROL, TREATMENT = (each.option for each in of(Verify) if each.is_argument)


def verify(
    control: Annotated[str, CONTROL],
    treatment: Annotated[str, TREATMENT],
    question: Annotated[Given, of(Verify, without=("control", "treatment"))],
    details: flags.Details = False,
    json: flags.Json = False,
    output: flags.Folder = None,
) -> None:
    """Verify a rollout: roll out, wait for more transfers, or roll back.

    It may be repeated as data grow: its intervals hold at every look.
    """
    from flowstart.cli.progress import Progress
    from flowstart.rollouts.verify import verify as verified

    folder = flags.folder(output)
    with console.speaking_of(None), Progress("bytes") as progress:
        verification = verified(control, treatment, **question, progress=progress.of_unknown_total)
    for dataset in verification.sets:
        for warning in dataset.warnings:
            console.note(f"warning: {dataset.name}: {warning}")
    console.deliver(
        console.view(verification, _show, console.summarised, json=json, details=details),
        folder,
        console.files_of(verification),
    )


def _show(verification: "Verification") -> None:
    """All tables and notes."""
    from flowstart.replays.tables import gates

    console.summarised(verification)
    if (open_gates := gates(verification.verdict)).rows:
        console.show_grid(open_gates)
    for note in dict.fromkeys(note for dataset in verification.sets for note in dataset.notes):
        console.show_text(f"Note: {note}")
