"""Flags as data: a command's flags stand in tables, and what was given becomes a typed value.

A table is a sequence of `Flag`s, written down as such or as a dataclass whose fields are made by
`flag`. A flag that two commands share is written down once.
"""

import dataclasses
import functools
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

import typer

from flowstart.cli.completion import BY_FLAG
from flowstart.model.definitions import parts

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
