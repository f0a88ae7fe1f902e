"""Flags that several commands share: of paths, endpoints, traffic, captures and output."""

import dataclasses
import functools
import inspect
import pathlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypeVar

import typer

from flowstart._native import STACKS
from flowstart.cli import console
from flowstart.cli.completion import BY_FLAG
from flowstart.model.definitions import parts
from flowstart.model.path import IMPAIRING

if TYPE_CHECKING:
    from flowstart.captures.contents import Capture
    from flowstart.model.variants import Variant


T = TypeVar("T")
Given: TypeAlias = Mapping[str, Any]
"""What was given of a command's flags by name, in the order of the command line."""


@dataclass(frozen=True)
class Flag:
    """An option of a command: `--reverse-rate` for `reverse_rate`."""

    name: str
    help: str
    metavar: str | None = None
    type: Any = str | None
    default: Any = None
    least: int | None = None
    """The smallest number that it may be."""
    panel: str | None = None
    """Under which heading the help has it; None for the usual options, which stand first."""

    def parameter(self) -> inspect.Parameter:
        """The same as typer knows it."""
        # Without a name of its own, one that is true or false would have an opposite.
        names = [option(self.name)] if self.type == bool | None else []
        described = typer.Option(
            self.default,
            *names,
            metavar=self.metavar,
            help=self.help,
            min=self.least,
            rich_help_panel=self.panel,
            autocompletion=BY_FLAG.get(self.name),
        )
        kind = inspect.Parameter.KEYWORD_ONLY
        return inspect.Parameter(self.name, kind, default=described, annotation=self.type)


def option(name: str) -> str:
    """How a flag is written."""
    return f"--{name.replace('_', '-')}"


def flag(help_: str, metavar: str | None = None, *, default: Any = None, **more: Any) -> Any:
    """A field of a dataclass that is a flag; `more` are the other fields of `Flag`."""
    return dataclasses.field(default=default, metadata={"help": help_, "metavar": metavar, **more})


def of(kind: Any) -> tuple[Flag, ...]:
    """The flags that are the fields of a dataclass."""
    return tuple(
        Flag(field.name, type=field.type, default=field.default, **field.metadata)
        for field in dataclasses.fields(kind)
    )


def defined(part: str, panel: str, usual: Sequence[str] = ()) -> dict[str, Flag]:
    """The flags that a part of a scenario has by its definition, by field.

    The help has them in `panel`, but for the `usual` ones.
    """
    fields = [field for field in parts()[part].fields if field.flag is not None]
    names = {field.name for field in fields}
    kinds = {"bool": bool | None, "u32": int | None, "u64": int | None}

    def word(found: re.Match[str]) -> str:
        return option(found[1]) if found[1] in names else found[1]

    return {
        field.name: Flag(
            field.name,
            re.sub("`(.*?)`", word, field.short) + (f" [{field.usual}]" if field.usual else ""),
            field.flag or None,
            type=kinds.get(field.value, str | None),
            panel=None if field.name in usual else panel,
        )
        for field in fields
    }


def filled(kind: Callable[..., T], given: Given) -> T:
    """A value of such a dataclass from what was given."""
    names = [field.name for field in dataclasses.fields(kind)]  # type: ignore[arg-type]
    return kind(**{name: given[name] for name in names if name in given})


