"""Commands: functions whose parameters are options, and the library that reads a command line."""

import contextlib
import inspect
import re
from collections.abc import Callable, Container, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, get_args

from flowstart.cli import console
from flowstart.errors import RequestError
from flowstart.questions.option import CommandParameter, Option, parameter

if TYPE_CHECKING:
    from cyclopts import App
    from cyclopts.exceptions import CycloptsError

HELP = (
    CommandParameter("help_all", Option("Help with all options."), bool, False),
    CommandParameter("help", Option("Help with common options.", short="-h"), bool, False),
)
HELP_WORDS = tuple(word for each in HELP for word in each.words)
BOUNDS = ("max_memory", "max_time")
"""The options that bound what a command uses."""


class Command:
    """A function as a command: its parameters are options, its docstring is the help.

    A parameter whose annotation has a tuple of `Parameter`, as those of a question, takes the
    options that were given of them as a mapping.
    """

    def __init__(self, run: Callable[..., int | None]) -> None:
        self._run = run
        self.help = inspect.getdoc(run) or ""
        self._single: list[CommandParameter] = []
        self._several: dict[str, tuple[CommandParameter, ...]] = {}
        self.required: set[str] = set()
        for name, each in inspect.signature(run, eval_str=True).parameters.items():
            is_required = each.default is inspect.Parameter.empty
            declared = parameter(name, each.annotation, None if is_required else each.default)
            if declared:
                self._single.append(declared)
            else:
                self._several[name] = get_args(each.annotation)[1]
            if declared and is_required:
                self.required.add(name)

    @property
    def parameters(self) -> list[CommandParameter]:
        """Its arguments and options, in the order of the help."""
        first = [each for each in self._single if each.is_argument]
        last = [each for each in self._single if not each.is_argument]
        return [*first, *(each for group in self._several.values() for each in group), *last]

    def __call__(self, path: Sequence[str], words: Sequence[str]) -> int:
        """Runs the function with the options of a command line; returns the exit status."""
        console.COMMAND.set([*path, *words])
        values = read(self, path, words)
        limits = {name: values.pop(name) for name in BOUNDS if name in values}
        several = {
            name: {each.name: values.pop(each.name) for each in group if each.name in values}
            for name, group in self._several.items()
        }
        with contextlib.ExitStack() as stack:
            if any(each.name in BOUNDS for each in self.parameters):
                from flowstart.simulation.bounds import bounded

                with console.speaking_of(None):
                    stack.enter_context(bounded(**limits, is_command=True))
            return self._run(**values, **several) or 0


class CommandGroup:
    """Commands under one name; without one of them `usual` runs, or the help is printed."""

    def __init__(
        self, help_: str, commands: Mapping[str, str], usual: str = "", plugins: str = ""
    ) -> None:
        """Commands are named by module and object: `flowstart.cli.compare:compare`.

        `plugins` is the entry point by which packages add commands.
        """
        self.help = help_
        self.parameters: list[CommandParameter] = []
        self.required: set[str] = set()
        self._commands = dict(commands)
        self.usual = usual
        self._plugins = plugins

    @property
    def commands(self) -> dict[str, "Command | CommandGroup"]:
        """All of them by name; this loads their modules."""
        return {name: self._loaded(home) for name, home in self._homes().items()}

    def find(self, path: Sequence[str], name: str) -> "Command | CommandGroup":
        """The command of a name. Raises RequestError where there is none."""
        home = self._commands.get(name) or self._homes().get(name)
        if home is None:
            raise self._unknown(name, path)
        return self._loaded(home)

    def _homes(self) -> dict[str, str]:
        from importlib.metadata import entry_points  # slow to import

        added = entry_points(group=self._plugins) if self._plugins else ()
        return self._commands | {each.name: each.value for each in added}

    def _loaded(self, home: str) -> "Command | CommandGroup":
        module, _, name = home.partition(":")
        loaded = getattr(import_module(module), name)
        return loaded if isinstance(loaded, CommandGroup) else Command(loaded)

    def _unknown(self, name: str, path: Sequence[str]) -> RequestError:
        from flowstart.model.catalog import suggest

        if name.startswith("-"):
            return _unknown(name, self, path)
        return RequestError(f"no command is called `{name}`{suggest(name, [*self._homes()])}")


Loaded: TypeAlias = Command | CommandGroup


