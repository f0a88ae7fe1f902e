"""Help on the terminal, and its examples."""

import shutil
import textwrap
from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from flowstart.cli import console

EXAMPLES = {
    "": (
        "flowstart compare --rate 10Mbps --rtt 100ms",
        "flowstart replay capture.pcap",
        "flowstart explore",
    ),
    "compare": (
        "flowstart compare --rate 10Mbps --rtt 100ms --size 100kB,1MB",
        "flowstart compare --path leo --startup all -o out",
        "flowstart compare --path lte --variant 'iw10: iw=10' --variant 'iw30: iw=30'",
    ),
    "replay": (
        "flowstart replay capture.pcap",
        "flowstart replay capture.pcap --variant 'iw30: startup=hystart iw=30'",
        "flowstart replay capture.pcap --network '*:buffer=60pkt' -o out",
    ),
    "deploy": (
        "flowstart deploy IW30 --from out > IW30.sh",
        "flowstart deploy IW30 --from out | ssh server sudo sh -s check",
        "flowstart deploy IW30 --from out --when network=10.9.3.0/24 > IW30.sh",
    ),
    "explore": (
        "flowstart explore",
        "flowstart explore --path wifi --startup slow-start,search",
        "flowstart explore --map out",
    ),
    "run": (
        "flowstart run scenario.toml",
        "flowstart run scenario.toml --trace -o out",
        "flowstart run scenario.toml --pcap 0,0:receiver --qlog 0 -o out",
    ),
    "live": (
        "flowstart live --rate 10Mbps --rtt 50ms",
        "flowstart live --path wifi --stack quinn --size 1MB",
        "flowstart live --rate 20Mbps --rtt 20ms --stack linux --kernel cubic,bbr",
    ),
    "sweep": (
        "flowstart sweep --list",
        "flowstart sweep default-grid -o out",
        "flowstart sweep sweep.toml -o out --workers 4",
    ),
    "capture": (
        "flowstart capture capture.pcap",
        "flowstart capture access.csv --columns time=ts,peer=client_ip,bytes=size",
        "flowstart capture capture.pcap --calibrate",
    ),
    "map": (
        "flowstart map out",
        "flowstart map out --x bdp --y loss --size 100kB",
        "flowstart map out --startup all,-jump-start --details",
    ),
    "worst": (
        "flowstart worst jump-start",
        "flowstart worst hystart --against slow-start --measure loss",
        "flowstart worst search --search-space rate=1Mbps..100Mbps -o out",
    ),
    "check": (
        "flowstart check out",
        "flowstart check out --json",
        "flowstart check out && flowstart map out",
    ),
    "algorithms": (
        "flowstart algorithms",
        "flowstart algorithms search",
        "flowstart algorithms hystart --json",
    ),
    "paths": (
        "flowstart paths",
        "flowstart paths leo",
        "flowstart paths leo --json",
    ),
    "stacks": (
        "flowstart stacks",
        "flowstart stacks linux",
        "flowstart stacks linux --json",
    ),
    "papers": (
        "flowstart papers",
        "flowstart papers run jump-start",
        "flowstart papers cross",
    ),
    "papers list": (
        "flowstart papers list",
        "flowstart papers list --details",
        "flowstart papers list --json",
    ),
    "papers run": (
        "flowstart papers run --subset quick",
        "flowstart papers run QS-T1 --details",
        "flowstart papers run --all -o out",
    ),
    "papers cross": (
        "flowstart papers cross",
        "flowstart papers cross --fresh -o out",
        "flowstart papers cross --json",
    ),
    "schema": (
        "flowstart schema",
        "flowstart schema sweep > sweep.schema.json",
        "flowstart schema rows",
    ),
    "doctor": (
        "flowstart doctor",
        "flowstart doctor --details",
        "flowstart doctor --json",
    ),
}
"""Command lines by command; the empty name is `flowstart` without one."""


WIDTH = 80
NAMES_WIDTH = 24
"""Columns of an option's names; the text of a longer one begins on the next line."""


def _show_all(context: typer.Context, is_given: bool) -> None:
    if is_given and not context.resilient_parsing:
        console.say(page(context, complete=True))
        context.exit()


_OF_HELP = typer.Typer(add_completion=False)


