"""`flowstart deploy`: the script that sets what a replay recommends, and restores what was."""

import pathlib
from dataclasses import asdict
from typing import Annotated

import typer

from flowstart.cli import console, flags


def deploy(
    setting: Annotated[
        str,
        typer.Argument(
            metavar="SETTING", help="Setting of the replay, such as IW30.", show_default=False
        ),
    ],
    result: Annotated[
        pathlib.Path,
        typer.Option(
            "--from",
            metavar="FILE",
            help="Result of the replay: result.json, or the folder of -o.",
            show_default=False,
        ),
    ],
    when: Annotated[
        list[str] | None,
        typer.Option(
            metavar="network=PREFIX|group=NAME",
            help="Network or group that the setting is limited to. A network needs a verdict by "
            "the same option of the replay. Repeatable.",
        ),
    ] = None,
    json: flags.Json = False,
) -> None:
    """Print the script that sets a replay's setting on Linux hosts and reverts it.

    It saves and restores routes with all their attributes, and needs neither flowstart nor Python.
    A setting that the replay rejects is refused. For other stacks it prints their options.
    """
    from flowstart.replays.answer import GROUP, WHEN, parsed
    from flowstart.replays.deploy import deployment

    with console.speaking_of(None):
        found = deployment(result, setting, parsed(when or [], (WHEN, GROUP)))
        text = found.text
    if found.is_test:
        console.note(f"{setting} is inconclusive: for a test on a part of the hosts")
    if json:
        document = asdict(found)
        console.show_json({**document, "steps": found.steps, "text": text})
    else:
        console.say(text)
