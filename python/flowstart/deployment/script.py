"""The script that sets steps on a host and restores what was there: `linux/*.sh` with a head."""

import functools
import importlib.resources
import re
import textwrap
from collections.abc import Iterator, Sequence

from flowstart.errors import RequestError
from flowstart.text import printable

STEPS = {
    "route": r"(?P<to>default|[0-9a-f.:]+(/\d+)?) (initcwnd [1-9]\d{0,3}|congctl [a-z0-9_]+)",
    "value": r"(/proc/sys/net/ipv4/\w+|/sys/module/tcp_\w+/parameters/\w+) [a-z0-9_]+",
    "qdisc": r"[a-z0-9_]+",
}
"""The kinds of steps, and what is written after them; nothing else reaches a script."""
DEFAULT_CC = "tcp_congestion_control"
WIDTH = 78


def file_name(setting: str) -> str:
    """A setting's name as that of files and units."""
    return re.sub(r"[^A-Za-z0-9]+", "-", setting).strip("-") or "setting"


def script(setting: str, about: Sequence[str], steps: Sequence[str]) -> str:
    """A shell script with the commands `check`, `set`, `revert` and `persist`.

    `about` is for its first lines. Raises RequestError for a step that is none of `STEPS`.
    """
    kinds = [_kind(step) for step in steps]
    parts = [*dict.fromkeys(kinds), "main"]
    return "\n".join([*_head(setting, about, steps), *map(_part, parts)])


def _kind(step: str) -> str:
    kind, _, words = step.partition(" ")
    if not re.fullmatch(STEPS.get(kind, r"(?!)"), words, re.ASCII):
        raise RequestError(f"`{step}` is not a step of a script", ("steps",))
    return kind


def _head(setting: str, about: Sequence[str], steps: Sequence[str]) -> Iterator[str]:
    name = file_name(setting)
    yield "#!/bin/sh"
    for paragraph in about:
        yield from _comment(paragraph)
    yield "#"
    yield f"# Usage: sh {name}.sh COMMAND"
    yield "#   check    report what is set; change nothing"
    yield "#   set      save what is there, set, check; after an error restore it"
    yield "#   revert   restore what was there, and end what persist does"
    yield "#   persist  set now, after each boot, and when a manager writes a route"
    yield "#"
    yield from _comment(_scope(steps))
    yield from _comment(
        f"It needs root, ip, ss and awk, and saves what is there in /var/lib/flowstart/{name}."
    )
    yield ""
    yield f"name={name}"
    yield f"networks='{' '.join(_networks(steps))}'"
    yield f"witness={_witness(steps)}"
    yield "steps() { # set, check or revert"
    for step in steps:
        kind, _, words = step.partition(" ")
        yield f'    "$1_{kind}" {words}'
    yield "}"
    yield ""


def _comment(paragraph: str) -> list[str]:
    """Lines of comment; nothing in the text can end one."""
    words = " ".join(printable(" ".join(paragraph.split())).split())
    return textwrap.wrap(words, WIDTH, initial_indent="# ", subsequent_indent="# ")


def _scope(steps: Sequence[str]) -> str:
    """Which connections have the setting."""
    later = [step.startswith("route") or DEFAULT_CC in step for step in steps]
    if all(later):
        return "New connections have the setting; open ones keep what they have."
    if not any(later):
        return "The setting holds for open connections too."
    return "New connections have the setting; open ones have a part of it."


def _networks(steps: Sequence[str]) -> list[str]:
    routes = [re.fullmatch(STEPS["route"], step.removeprefix("route ")) for step in steps]
    return [route["to"] for route in routes if route and route["to"] != "default"]


def _witness(steps: Sequence[str]) -> str:
    """The word by which `ss -ti` shows the setting; empty where it does not."""
    for step in steps:
        *_, name, value = step.split(" ")
        if name == "initcwnd":
            return f"cwnd:{value}"
        if name == "congctl" or name.endswith(DEFAULT_CC):
            return value
    return ""


@functools.cache
def _part(name: str) -> str:
    file = importlib.resources.files("flowstart.deployment").joinpath("linux", f"{name}.sh")
    return file.read_text("utf-8")
