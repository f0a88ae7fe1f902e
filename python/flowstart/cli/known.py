"""`flowstart paths`, `stacks` and `schema`: what is known by name besides algorithms."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

from flowstart import text
from flowstart.cli import console, flags
from flowstart.errors import RequestError
from flowstart.model.definitions import Field
from flowstart.questions import names
from flowstart.questions.option import Argument
from flowstart.render.grid import Column, Grid

BESIDE = ("about", "rate", "rtt", "buffer")
"""What has a column of its own in the table of paths."""


QUALIFYING = ("_every", "_burst", "_period")
"""Endings of fields that only qualify another field."""


def path_table(known: Mapping[str, Mapping[str, Any]], *, whole: bool = True) -> Grid:
    """The paths known by name: their line, and what else they are made of.

    `whole` is whether fields that only qualify others are named too.
    """
    titles = ["name", "rate", "RTT", "buffer", "further fields"]
    grid = Grid([Column(title, number=False) for title in titles])
    for name, fields in known.items():
        line = [str(fields.get(field, text.ABSENT)) for field in BESIDE[1:]]
        further = [field for field in fields if field not in BESIDE]
        if not whole:
            further = [f for f in further if not f.startswith("reverse_")]
            further = [f for f in further if not f.endswith(QUALIFYING)]
        others = ", ".join(further)
        grid.rows.append([name, *line, others or text.ABSENT])
    return grid


def field_table(values: Mapping[str, Any], defined: Sequence[Field]) -> Grid:
    """Fields with their values, each with what it is."""
    about = {field.name: field.short for field in defined}
    grid = Grid([Column(title, number=False) for title in ("field", "value", "what it is")])
    grid.rows = [[name, _value(value), about.get(name, "")] for name, value in values.items()]
    return grid


def preset_tables(presets: Mapping[str, Mapping[str, Any]], width: int) -> list[Grid]:
    """The presets in the fields in which they differ, as many next to each other as fit `width`."""
    fields = dict.fromkeys(name for preset in presets.values() for name in preset)
    values = {
        field: {name: _value(preset.get(field)) for name, preset in presets.items()}
        for field in fields
    }
    differing = {field: row for field, row in values.items() if len(set(row.values())) > 1}
    return [_preset_table(names, differing) for names in _fitting(presets, differing, width)]


def _preset_table(names: Sequence[str], values: Mapping[str, Mapping[str, str]]) -> Grid:
    """Some presets next to each other, in the fields that one of them has."""
    grid = Grid([Column(title, number=False) for title in ("field", *names)])
    rows = [[field, *(row[name] for name in names)] for field, row in values.items()]
    grid.rows = [row for row in rows if set(row[1:]) != {text.ABSENT}]
    return grid


def _fitting(
    names: Iterable[str], values: Mapping[str, Mapping[str, str]], width: int
) -> list[list[str]]:
    """The names in groups whose columns fit `width`."""
    gap = 2
    first = max(map(len, values)) + gap
    groups: list[list[str]] = []
    used = width
    for name in names:
        needs = gap + max(map(len, (name, *(row[name] for row in values.values()))))
        if not groups or used + needs > width:
            groups.append([])
            used = first
        groups[-1].append(name)
        used += needs
    return groups


def _value(value: Any) -> str:
    """A value as a scenario file has it."""
    if value is None:
        return text.ABSENT
    return str(value).lower() if isinstance(value, bool) else str(value)


PATH = Annotated[str | None, Argument("Path to show in full.", "NAME", names=names.paths)]
STACK = Annotated[str | None, Argument("Preset to show in full.", "NAME", names=names.stacks)]


def paths(name: PATH = None, details: flags.Details = False, json: flags.Json = False) -> None:
    """List the named paths, or show every field of one."""
    from flowstart.model.definitions import parts
    from flowstart.model.path import named_path, named_paths

    if name:
        fields = named_path(name)
        if json:
            console.show_json({"name": name, **fields})
            return
        about = fields.pop("about")
        console.show_text(f"{name}: {about}.")
        console.show_grid(field_table(fields, parts()["NetworkPath"].fields))
        console.say(f"On it: flowstart compare --path {name}")
    elif json:
        console.show_json([{"name": name, **fields} for name, fields in named_paths().items()])
    else:
        width = None if details else console.PLAIN_LINE
        console.show_grid(path_table(named_paths(), whole=details), width)
        console.say("One in full: flowstart paths NAME. On one: flowstart compare --path NAME")


def stacks(name: STACK = None, details: flags.Details = False, json: flags.Json = False) -> None:
    """List the presets of endpoints, or show every field of one."""
    from flowstart.model import stack
    from flowstart.model.definitions import parts

    if name is not None:
        fields = stack.preset(name)
        if name not in stack.PRESETS:
            raise RequestError(
                f"NAME: `{name}` is a preset with changed fields; name the preset alone"
            )
        if json:
            console.show_json(_preset_document(name, fields))
            return
        console.show_text(f"{name}: {stack.PRESETS[name]}.")
        console.show_grid(field_table(fields, parts()["Endpoint"].fields))
        for omission in stack.preset_omissions(name):
            line = f"Not simulated ({omission['touches']}): {omission['rule']}"
            console.show_text(f"{line} ({omission['source']}).", console.PLAIN_LINE)
        console.say(f"Congestion control unless --cc names another: {stack.usual_cc(name)}.")
        console.say(f"With it: --stack {name}; with another value: --stack {name}:FIELD=VALUE")
        return
    presets = {name: stack.preset(name) for name in stack.PRESETS}
    if json:
        console.show_json([_preset_document(*each) for each in presets.items()])
        return
    for name, about in stack.PRESETS.items():
        console.show_text(f"{name}: {about}.", console.PLAIN_LINE)
    if details:
        for grid in preset_tables(presets, console.PLAIN_LINE):
            console.show_grid(grid)
        console.say("Fields on which these agree are not listed.")
    else:
        console.say("Fields on which they differ: --details")
    console.say("One in full: flowstart stacks NAME. With one: flowstart compare --stack NAME")


def _preset_document(name: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """A preset with the rules that it leaves out."""
    from flowstart.model import stack

    return {"name": name, **fields, "not_simulated": stack.preset_omissions(name)}


SCHEMAS = ("scenario", "sweep", "rows")


def schema(
    kind: Annotated[
        str,
        Argument(
            "File of a scenario or sweep, or rows of tables.",
            "scenario|sweep|rows",
            names=lambda: SCHEMAS,
        ),
    ] = "scenario",
) -> None:
    """Print the JSON Schema of scenarios, sweeps or table columns."""
    from flowstart.errors import RequestError
    from flowstart.model import document
    from flowstart.render import columns
    from flowstart.sweeps.language.schema import schema as sweep_schema

    schemas = {"scenario": document.json_schema, "sweep": sweep_schema, "rows": columns.schema}
    if kind not in schemas:
        raise RequestError(f"no schema is called {kind!r}: there are scenario, sweep and rows")
    console.show_json(schemas[kind]())
