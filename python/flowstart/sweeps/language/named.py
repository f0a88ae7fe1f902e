"""Sweeps that ship with the package, by name: the files of `named`."""

import importlib.resources
import pathlib
import tomllib

from flowstart.errors import RequestError
from flowstart.model.catalog import suggest


def names() -> dict[str, str]:
    """The sweeps known by name, each with what it is."""
    return {
        file.stem: str(tomllib.loads(file.read_text("utf-8")).get("about", ""))
        for file in sorted(_folder().glob("*.toml"))
    }


def named_file(setting: str) -> pathlib.Path:
    """The file that a setting means: its own, or that of a sweep known by name."""
    path = pathlib.Path(setting)
    if path.suffix == ".toml" or path.is_file() or path.parent != pathlib.Path():
        return path
    file = _folder() / f"{setting}.toml"
    if not file.is_file():
        hint = suggest(setting, list(names()))
        raise RequestError(
            f"no sweep is called `{setting}`, and the name of a sweep file ends with .toml{hint}"
        )
    return file


def _folder() -> pathlib.Path:
    return pathlib.Path(str(importlib.resources.files("flowstart.sweeps.language"))) / "named"
