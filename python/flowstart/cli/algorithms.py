"""`flowstart algorithms`: the catalog."""

import dataclasses
from typing import TYPE_CHECKING, Annotated

import typer

from flowstart.cli import completion, console, options
from flowstart.errors import RequestError

if TYPE_CHECKING:
    from flowstart.model.catalog import Algorithm


def algorithms(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="Algorithm to show in full.",
            show_default=False,
            autocompletion=completion.algorithms,
        ),
    ] = None,
    details: options.Details = False,
    json: options.Json = False,
) -> None:
    """List all algorithms, or show one with source and parameters."""
    from flowstart.model import catalog
    from flowstart.render import catalog as tables

    if name:
        found = _named(name)
        if json:
            shown = [dataclasses.asdict(a) for a in found]
            console.show_json(shown[0] if len(shown) == 1 else shown)
        for i, algorithm in enumerate([] if json else found):
            if i:
                console.say()
            _show(algorithm, details=details)
    elif json:
        console.show_json([dataclasses.asdict(a) for a in catalog.list_algorithms()])
    elif details:
        found_all = catalog.list_algorithms()
        console.show_grid(tables.table(found_all))
        console.say(tables.legend(found_all))
    else:
        for line in tables.names(catalog.list_algorithms()):
            _print(line)
        _print("One in full: flowstart algorithms NAME. What each does: --details")


def _named(name: str) -> "list[Algorithm]":
    """The algorithms of this name; a name of something else is refused with what it is."""
    from flowstart.cli import names
    from flowstart.model import catalog

    if all(name != known.name for known in catalog.list_algorithms()):
        places = names.places(name)
        if places:
            raise RequestError(f"no algorithm is called `{name}`; it is {', '.join(places)}")
    return catalog.named(name)


def _show(found: "Algorithm", *, details: bool) -> None:
    _print(f"{found.name}: {found.title}")
    _print(found.summary, before="\n", after="\n")
    _print(found.dated_source, first="source     ", rest=11)
    _print(found.opened, first="opened     ", rest=11)
    _print(found.compared, first="compared   ", rest=11)
    _print(found.certainty_in_words, first="certainty  ", rest=11)
    _print(found.needs_in_words, first="needs      ", rest=11)
    _show_offer(found)
    if not found.params:
        _print("It has no parameters.", before="\n")
        return
    _print(f"parameters, given as {found.name}:NAME=VALUE,...", before="\n")
    if not details:
        _print(", ".join(param.name for param in found.params), first="  ", rest=2)
        _print("Defaults and meanings: --details")
        return
    for param in found.params:
        _print(f"{param.name}  ({param.unit}; default {param.default})", "\n", first="  ", rest=6)
        _print(param.meaning, first="      ", rest=6)


def _show_offer(found: "Algorithm") -> None:
    """What real stacks offer, where that is known."""
    from flowstart.deployment.knobs import offer

    if found.kind not in ("startup", "cc"):
        return
    known = offer(found.kind, found.name)
    for place, line in enumerate(known.lines if known else []):
        _print(line, first="in stacks  " if not place else " " * 11, rest=13)


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
