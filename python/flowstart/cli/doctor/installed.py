"""What is installed: the package, what it needs, and its extras."""

import importlib.util
import pathlib
from importlib import metadata
from typing import Any

from flowstart import extras as extras_of
from flowstart.cli import version

GIVES: dict[extras_of.Extra, str] = {
    "plot": "figures",
    "explore": "the page of `flowstart explore`",
    "dask": "sweeps on a cluster (`flowstart sweep --dask`)",
    "papers": "the pages of `flowstart papers -o`",
    "tuning": "`make gauge-tune`",
}
"""What each extra is for."""
CORE = ("numpy", "polars", "rich", "typer")
"""Without these nothing works."""


def build() -> dict[str, Any]:
    """The version and the facts of the build, and where the package is."""
    return version.facts() | {"place": str(pathlib.Path(__file__).parents[2])}


def packages() -> dict[str, str | None]:
    """The versions of what the core needs; None for what is missing."""
    return {name: _version(name) for name in CORE}


def extras() -> dict[str, dict[str, Any]]:
    """For each extra what it gives, which of its packages are missing, and how to install it."""
    return {
        extra: {
            "gives": gives,
            "missing": extras_of.missing(extra),
            "install": extras_of.how_to_install(extra),
        }
        for extra, gives in GIVES.items()
    }


def page() -> bool:
    """Whether the explorer's page and the script of reports are there."""
    found = importlib.util.find_spec("flowstart.render")
    places = found.submodule_search_locations if found else None
    return any(any(pathlib.Path(place, "page").glob("*.js")) for place in places or ())


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
