"""`flowstart deploy`: the script that sets what a replay recommends, and restores what was."""

import pathlib
from dataclasses import asdict
from typing import Annotated

from flowstart.cli import console, flags
from flowstart.questions.option import Argument, Option


def deploy(
    setting: Annotated[str, Argument("Setting of the replay, such as IW30.", "SETTING")],
    result: Annotated[
        str,
        Option("Result of the replay: result.json, or the folder of -o.", "FILE", flag="from"),
    ],
    when: Annotated[
        list[str],
        Option(
            "Network or group that the setting is limited to. A network needs a verdict by the "
            "same option of the replay. Repeatable.",
            "network=PREFIX|group=NAME",
            is_repeatable=True,
        ),
    ] = [],  # noqa: B006 # it is read only
    json: flags.Json = False,
) -> None:
    """Print the script that sets a replay's setting on Linux hosts and reverts it.

    It saves and restores routes with all their attributes, and needs neither flowstart nor Python.
    A setting that the replay rejects is refused. For other stacks it prints their options.
    """
    from flowstart.replays.answer import GROUP, WHEN, parsed
    from flowstart.replays.deploy import deployment

    with console.speaking_of(None):
        plan = deployment(pathlib.Path(result), setting, parsed(when, (WHEN, GROUP)))
        text = plan.text
    if plan.is_test:
        console.note(f"{setting} is inconclusive: for a test on a part of the hosts")
    if json:
        document = asdict(plan)
        console.show_json({**document, "steps": plan.steps, "text": text})
    else:
        console.say(text)
