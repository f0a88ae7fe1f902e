"""`flowstart man`: the manual page, made of the commands themselves."""

from collections.abc import Iterator
from typing import Any

import typer

from flowstart.cli import console, help_page

HEADINGS = (
    (
        "EXIT STATUS",
        (
            ("0", "Done."),
            ("1", "It failed while running, or --time-limit ended it; what is finished is kept."),
            ("2", "The request was wrong, or above a limit; nothing is written."),
            ("130", "Stopped by Ctrl-C; what is finished is kept."),
        ),
    ),
    (
        "ENVIRONMENT",
        (
            ("FLOWSTART_CACHE", "Where `flowstart papers` keeps runs."),
            ("FLOWSTART_DEBUG", "With 1 a defect of flowstart shows its traceback."),
        ),
    ),
)


def man(context: typer.Context) -> None:
    """Print the manual page."""
    console.say(page(context.find_root().command))


def page(root: Any) -> str:
    """The manual page of a command and all below it, in the language of man."""
    from flowstart import _native

    return "\n".join([*_head(_native.version(), root), *_commands(root), *_tail()])


def _head(version: str, root: Any) -> Iterator[str]:
    yield f'.TH FLOWSTART 1 "" "flowstart {version}" "User Commands"'
    yield ".SH NAME"
    yield rf"flowstart \- {_roff(root.help.rstrip('.'))}"
    yield ".SH SYNOPSIS"
    yield r".B flowstart"
    yield r".I COMMAND"
    yield r"[OPTIONS]"
    yield ".SH OPTIONS"
    for one in root.params:
        yield from _parameter(one)


def _commands(root: Any) -> Iterator[str]:
    yield ".SH COMMANDS"
    for path, command in _leaves(root, ()):
        yield f'.SS "flowstart {" ".join(path)}"'
        for paragraph in help_page.paragraphs(command):
            yield _roff(paragraph)
            yield ".PP"
        yield ".EX"
        yield from map(_roff, help_page.examples(" ".join(path)))
        yield ".EE"
        for one in command.params:
            yield from _parameter(one)


def _leaves(group: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """All commands below a group, in the order of its help."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _leaves(command, (*path, name))
        else:
            yield (*path, name), command


def _parameter(one: Any) -> Iterator[str]:
    if one.hidden or not one.help:
        return
    is_option = help_page.is_option(one)
    names = ", ".join(rf"\fB{_roff(name)}\fR" for name in one.opts) if is_option else ""
    value = help_page.value(one)
    yield ".TP"
    yield " ".join([names, rf"\fI{_roff(value)}\fR"] if value else [names]).strip()
    yield _roff(help_page.meaning(one))


def _tail() -> Iterator[str]:
    for heading, entries in HEADINGS:
        yield f'.SH "{heading}"'
        for name, meaning in entries:
            yield ".TP"
            yield rf"\fB{_roff(name)}\fR"
            yield _roff(meaning)


def _roff(text: str) -> str:
    """Words in which nothing is taken for a request or an escape."""
    escaped = text.replace("\\", r"\e").replace("-", r"\-").replace("'", r"\(aq")
    return rf"\&{escaped}" if escaped.startswith((".", "'")) else escaped