def read(command: Command, path: Sequence[str], words: Sequence[str]) -> dict[str, Any]:
    """The values that a command line gives, by the parameter's name."""
    from cyclopts.exceptions import CycloptsError

    switches = {each.flag for each in command.parameters if each.is_switch}
    indices = option_places(command, words)
    options = [words[index] for index in indices]
    for option in options:
        flag, equals, _ = option.partition("=")
        if equals and flag in switches:
            raise RequestError(f"{flag}: it takes no value; give it alone")
    again = {p for i, p in enumerate(indices) if words[p] in switches and words[p] in options[:i]}
    once = [word for index, word in enumerate(words) if index not in again]
    present = {name for word in options for name in (word.partition("=")[0], word[:2])}
    used = [each for each in command.parameters if each.is_argument or present & {*each.words}]
    app = app_of(command, path[-1], used)
    app.help_flags = ()  # help is printed before, and a value may have the name of its option
    try:
        _, bound, _ = app.parse_args(once, exit_on_error=False, print_error=False)
    except CycloptsError as error:
        raise _refusal(error, command, path) from None
    by_name = {each.name: each for each in command.parameters}
    for name in command.required:
        if bound.arguments.get(name) in (None, ()):
            raise _missing(by_name[name])
    behind = len(words) - words.index("--") - 1 if "--" in words else 0
    for value in bound.arguments.values():
        for word in value[: len(value) - behind] if isinstance(value, tuple) else ():
            if word.startswith("-") and word != "-":
                raise _unknown(word.partition("=")[0], command, path)
    return {
        name: _value(by_name[name], value)
        for name, value in bound.arguments.items()
        if value is not None and value not in ([], ())
    }


def option_places(command: Loaded, words: Sequence[str]) -> list[int]:
    """Where options are: not the values of options, and nothing after `--`."""
    valued = {name for each in command.parameters if not each.is_switch for name in each.words}
    indices = []
    is_value = False
    for index, word in enumerate(words):
        if word == "--":
            break
        if is_value:
            is_value = False
            continue
        is_value = word in valued
        if word.startswith("-"):
            indices.append(index)
    return indices


def check_options(command: Loaded, path: Sequence[str], options: Sequence[str]) -> None:
    """Raises RequestError where a command does not have an option, as it is written."""
    known = {name for each in (*command.parameters, *HELP) for name in each.words}
    for option in options:
        flag = option.partition("=")[0] if option.startswith("--") else option[:2]
        if flag not in known and option != "-":
            raise _unknown(option.partition("=")[0], command, path)


def _value(declared: CommandParameter, text: Any) -> Any:
    """What the words of an option come to. Raises RequestError where they are none of its kind."""
    if declared.is_switch:
        return not declared.default
    text = list(text) if isinstance(text, tuple) else text
    for word in text if isinstance(text, list) else [text]:
        if not word and re.search(r"FILE|DIR|\.toml", declared.option.metavar or ""):
            raise RequestError(
                f"{declared.flag}: it is empty; the name of a file or folder is needed"
            )
    if declared.is_list:
        from flowstart.model.specs import listed

        return listed(declared.flag.removeprefix("--"), text, ())
    if declared.is_number:
        return _number(declared, text)
    return text


def _number(declared: CommandParameter, text: str) -> int:
    least = declared.option.least
    if re.fullmatch(r"[+-]?[0-9]{1,20}", text) and (least is None or int(text) >= least):
        return int(text)
    bound = "" if least is None else f" from {least} on"
    raise RequestError(f"{declared.flag}: `{text}` is not a whole number{bound}")


def app_of(command: Loaded, name: str, used: Sequence[CommandParameter] | None = None) -> "App":
    """A command, and all below it, as the library has it; with `used`, it has these parameters."""
    from cyclopts import App

    about = command.help.partition("\n")[0]
    app = App(name=name, help=about, help_flags=HELP_WORDS, version_flags=())
    if isinstance(command, CommandGroup):
        for each, below in command.commands.items():
            app.command(app_of(below, each))
        return app

    def function(*args: Any, **keywords: Any) -> None: ...

    function.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            _as_cyclopts(each, is_required=each.name in command.required)
            for each in (command.parameters if used is None else used)
        ]
    )
    app.default(function)
    return app


def _as_cyclopts(declared: CommandParameter, *, is_required: bool) -> inspect.Parameter:
    from cyclopts import Parameter as Declaration

    option = declared.option
    kind: Any = list[str] if declared.is_repeatable else str
    completer = _completer(declared) if option.names else None
    binding: Any = inspect.Parameter.KEYWORD_ONLY
    if declared.is_argument:
        binding, kind = inspect.Parameter.POSITIONAL_ONLY, str
        if declared.is_repeatable:  # a list would end at the first option
            binding = inspect.Parameter.VAR_POSITIONAL
        # `-` is the standard input; other words with a hyphen are refused as options.
        described = Declaration(
            help=option.help, completer=completer, allow_leading_hyphen=declared.is_repeatable
        )
    else:
        described = Declaration(
            name=declared.words,
            negative=(),
            allow_leading_hyphen=not declared.is_switch,
            help=option.help,
            completer=completer,
        )
    has_default = not is_required and binding is not inspect.Parameter.VAR_POSITIONAL
    return inspect.Parameter(
        declared.name,
        binding,
        default=None if has_default else inspect.Parameter.empty,
        annotation=Annotated[bool if declared.is_switch else kind, described],
    )


