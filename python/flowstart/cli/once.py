"""Commands whose options are taken once, and the options that bound what a command uses."""

import contextlib
import functools
import inspect
import re
from collections.abc import Callable, Container
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperOption
from typer.exceptions import TyperException

from flowstart.cli import console
from flowstart.cli.console import COMMAND
from flowstart.cli.help_page import WithHelp
from flowstart.errors import RequestError

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
    "--time-limit": ("--timeout",),
}
"""Names in other tools, by the option here."""


def called_elsewhere(option: str, known: Container[str]) -> str | None:
    """The option among `known` that other tools call `option`; None if there is none."""
    return next(
        (here for here, others in ELSEWHERE.items() if option in others and here in known), None
    )


class Command(WithHelp, TyperCommand):
    """A command that refuses an option with one value where it is given twice."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Looks at the options in the order of the command line before any is taken."""
        COMMAND.set([*ctx.command_path.split(), *args])
        try:
            raw, _, order = self.make_parser(ctx).parse_args(args=list(args))
        except TyperException as error:
            known = [name for param in self.get_params(ctx) for name in param.opts]
            option = getattr(error, "option_name", None)
            if option is None or option in known:
                raise
            raise _unknown(option, ctx, known) from None
        single = [
            option
            for option in order
            if isinstance(option, TyperOption) and not (option.multiple or option.is_flag)
        ]
        for i, option in enumerate(single):
            if option in single[:i]:
                raise RequestError(f"{option.opts[0]} is given twice; {_remedy(option)}")
        for param in self.get_params(ctx):
            _refuse_empty(param, raw.get(param.name))
        return super().parse_args(ctx, args)


_PATHS = re.compile(r"FILE|DIR|\.toml")
"""What stands for a file or folder in the help."""


def _refuse_empty(param: Any, raw: Any) -> None:
    """Refuses an empty name of a file or folder, which Python takes for the current folder."""
    metavar = param.metavar or ""
    if _PATHS.search(metavar) and "" in (raw if isinstance(raw, list | tuple) else [raw]):
        is_option = isinstance(param, TyperOption)
        name = param.opts[0] if is_option else metavar.removesuffix("...").split("|")[0]
        raise RequestError(f"{name}: it is empty; the name of a file or folder is needed")


def _unknown(option: str, ctx: Any, known: list[str]) -> RequestError:
    """What is said of an option that a command does not have: the one that is meant."""
    from flowstart.model.catalog import suggest  # loads the simulator

    if here := called_elsewhere(option, known):
        near = f"; did you mean `{here}`?"
    else:
        near = suggest(option, known, f"{ctx.command_path} --help-all")
    return RequestError(f"{option}: there is no such option{near}")


def _remedy(option: TyperOption) -> str:
    is_list = (option.metavar or "").endswith("...")
    return "join its values with commas" if is_list else "it takes one value"


PANEL = "Execution"


def _option(metavar: str, help_: str) -> Any:
    return typer.Option(metavar=metavar, help=help_, rich_help_panel=PANEL)


OPTIONS = {
    "max_packets": Annotated[
        str | None, _option("N", "Limit on the estimated data packets of all runs. [3e10]")
    ],
    "max_flows": Annotated[
        str | None, _option("N", "Limit on the estimated connections of all runs. [1e8]")
    ],
    "max_memory": Annotated[
        str | None, _option("SIZE", "Limit on memory, such as 64GB. [the machine's]")
    ],
    "max_time": Annotated[
        str | None, _option("TIME", "Limit on the estimated time, such as 30h. [168h]")
    ],
    "no_limits": Annotated[
        bool,
        typer.Option("--no-limits", help="Removal of all default limits.", rich_help_panel=PANEL),
    ],
    "time_limit": Annotated[
        str | None, _option("TIME", "Time after which work ends; finished results are kept.")
    ],
}
"""The options that bound what a command uses."""


def bounded(command: Callable[..., None]) -> Callable[..., None]:
    """A command with the options that bound it."""

    @functools.wraps(command)
    def run(**parameters: Any) -> None:
        from flowstart.simulation.bounds import bounded as bounding

        given = {name: parameters.pop(name) for name in OPTIONS}
        with contextlib.ExitStack() as stack:
            with console.speaking_of(None):
                stack.enter_context(bounding(**given, is_command=True))
            command(**parameters)

    kind = inspect.Parameter.KEYWORD_ONLY
    own = inspect.signature(command, eval_str=True).parameters.values()
    more = [
        inspect.Parameter(
            name, kind, default=False if name == "no_limits" else None, annotation=annotation
        )
        for name, annotation in OPTIONS.items()
    ]
    parameters = [*(one.replace(kind=kind) for one in own), *more]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run
