"""The subcommands: where each is, under one name."""

from collections.abc import Sequence

from flowstart.cli import console, help_page
from flowstart.cli.command import Group, Loaded, app_of
from flowstart.questions.option import Option, Parameter

_SHELL = "the shell in use"
PARAMETERS = [
    Parameter("version", Option("Version and build facts."), bool, False),
    Parameter("install_completion", Option(f"Completion for {_SHELL}."), bool, False),
    Parameter("show_completion", Option(f"Script that completes for {_SHELL}."), bool, False),
]
ROOT = Group(
    "Compare TCP and QUIC startup algorithms on any path or with recorded traffic.",
    {
        "compare": "flowstart.cli.compare:compare",
        "replay": "flowstart.cli.replay:replay",
        "deploy": "flowstart.cli.deploy:deploy",
        "explore": "flowstart.cli.explore:explore",
        "run": "flowstart.cli.run:run",
        "live": "flowstart.cli.live:live",
        "sweep": "flowstart.cli.sweep:sweep",
        "capture": "flowstart.cli.capture:capture",
        "map": "flowstart.cli.maps:map_",
        "worst": "flowstart.cli.worst:worst",
        "check": "flowstart.cli.check:check",
        "algorithms": "flowstart.cli.algorithms:algorithms",
        "paths": "flowstart.cli.known:paths",
        "stacks": "flowstart.cli.known:stacks",
        "schema": "flowstart.cli.known:schema",
        "doctor": "flowstart.cli.doctor:doctor",
    },
    plugins="flowstart.commands",
)
ROOT.parameters = PARAMETERS
NAME = "flowstart"


def app(words: Sequence[str]) -> int:
    """Runs a command line, and returns the exit status."""
    match words:
        case ["--version", *_]:
            from flowstart.cli.doctor import lines

            console.say("\n".join(lines()))
        case ["--show-completion", *_]:
            console.say(app_of(ROOT, NAME).generate_completion())
        case ["--install-completion", *_]:
            console.say(f"Completion is in {app_of(ROOT, NAME).install_completion()}")
        case ["__complete", *_]:
            app_of(ROOT, NAME)(list(words), result_action="return_value")
        case _:
            return _run(ROOT, [NAME], words)
    return 0


def _run(command: Loaded, path: Sequence[str], words: Sequence[str]) -> int:
    """Runs a command, or prints its help where an option requests that."""
    if isinstance(command, Group):
        name, *rest = words or [command.usual or "--help"]
        if name not in HELP:
            return _run(command.find(path, name), [*path, name], rest)
    options = words[: words.index("--")] if "--" in words else words
    wanted = [word for word in options if word in HELP]
    if wanted or isinstance(command, Group):
        console.say(help_page.page(path, command, complete="--help-all" in wanted))
        return 0
    return command(path, words)


HELP = ("--help", "-h", "--help-all")