def _completer(declared: CommandParameter) -> Callable[[Any], list[str]]:
    """The names of an option, each behind those that are there before the last comma."""

    def complete(context: Any) -> list[str]:
        # bash keeps the backslashes of what it has completed.
        before, comma, _ = context.incomplete.replace("\\", "").rpartition(",")
        names = declared.option.names() if declared.option.names else ()
        return [f"{before}{comma}{name}" for name in names]

    return complete


def _refusal(error: "CycloptsError", command: Command, path: Sequence[str]) -> RequestError:
    """What the library refuses, in the words of flowstart."""
    from cyclopts import exceptions

    named = [] if error.argument is None else [error.argument.field_info.name]
    if isinstance(error, exceptions.RepeatArgumentError):
        named.append(error.token.keyword or "")
    declared = next((p for p in command.parameters if {p.name, p.flag, *p.words} & {*named}), None)
    if isinstance(error, exceptions.UnknownOptionError):
        return _unknown(error.token.keyword or error.token.value, command, path)
    if isinstance(error, exceptions.RepeatArgumentError) and declared:
        is_list = (declared.option.metavar or "").endswith("...")
        remedy = "join its values with commas" if is_list else "it takes one value"
        return RequestError(f"{declared.flag} is given twice; {remedy}")
    if isinstance(error, exceptions.MissingArgumentError) and declared:
        return _missing(declared)
    if isinstance(error, exceptions.UnusedCliTokensError):
        return RequestError(
            f"`{(error.unused_tokens or [''])[0]}`: no further argument is possible"
        )
    return RequestError(str(error).splitlines()[-1])


def _missing(declared: CommandParameter) -> RequestError:
    """A value that a command needs."""
    if declared.name == "files":
        return RequestError("FILE is missing: name captures or logs, or - for the standard input")
    if declared.is_argument:
        return RequestError(f"{declared.flag} is missing: {declared.option.help}")
    return RequestError(f"{declared.flag}: a value is missing: {declared.value}")


ELSEWHERE = {
    "--rate": ("--bandwidth", "--bw", "--bitrate", "--capacity", "--link-rate", "--throughput"),
    "--rtt": ("--latency", "--delay", "--base-rtt", "--min-rtt", "--propagation-delay", "--ping"),
    "--loss": ("--loss-rate", "--loss-probability", "--packet-loss", "--plr", "--drop-rate"),
    "--buffer": ("--buffer-size", "--queue-size", "--queue-length", "--queue-limit"),
    "--queue": ("--aqm", "--qdisc", "--queue-discipline"),
    "--startup": ("--algorithm", "--algorithms", "--startups", "--startup-algorithm"),
    "--cc": ("--congestion-control", "--congestion", "--cca", "--tcp-congestion-control"),
    "--iw": ("--initial-window", "--init-cwnd", "--initcwnd", "--initial-cwnd"),
    "--size": ("--bytes", "--file-size", "--flow-size", "--transfer-size", "--length"),
    "--flows": ("--connections", "--parallel", "--streams"),
    "--workers": ("--jobs", "--threads", "--processes"),
    "--output": ("--out", "--out-dir", "--output-dir"),
    "--max-time": ("--timeout", "--time-limit"),
}
"""Names in other tools, by the option here."""


def called_elsewhere(option: str, known: Container[str]) -> str | None:
    """The option among `known` that other tools call `option`; None if there is none."""
    return next(
        (here for here, others in ELSEWHERE.items() if option in others and here in known), None
    )


def _unknown(option: str, command: Loaded, path: Sequence[str]) -> RequestError:
    """That a command has no such option, with the one that is meant."""
    from flowstart.model.catalog import suggest  # loads the simulator

    if path[-1] == "replay" and option in _own_traffic():
        transfers = "a replay has the recorded transfers, of the recorded sizes"
        return RequestError(f"{option}: {transfers}; `flowstart compare` has {option}")
    known = [each.flag for each in (*command.parameters, *HELP) if not each.is_argument]
    if here := called_elsewhere(option, known):
        near = f"; did you mean `{here}`?"
    else:
        near = suggest(option, known, f"{' '.join(path)} --help-all")
    return RequestError(f"{option}: there is no such option{near}")


def _own_traffic() -> set[str]:
    """The options of `compare` that describe or measure traffic which no capture has."""
    from flowstart.questions.compare import Compare
    from flowstart.questions.option import of
    from flowstart.questions.replay import ReplayQuestion

    own = {
        each.flag for each in of(Compare) if each.option.panel == "Traffic" or each.name == "sizes"
    }
    return own - {each.flag for each in of(ReplayQuestion)}
