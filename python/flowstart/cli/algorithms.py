"""`flowstart algorithms`: the catalog."""

import dataclasses
from typing import TYPE_CHECKING, Annotated

import typer

from flowstart.cli import console, options

if TYPE_CHECKING:
    from flowstart.catalog import Algorithm


def algorithms(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="Show this one in full.", show_default=False),
    ] = None,
    json: options.Json = False,
) -> None:
    """List the algorithms, or show one: its source, parameters and needs."""
    from flowstart import catalog, grids

    if name:
        found = catalog.algorithm(name)
        if json:
            console.show_json(dataclasses.asdict(found))
        else:
            _show(found)
    elif json:
        console.show_json([dataclasses.asdict(a) for a in catalog.algorithms()])
    else:
        console.show_grid(grids.catalog(catalog.algorithms()))


def _show(found: "Algorithm") -> None:
    import textwrap

    from flowstart import grids

    print(f"{found.name}: {found.title}\n")
    print(textwrap.fill(found.summary, 88), end="\n\n")
    print(f"source     {found.source} ({found.year})")
    print(f"needs      {', '.join(found.needs) or 'nothing beyond an ordinary sender'}")
    print(f"certainty  {found.certainty}")
    if found.params:
        console.show_grid(grids.parameters(found))
        first = found.params[0]
        print(f"Given as {found.name}:{first.name}=...")