def taking(*tables: Sequence[Flag]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A command with the flags of `tables` in the place of its parameter `given`."""
    flags = {flag.name: flag for table in tables for flag in table}

    def expanded(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def run(*, context: typer.Context, **parameters: Any) -> None:
            given = {
                name: value
                for name, value in context.params.items()
                if name in flags and value is not None and value not in ([], ())
            }
            rest = {name: value for name, value in parameters.items() if name not in flags}
            command(given=given, **rest)

        parameters = [
            inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
        ]
        for name, own in inspect.signature(command, eval_str=True).parameters.items():
            if name == "given":
                parameters += [flag.parameter() for flag in flags.values()]
            else:
                parameters.append(own.replace(kind=inspect.Parameter.KEYWORD_ONLY))
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return run

    return expanded


Folder = Annotated[
    pathlib.Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="DIR",
        help="Folder for tables, figures and a report.",
    ),
]
AllowPython = Annotated[
    bool,
    typer.Option(
        "--allow-python",
        help="Permission for files of scenarios and variants to name startups in Python.",
        rich_help_panel="Execution",
    ),
]
Details = Annotated[
    bool, typer.Option("--details", help="All tables and notes instead of the summary.")
]
Json = Annotated[bool, typer.Option("--json", help="One JSON document as the only output.")]
Workers = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Threads of the simulation. [all cores]",
        rich_help_panel="Execution",
    ),
]


@dataclass(frozen=True, kw_only=True)
class Endpoints:
    """What both ends are like."""

    stack: str | None = flag(
        f"Preset of both endpoints: {', '.join(STACKS)}; with overrides: quic:handshake=0-rtt. "
        "[linux]",
        "NAME",
    )
    cc: str | None = flag(
        "Congestion control after startup. [the stack's; in a replay, the recorded one]",
        "NAME",
        panel="Endpoints",
    )
    cached_cwnd: str | None = flag(
        "Congestion window cached from an earlier connection. [1bdp; in a replay, that of "
        "earlier connections in the capture]",
        "SIZE",
        panel="Endpoints",
    )


_ENDPOINT_FIELDS = defined("Endpoint", "Endpoints")
_FLOW_FIELDS = defined("Flow", "Endpoints")
ENDPOINT_FLAGS = (*of(Endpoints), *_FLOW_FIELDS.values(), *_ENDPOINT_FIELDS.values())
REPLAYED_ENDPOINTS = (*of(Endpoints), _ENDPOINT_FIELDS["iw"], _ENDPOINT_FIELDS["ack"])
"""What of them the hosts of a capture may be given."""


_PATH_FIELDS = defined("NetworkPath", "Path", usual=("rate", "rtt", "buffer"))
PATH_FLAGS = (
    Flag("path", "Named path, or words of tc; other path options override it.", "NAME"),
    *_PATH_FIELDS.values(),
)
"""Its flags, in the order of the help; all but the first are fields of `NetworkPath`."""

_OVERRIDING = ("rate", "rtt", "buffer", "loss", "reverse_rate", "reverse_buffer")
REPLAYED_PATH = tuple(
    dataclasses.replace(flag, panel="Path")
    for flag in PATH_FLAGS
    if flag.name in (*_OVERRIDING, *IMPAIRING)
)
"""Those that override what a capture has of its paths, or add to it."""


@dataclass(frozen=True, kw_only=True)
class Compared:
    """Which startups and variants are compared."""

    startup: str | None = flag(
        "Startups, with parameters as name:key=value; all; unaided (no router, peer or cache "
        "support); -NAME to exclude one; FILE.py:CLASS for a custom one. "
        "[slow-start, limited-slow-start, hystart, hystart-plus-plus, jump-start; in a replay, "
        "what the recorded stack offers]",
        "A,B,...",
    )
    variant: list[str] | None = flag(
        "Named combination of startup, cc, stack and its fields, such as "
        "`iw30: startup=hystart iw=30`, or a TOML file. Repeatable.",
        "NAME: KEY=VALUE ...",
        panel="Traffic",
    )
    baseline: str | None = flag(
        "Reference for all changes. [slow-start, or the first; in a replay, the recorded setting]",
        "NAME",
        panel="Traffic",
    )

    def startups(self) -> Sequence[str] | None:
        """The startups that were listed; None where none was."""
        from flowstart.model import specs

        return None if self.startup is None else specs.listed("startup", self.startup, ())

    def variants(self, *, allow_python: bool) -> "list[Variant]":
        """The variants that were given, those of files among them.

        A file may name startups in Python only with `allow_python`, as a scenario's file may.
        """
        from flowstart.model import variants

        found: list[Variant] = []
        for text in self.variant or ():
            is_file = text.endswith(".toml") and ":" not in text
            if is_file:
                found += variants.read(text, allow_python=allow_python)
            else:
                found.append(variants.Variant.parse(text))
        return found


@dataclass(frozen=True, kw_only=True)
class Traffic(Compared):
    """What is sent under them."""

    size: str | None = flag("Transfer sizes. [10kB,100kB,1MB,10MB]", "S,...")
    flows: int | None = flag("Simultaneous connections. [1]", least=1, panel="Traffic")
    stagger: str | None = flag("Time between the openings of connections.", "TIME", panel="Traffic")
    requests: int | None = flag(
        "Transfers that a client requests on one connection, each after the last.",
        least=2,
        panel="Traffic",
    )
    idle: str | None = flag("Idle time before each further request. [0s]", "TIME", panel="Traffic")


@dataclass(frozen=True, kw_only=True)
class Repetition:
    """With which seeds."""

    seed: int | None = flag("Seed of all random draws. [1]", panel="Execution")
    repeat: int | None = flag(
        "Number of seeds on a random path. [until the intervals decide, at most 320]",
        least=1,
        panel="Execution",
    )
    no_uncertainty: bool | None = flag(
        "One run per row, without repeats and intervals.",
        panel="Execution",
    )


TRAFFIC, REPETITION = of(Traffic), of(Repetition)
SEED = REPETITION[0]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How captures are to be read."""

    columns: str | None = flag(
        "Columns of a server log, with units where names lack them, such as "
        "time=ts,peer=client_ip,bytes=size,rtt=rtt:us.",
        "NAME=COLUMN,...",
    )
    sample: str | None = flag(
        "Random sample of connections: a share (10%), a number (5000) or all. [all; in a replay, "
        "as many as take about five minutes of processor time]",
        "SHARE",
        panel="Captures",
    )
    anonymize: bool | None = flag(
        "Numbers instead of network addresses in all output.",
        panel="Captures",
    )


READING = of(Reading)


def read(files: Sequence[str | pathlib.Path], how: Reading, seed: int | None) -> "Capture":
    """Reads with progress; warnings go to stderr."""
    from flowstart.captures.reading import read_capture
    from flowstart.cli.progress import Progress

    with Progress("bytes") as progress:
        found = read_capture(
            *files,
            columns=how.columns,
            sample=how.sample,
            anonymize=bool(how.anonymize),
            seed=1 if seed is None else seed,
            progress=progress.of_unknown_total,
        )
    for warning in found.warnings:
        console.note(f"warning: {warning}")
    return found
