"""The subcommands: where each is, under one name."""

import pathlib
import re
import shlex
from collections.abc import Sequence

from flowstart.cli import console, help_page
from flowstart.cli.command import (
    HELP_WORDS,
    CommandGroup,
    Loaded,
    app_of,
    check_options,
    option_places,
)
from flowstart.errors import RequestError
from flowstart.questions.option import CommandParameter, Option

_SHELL = "the shell in use"
PARAMETERS = [
    CommandParameter("version", Option("Version and build facts."), bool, False),
    CommandParameter("install_completion", Option(f"Completion for {_SHELL}."), bool, False),
    CommandParameter(
        "show_completion", Option(f"Script that completes for {_SHELL}."), bool, False
    ),
]
ROOT = CommandGroup(
    "Compare TCP and QUIC startup algorithms on any path or with recorded traffic.",
    {
        "compare": "flowstart.cli.compare:compare",
        "collect": "flowstart.cli.collect:collect",
        "replay": "flowstart.cli.replay:replay",
        "deploy": "flowstart.cli.deploy:deploy",
        "verify": "flowstart.cli.verify:verify",
        "gate": "flowstart.cli.gate:gate",
        "kernel": "flowstart.cli.kernel:KERNEL",
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
            console.say(completion(app_of(ROOT, NAME).generate_completion()))
        case ["--install-completion"]:
            console.say(f"Completion is in {install_completion()}")
        case ["__complete", *_]:
            app_of(ROOT, NAME)(list(words), result_action="return_value")
        case _:
            return _run(ROOT, [NAME], words)
    return 0


def completion(script: str) -> str:
    """A script of the library that completes the names of files too; the one for fish does.

    In zsh a file that is sourced registers its function, and one in `fpath` calls it.
    """
    if not script.startswith("#compdef"):
        return script.replace("\ncomplete -F", "\ncomplete -o default -F")
    script = _WITHOUT_ACTION.sub(r"\1:_files'", script.rstrip())
    function = f"_cyclopts_{NAME}"
    return (
        f"{script}\n\n"
        "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }\n"
        f"compdef {function} {NAME}\n"
        f'[[ "$funcstack[1]" != {function} ]] || {function} "$@"\n'
    )


_WITHOUT_ACTION = re.compile(r"^( +'(?:[*0-9]:(?:[^':\\]|\\.)*|[^']*\]:[a-z-]+))'", re.MULTILINE)
"""An argument or an option of a script for zsh whose value nothing completes."""


def install_completion() -> pathlib.Path:
    """Writes the script where the shell looks for it, and returns its name."""
    script = app_of(ROOT, NAME).install_completion()
    text = completion(script.read_text("utf-8"))
    script.write_text(text, "utf-8")
    line = f"source {shlex.quote(str(script))}\n"
    settings = pathlib.Path.home() / ".zshrc"
    if text.startswith("#compdef") and line not in settings.read_text("utf-8"):
        with settings.open("a", encoding="utf-8") as file:
            file.write(line)  # `compinit` may have read `fpath` before
    return script


def _run(command: Loaded, path: Sequence[str], words: Sequence[str]) -> int:
    """Runs a command, or prints its help where an option requests that."""
    if isinstance(command, CommandGroup):
        name, *rest = words or [command.usual or "--help"]
        if name not in HELP_WORDS:
            return _run(command.find(path, name), [*path, name], rest)
    options = [words[index] for index in option_places(command, words)]
    check_options(command, path, options)
    wanted = [word for word in options if word in HELP_WORDS]
    if wanted or isinstance(command, CommandGroup):
        console.say(help_page.page(path, command, complete="--help-all" in wanted))
        return 0
    return command(path, words)
