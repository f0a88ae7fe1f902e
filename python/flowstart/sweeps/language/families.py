"""Families of paths: from laws, from paths known by name, from captures; or several by weight."""

import os
import pathlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from flowstart.errors import Location, RequestError
from flowstart.model.path import named_path, named_paths
from flowstart.sweeps.language import law_tables, parameters
from flowstart.sweeps.language.expressions import check_keys
from flowstart.sweeps.language.parameters import SweepParameter

OWN = ("named", "captures", "columns", "perturb")
"""What a table of paths may say beside fields of a path."""
RATES = ("rate", "rate_trace", "rate_steps")
"""Ways to give a rate, of which one takes the place of another."""
TRACES = ("rate_trace", "reverse_rate_trace")


@dataclass(frozen=True)
class Source:
    """A path that cells are made from."""

    origin: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    weight: float = 1.0
    """Of its being drawn."""


@dataclass(frozen=True)
class Family:
    """Paths that are made in one way."""

    place: Location
    """Where it stands in the sweep: `path`, or `paths[0]`."""
    given: Mapping[str, Any]
    """Its own fields of a path."""
    sources: Sequence[Source]
    flow: Mapping[str, Any]
    """The fields of the flow, whose expressions may name those of the path."""
    perturb: Mapping[str, Any]
    weight: float = 1.0
    """Of its being drawn."""
    is_captured: bool = False
    """Whether its paths are those of captures."""

    def parameters(self, source: Source) -> tuple[SweepParameter, ...]:
        """The parameters of cells on a path of its."""
        base = dict(source.fields)
        if any(way in self.given for way in RATES):
            base = {name: value for name, value in base.items() if name not in RATES}
            if "rate" not in self.given:
                base.pop("rate_variation", None)
        if "reverse_rate_trace" in self.given:
            base.pop("reverse_rate", None)
        path = {**base, **self.given}
        for name in self.perturb:
            if name in self.given or name not in path:
                why = "is given as well" if name in self.given else "is not a field of this path"
                raise RequestError(
                    f"`{name}` {why} ({source.origin})", (*self.place, "perturb", name)
                )
        return tuple(parameters.build(path, self.flow, self.perturb))


def read(document: Mapping[str, Any], folder: pathlib.Path) -> tuple[Family, ...]:
    """The families of a sweep: `[path]`, or each of `[[paths]]` with the fields of `[path]`."""
    common = _table(document.get("path", {}), ("path",))
    flow = _table(document.get("flow", {}), ("flow",))
    parameters.check_fields("flow", flow)
    several = document.get("paths")
    if several is None:
        return (_family(common, ("path",), flow, folder),)
    if not isinstance(several, list) or not several:
        raise RequestError(
            "`[[paths]]` tables are needed, one for each family of paths", ("paths",)
        )
    unshared = [name for name in OWN if name in common]
    if unshared:
        raise RequestError("with `[[paths]]` it belongs into one of those", ("path", unshared[0]))
    families = tuple(
        _weighted(_table(table, ("paths", i)), common, ("paths", i), flow, folder)
        for i, table in enumerate(several)
    )
    if not any(family.weight for family in families):
        raise RequestError("all are 0, so no path could be drawn", ("paths", "weight"))
    return families


def _weighted(
    table: Mapping[str, Any],
    common: Mapping[str, Any],
    location: Location,
    flow: Mapping[str, Any],
    folder: pathlib.Path,
) -> Family:
    """One of several families. Paths known by name and of captures take nothing from `[path]`."""
    weight, name = table.get("weight", 1), table.get("name", "")
    if not law_tables.is_weight(weight):
        raise RequestError(
            f"`{weight}` is not right; a number from 0 is needed", (*location, "weight")
        )
    if not isinstance(name, str):
        raise RequestError(f"`{name}` is not right; a text is needed", (*location, "name"))
    rest = {key: value for key, value in table.items() if key not in ("weight", "name")}
    is_made = "named" in rest or "captures" in rest
    return _family(rest if is_made else {**common, **rest}, location, flow, folder, name, weight)


def _family(
    table: Mapping[str, Any],
    location: Location,
    flow: Mapping[str, Any],
    folder: pathlib.Path,
    name: str = "",
    weight: float = 1.0,
) -> Family:
    fields = {key: value for key, value in table.items() if key not in OWN}
    listed = () if location == ("path",) else ("name", "weight")
    check_keys(location, table, [*parameters.fields("path"), *OWN, *listed])
    if "named" in table and "captures" in table:
        raise RequestError("`named` and `captures`; one of the two is needed", location)
    sources: Sequence[Source] = (Source(name),)
    if "named" in table:
        sources = _named(table["named"], location)
    elif "captures" in table:
        sources = _captured(table["captures"], table.get("columns"), location, folder)
    if "columns" in table and "captures" not in table:
        raise RequestError("changes nothing without `captures`", (*location, "columns"))
    perturb = _table(table.get("perturb", {}), (*location, "perturb"))
    if perturb and len(sources) == 1 and not sources[0].fields:
        raise RequestError("changes nothing without `named` or `captures`", (*location, "perturb"))
    own = _found_traces(fields, folder)
    return Family(location, own, sources, flow, perturb, float(weight), "captures" in table)


def _table(value: Any, location: Location) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise RequestError(f"`{value}` is not a table", location)
    return value


def _named(value: Any, location: Location) -> Sequence[Source]:
    """Paths known by name; `all` for each of them."""
    names = list(named_paths()) if value == "all" else [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not names or not all(isinstance(n, str) for n in names):
        problem = f'`{value}` is not right; names or "all" are needed'
        raise RequestError(problem, (*location, "named"))
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice:
        raise RequestError(f"`{twice}` is given twice", (*location, "named"))
    return tuple(
        Source(name, {field: v for field, v in named_path(name).items() if field != "about"})
        for name in names
    )


def _captured(
    value: Any, columns: Any, location: Location, folder: pathlib.Path
) -> Sequence[Source]:
    """The paths of captures by network, each with its transfers as its weight."""
    files = [value] if isinstance(value, str) else value
    if not isinstance(files, list) or not files or not all(isinstance(f, str) for f in files):
        problem = f"`{value}` is not right; names of files are needed"
        raise RequestError(problem, (*location, "captures"))
    if not isinstance(columns, str | None):
        raise RequestError(f"`{columns}` is not right; a text is needed", (*location, "columns"))
    return _paths_of(tuple(_beside(file, folder) for file in files), columns)


def _paths_of(files: tuple[str, ...], columns: str | None) -> Sequence[Source]:
    from flowstart.captures.reading import read_capture
    from flowstart.replays import paths
    from flowstart.replays.settings import Settings

    built = paths.build(read_capture(*files, columns=columns), Settings(), {})
    return tuple(Source(path.name, path.path, path.transfers) for path in built)


def _found_traces(table: Mapping[str, Any], folder: pathlib.Path) -> dict[str, Any]:
    """The fields of a path with traces looked for beside the sweep's file."""
    fields = dict(table)
    for name in TRACES:
        if isinstance(fields.get(name), str):
            fields[name] = _beside(fields[name], folder)
        elif isinstance(fields.get(name), list):
            fields[name] = [_beside(f, folder) if isinstance(f, str) else f for f in fields[name]]
    return fields


def _beside(file: str, folder: pathlib.Path) -> str:
    is_given = pathlib.Path(file).is_absolute() or file == law_tables.LEFT_OUT
    return file if is_given or folder == pathlib.Path() else os.path.relpath(folder / file)
