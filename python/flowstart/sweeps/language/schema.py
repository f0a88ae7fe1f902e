"""The JSON Schema of a sweep's file, for editors."""

from typing import Any

from flowstart.model import document
from flowstart.model.document import Document
from flowstart.model.path import named_paths
from flowstart.sweeps.cell import COMPETING
from flowstart.sweeps.language import sampling
from flowstart.sweeps.language.law_tables import published
from flowstart.sweeps.language.laws import FAMILIES
from flowstart.sweeps.language.parameters import ELSEWHERE

_LAW = {"$ref": "#/$defs/Law"}
_VALUE = {"type": ["string", "number", "boolean"], "description": "A value or an expression."}
_LEAF = {"anyOf": [_VALUE, _LAW]}
_LEAVES = {"type": "array", "items": _LEAF, "minItems": 1}
_PAIR = {"type": "array", "items": _LEAF, "minItems": 2, "maxItems": 2}
_WEIGHTS = {"type": "array", "items": {"type": "number", "minimum": 0}}


def schema() -> Document:
    """The JSON Schema of a sweep's file."""
    scenario = document.json_schema()
    definitions = scenario["$defs"]
    path = _fields(definitions["PathSpec"])
    family = _table("Paths that are made in one way.", path | _sources())
    weighted = {"weight": {"type": "number", "minimum": 0}, "name": {"type": "string"}}
    flow = _fields(definitions["FlowSpec"])
    flow = {name: field for name, field in flow.items() if name not in ELSEWHERE}
    properties = _top() | {
        "path": family,
        "paths": {
            "type": "array",
            "minItems": 1,
            "description": "Families of paths by weight, all with the fields of `path`.",
            "items": _table("A family of paths.", path | _sources() | weighted),
        },
        "flow": _table("The flow under test, without its startup.", flow),
    }
    return {
        "$schema": scenario.get("$schema", "https://json-schema.org/draft/2020-12/schema"),
        "title": "Sweep",
        **_table("Startups, and the cells of each.", properties),
        "required": ["flow"],
        "$defs": definitions | {"Law": _law()},
    }


def _table(about: str, properties: Document) -> Document:
    return {
        "type": "object",
        "description": about,
        "properties": properties,
        "additionalProperties": False,
    }


def _fields(part: Document) -> Document:
    """The fields of a part of a scenario, each also as an expression, a law or a list."""
    return {name: _field(own) for name, own in part["properties"].items()}


def _field(own: Document) -> Document:
    single = {"anyOf": [own, _VALUE, _LAW]}
    several = {"type": "array", "items": single, "minItems": 1}
    return {"anyOf": [*single["anyOf"], several], "description": own.get("description", "")}


def _sources() -> Document:
    """What a family of paths is made from, beside fields of a path."""
    names = {"enum": list(named_paths())}
    factor = {"anyOf": [_PAIR, _LAW], "description": "A factor; two numbers for a range of it."}
    return {
        "named": {
            "description": "Paths known by name, or `all` of them.",
            "anyOf": [{"const": "all"}, names, {"type": "array", "items": names, "minItems": 1}],
        },
        "captures": _texts("Captures and logs, whose networks have a path each."),
        "columns": {"type": "string", "description": "Which column of a server's log is what."},
        "perturb": {
            "type": "object",
            "description": "By field, a factor for named and captured paths.",
            "additionalProperties": factor,
        },
    }


def _texts(about: str) -> Document:
    """A text or several."""
    several = {"type": "array", "items": {"type": "string"}, "minItems": 1}
    return {"description": about, "anyOf": [{"type": "string"}, several]}


def _top() -> Document:
    """What a file says beside paths and the flow."""
    kinds = {"type": "array", "items": {"enum": list(COMPETING)}, "minItems": 1}
    count = {"type": "integer", "minimum": 1}
    seeds = {"type": "array", "items": {"type": "integer", "minimum": 0}, "minItems": 1}
    stack = {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/StackSpec"}]}
    share = {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}
    sample: dict[str, Any] = {
        "paths": count | {"description": "How many paths are drawn."},
        "seed": {"type": "integer", "minimum": 0},
        "method": {"enum": list(sampling.METHODS)},
    }
    return {
        "name": {"type": "string"},
        "about": {"type": "string"},
        "startups": _texts("Startups by name, with parameters or from files; `all`, or `unaided`."),
        "variants": _texts("Variants, `name: key=value ...` each."),
        "seeds": {"anyOf": [count, seeds], "description": "How many seeds, or which."},
        "stack": {
            "description": "The stack, or several.",
            "anyOf": [*stack["anyOf"], {"type": "array", "items": stack, "minItems": 1}],
        },
        "cc": _texts("The congestion control, or several."),
        "competing": _table("Competing flows.", {"kinds": kinds}),
        "sample": _table("Paths are drawn; without it, the whole grid.", sample)
        | {"required": ["paths"]},
        "split": _table("Training and test set.", {"train": share}) | {"required": ["train"]},
    }


def _law() -> Document:
    """A law as a table."""
    families = {
        name: _table("", dict.fromkeys(family.parameters, _LEAF))
        | {"required": list(family.parameters)}
        for name, family in FAMILIES.items()
    }
    properties = {
        "linear": _PAIR,
        "log": _PAIR,
        "choice": _LEAVES,
        "mixture": _LEAVES,
        **families,
        "points": {"type": "array", "items": {"type": "array"}, "minItems": 1},
        "law": {"enum": list(published())},
        "by": {"type": "string"},
        "cases": {"type": "object", "additionalProperties": _LEAF},
        "else": _LEAF,
        "weights": _WEIGHTS,
        "within": _PAIR,
        "least": _LEAF,
        "most": _LEAF,
        "steps": {"type": "integer", "minimum": 1},
        "as": {"type": "string", "pattern": r"\{\}"},
    }
    return _table("A law by which values are drawn; in a grid, some points of it.", properties)
