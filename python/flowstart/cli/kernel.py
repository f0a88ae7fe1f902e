"""`flowstart kernel`: a startup in this machine's kernel, without an agent."""

from typing import Annotated

from flowstart.cli import console, flags
from flowstart.cli.command import CommandGroup
from flowstart.questions.kernel import KernelLoad
from flowstart.questions.option import Given, of

KERNEL = CommandGroup(
    "Run a startup in this machine's kernel for a share of its connections.",
    {
        "load": "flowstart.cli.kernel:load",
        "status": "flowstart.cli.kernel:status",
        "unload": "flowstart.cli.kernel:unload",
    },
)
(STARTUP,) = (each.option for each in of(KernelLoad) if each.is_argument)


def load(
    startup: Annotated[str, STARTUP],
    question: Annotated[Given, of(KernelLoad, without=("startup",))],
) -> None:
    """Load a startup into the kernel for a share of connections (experimental).

    It stays when the command ends. After its startup a connection has the kernel's CUBIC.
    """
    from flowstart.deployment.kernel import kernel_load

    with console.speaking_of(None):
        loaded = kernel_load(startup, **question, warn=console.show_text)
    for line in loaded.lines:
        console.show_text(line)


def status(json: flags.Json = False) -> None:
    """Show the startup that is loaded, and its connections."""
    from flowstart.deployment.kernel import kernel_status

    loaded = kernel_status()
    if json:
        console.show_json(None if loaded is None else loaded.to_dict())
        return
    for line in ["No startup is loaded."] if loaded is None else loaded.lines:
        console.show_text(line)


def unload() -> None:
    """Remove the startup from the kernel.

    Open connections keep it until they close.
    """
    from flowstart.deployment.kernel import kernel_unload

    console.say("Unloaded." if kernel_unload() else "No startup was loaded.")