@_OF_HELP.command()
def _with_help_all(
    help_all: Annotated[
        bool,
        typer.Option(
            "--help-all",
            is_eager=True,
            expose_value=False,
            callback=_show_all,
            help="Help with all options.",
        ),
    ] = False,
) -> None:
    """A command with the option that all have."""


HELP_ALL = get_command(_OF_HELP).params[0]


class WithHelp:
    """A command or group with `--help` in the form of this module, and `--help-all`."""

    def get_params(self, ctx: Any) -> list[Any]:
        """All parameters, with those for help last."""
        *own, help_ = super().get_params(ctx)  # type: ignore[misc]
        help_.help = "Help with common options."
        return [*own, HELP_ALL, help_]

    def get_help(self, ctx: Any) -> str:
        """What `--help` prints."""
        return page(ctx, complete=False)


class Group(WithHelp, TyperGroup):
    """A group of commands."""


def page(context: Any, *, complete: bool) -> str:
    """The help of a context's command; `complete` with every paragraph and option."""
    command = context.command
    panels: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
    for one in command.get_params(context):
        if is_given(one):
            panels.setdefault(one.rich_help_panel or "Options", []).append(row(one))
        elif one.help:
            panels["Arguments"].append(row(one))
    if isinstance(command, TyperGroup):
        panels["Commands"] = [(name, paragraphs(c)[0]) for name, c in command.commands.items()]
    usual = {name: panels.pop(name, []) for name in ("Arguments", "Commands", "Options")}
    further = sum(map(len, panels.values()))
    if further and not complete:
        usual["Options"] = usual["Options"][:-2]  # those for help
        panels = {}
        said = paragraphs(command)[:1]
    else:
        said = paragraphs(command)
    return "\n\n".join(
        [
            f"Usage: {context.command_path} {' '.join(usage(command))}",
            *(_filled(words) for words in said),
            _lines("Examples", (f"  {line}" for line in examples(context.command_path))),
            *(_lines(name, _entries(rows)) for name, rows in (usual | panels).items() if rows),
            *([] if complete or not further else [f"{further} further options: --help-all"]),
        ]
    )


def usage(command: Any) -> Iterator[str]:
    """What follows a command's name."""
    yield "[OPTIONS]"
    for one in command.params:
        if not is_given(one) and one.help:
            yield value_of(one) if one.required else f"[{value_of(one)}]"
    if isinstance(command, TyperGroup):
        yield "COMMAND"


def is_given(one: Any) -> bool:
    """Whether a parameter is an option, not an argument."""
    return bool(one.param_type_name == "option")


def paragraphs(command: Any) -> list[str]:
    """What a command does, each paragraph on one line."""
    return [" ".join(words.split()) for words in (command.help or "").split("\n\n")]


def examples(path: str) -> tuple[str, ...]:
    """The examples of a command, such as `flowstart papers run`."""
    return EXAMPLES[path.removeprefix("flowstart").strip()]


def value_of(one: Any) -> str:
    """What stands for a parameter's value; empty for a switch."""
    if is_given(one):
        return "" if one.is_flag else one.metavar or "NUMBER"
    return one.metavar or str(one.name).upper()


def meaning(one: Any) -> str:
    """A parameter's help, with its default in brackets."""
    return f"{one.help} [{one.default}]" if one.default else str(one.help)


def row(one: Any) -> tuple[str, str]:
    """How a parameter is written, and what it is."""
    names = ", ".join(sorted(one.opts, key=len)) if is_given(one) else ""
    return f"{names} {value_of(one)}".strip(), meaning(one)


def _lines(heading: str, lines: Iterable[str]) -> str:
    return "\n".join([f"{heading}:", *lines])


def _entries(rows: list[tuple[str, str]]) -> Iterator[str]:
    """Names on the left, their texts on the right."""
    column = min(max(len(names) for names, _ in rows), NAMES_WIDTH)
    for names, words in rows:
        if len(names) > column:
            yield f"  {names}"
            names = ""
        yield _filled(words, f"  {names:{column}}  ")


def _filled(words: str, first: str = "") -> str:
    return textwrap.fill(
        words,
        min(shutil.get_terminal_size().columns, WIDTH),
        initial_indent=first,
        subsequent_indent=" " * len(first),
        break_long_words=False,
        break_on_hyphens=False,
    )
