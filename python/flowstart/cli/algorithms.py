"""`flowstart algorithms`: the catalog."""

import dataclasses
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Any

from flowstart import _native, text
from flowstart.cli import console, flags
from flowstart.errors import RequestError
from flowstart.model.catalog import CERTAINTIES, NEEDS, Algorithm
from flowstart.model.document import json_schema
from flowstart.model.path import named_paths
from flowstart.questions import names as known_names
from flowstart.questions.option import Argument
from flowstart.render.footnotes import RECONSTRUCTED
from flowstart.render.grid import Column, Grid

if TYPE_CHECKING:
    from flowstart.model.catalog import Algorithm


def other_meanings(name: str) -> list[str]:
    """What `name` is, each in a few words; empty where nothing has it."""
    meanings = []
    if name in _native.DISTRIBUTIONS:
        meanings.append(f"a distribution (as in --jitter {name}:...)")
    if name in _native.STACKS:
        meanings.append(f"a stack (--stack {name})")
    if name in named_paths():
        meanings.append(f"a path (--path {name})")
    values = _values(name, "", json_schema(), json_schema()["$defs"])
    # A flow's own stack takes what the scenario's does.
    values = [value for value in values if not value[0].startswith("flows.stack.")]
    return meanings + [f"a value of {field} ({meaning})" for field, meaning in values]


def _values(
    name: str, field: str, node: dict[str, Any], defined: dict[str, Any]
) -> list[tuple[str, str]]:
    """The fields within a part of the schema that may have this value, and what it means."""
    values = []
    if node.get("const") == name:
        values.append((field, node["description"].rstrip(".")))
    if "$ref" in node:
        values += _values(name, field, defined[node["$ref"].rpartition("/")[2]], defined)
    items = [node["items"]] if "items" in node else []
    for part in (*node.get("anyOf", ()), *node.get("oneOf", ()), *items):
        values += _values(name, field, part, defined)
    for key, part in node.get("properties", {}).items():
        values += _values(name, f"{field}.{key}".lstrip("."), part, defined)
    return values


KINDS = {
    "startup": "startup algorithms",
    "cc": "congestion control",
    "queue": "queue disciplines",
    "variation": "rate variations (--rate-variation)",
}


def names(algorithms: Iterable[Algorithm]) -> list[str]:
    """The names of each kind, a sentence each."""
    lines = []
    for kind, group in groupby(algorithms, key=lambda algorithm: algorithm.kind):
        known = [algorithm.name for algorithm in group]
        title = KINDS[kind]
        lines.append(f"{len(known)} {title}: {', '.join(known)}.")
    return lines


def catalog_table(algorithms: Iterable[Algorithm]) -> Grid:
    """The catalog, an algorithm after the other."""
    titles = ["name", "year", "needs", "what it does"]
    grid = Grid([Column(title, number=False) for title in titles])
    kind = None
    for algorithm in algorithms:
        if algorithm.kind != kind:
            kind = algorithm.kind
            grid.groups[len(grid.rows)] = KINDS[kind]
        name = algorithm.name + (RECONSTRUCTED if algorithm.reconstructed else "")
        needs = ", ".join(algorithm.needs) or text.ABSENT
        grid.rows.append([name, str(algorithm.year), needs, algorithm.summary])
    return grid


def catalog_legend(algorithms: Sequence[Algorithm]) -> str:
    """What marks and words in the catalog mean."""
    lines = []
    if any(a.reconstructed for a in algorithms):
        lines.append(f"{RECONSTRUCTED} {CERTAINTIES['reconstructed']}.")
    needed = dict.fromkeys(need for a in algorithms for need in a.needs)
    lines += [f"{need}: {NEEDS.get(need, need)}." for need in needed]
    return "\n".join(lines)


def algorithms(
    name: Annotated[
        str | None,
        Argument("Algorithm to show in full.", "NAME", names=known_names.algorithms),
    ] = None,
    details: flags.Details = False,
    json: flags.Json = False,
) -> None:
    """List all algorithms, or show one with source and parameters."""
    from flowstart.model import catalog

    if name:
        matches = _named(name)
        if json:
            shown = [dataclasses.asdict(a) for a in matches]
            console.show_json(shown[0] if len(shown) == 1 else shown)
        for i, algorithm in enumerate([] if json else matches):
            if i:
                console.say()
            _show(algorithm, details=details)
    elif json:
        console.show_json([dataclasses.asdict(a) for a in catalog.list_algorithms()])
    elif details:
        everything = catalog.list_algorithms()
        console.show_grid(catalog_table(everything))
        console.say(catalog_legend(everything))
    else:
        for line in names(catalog.list_algorithms()):
            _print(line)
        _print("One in full: flowstart algorithms NAME. What each does: --details")


def _named(name: str) -> "list[Algorithm]":
    """The algorithms of this name; a name of something else is refused with what it is."""
    from flowstart.model import catalog

    if all(name != known.name for known in catalog.list_algorithms()):
        places = other_meanings(name)
        if places:
            raise RequestError(f"no algorithm is called `{name}`; it is {', '.join(places)}")
    return catalog.named(name)


def _show(algorithm: "Algorithm", *, details: bool) -> None:
    _print(f"{algorithm.name}: {algorithm.title}")
    _print(algorithm.summary, before="\n", after="\n")
    _print(algorithm.dated_source, first="source     ", rest=11)
    _print(algorithm.opened, first="opened     ", rest=11)
    _print(algorithm.compared, first="compared   ", rest=11)
    _print(algorithm.certainty_in_words, first="certainty  ", rest=11)
    _print(algorithm.needs_in_words, first="needs      ", rest=11)
    _show_offer(algorithm)
    if not algorithm.params:
        _print("It has no parameters.", before="\n")
        return
    _print(f"parameters, given as {algorithm.name}:NAME=VALUE,...", before="\n")
    if not details:
        _print(", ".join(param.name for param in algorithm.params), first="  ", rest=2)
        _print("Defaults and meanings: --details")
        return
    for param in algorithm.params:
        _print(f"{param.name}  ({param.unit}; default {param.default})", "\n", first="  ", rest=6)
        _print(param.meaning, first="      ", rest=6)


def _show_offer(algorithm: "Algorithm") -> None:
    """What real stacks offer, where that is known."""
    from flowstart.deployment.stacks import offer

    if algorithm.kind not in ("startup", "cc"):
        return
    known = offer(algorithm.kind, algorithm.name)
    for index, line in enumerate(known.lines if known else []):
        _print(line, first="in stacks  " if not index else " " * 11, rest=13)


def _print(text: str, before: str = "", *, first: str = "", rest: int = 0, after: str = "") -> None:
    """A paragraph in the width of the terminal, but no wider than is read with ease."""
    import shutil
    import textwrap

    widest = console.PLAIN_LINE
    width = min(shutil.get_terminal_size((widest, 24)).columns, widest)
    filled = textwrap.fill(
        text,
        width,
        initial_indent=first,
        subsequent_indent=" " * rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
    console.say(before + filled + after)
