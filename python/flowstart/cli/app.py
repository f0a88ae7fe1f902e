"""The subcommands: where each is, under one name."""

from collections.abc import Sequence

from flowstart.cli import console, help_page
from flowstart.cli.command import (
    HELP_WORDS,
    Group,
    Loaded,
    app_of,
    check_options,
    option_places,
)
from flowstart.errors import RequestError
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
        case ["--version" | "--show-completion" | "--install-completion" as option, _, *_]:
            raise RequestError(f"{option}: no further argument is possible")
        case ["--version"]:
            from flowstart.cli.doctor import lines

            console.say("\n".join(lines()))
        case ["--show-completion"]:
            console.say(with_files(app_of(ROOT, NAME).generate_completion()))
        case ["--install-completion"]:
            script = app_of(ROOT, NAME).install_completion()
            script.write_text(with_files(script.read_text("utf-8")), "utf-8")
            console.say(f"Completion is in {script}")
        case ["__complete", *_]:
            app_of(ROOT, NAME)(list(words), result_action="return_value")
        case _:
            return _run(ROOT, [NAME], words)
    return 0


def with_files(script: str) -> str:
    """A script of completion that completes the names of files in bash, where there is no other."""
    return script.replace("\ncomplete -F", "\ncomplete -o default -F")


def _run(command: Loaded, path: Sequence[str], words: Sequence[str]) -> int:
    """Runs a command, or prints its help where an option requests that."""
    if isinstance(command, Group):
        name, *rest = words or [command.usual or "--help"]
        if name not in HELP_WORDS:
            return _run(command.find(path, name), [*path, name], rest)
    options = [words[place] for place in option_places(command, words)]
    check_options(command, path, options)
    wanted = [word for word in options if word in HELP_WORDS]
    if wanted or isinstance(command, Group):
        console.say(help_page.page(path, command, complete="--help-all" in wanted))
        return 0
    return command(path, words)
