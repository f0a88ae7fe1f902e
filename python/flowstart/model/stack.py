"""A stack as people write it: `ns2:recovery=newreno,iw=3`, a preset and fields of its own."""

import json
from collections.abc import Mapping
from typing import Any

from flowstart import _native
from flowstart.errors import Location, RequestError
from flowstart.model import definitions, specs
from flowstart.model.catalog import suggest
from flowstart.model.document import resolve

PRESETS = _native.STACKS
"""The presets of endpoints by name, each with what it is."""
ADAPTERS = ("quinn-adapter", "noq-adapter", "s2n-adapter")
"""Presets of stacks that startups of the catalog control, which `flowstart live` uses."""
SCENARIO_PRESET = "rfc"
"""The preset of a scenario that names none."""


def preset(name: str) -> dict[str, Any]:
    """Every field of a preset with its value."""
    return {key: value for key, value in _resolved(name)["stack"].items() if key != "preset"}


def usual_cc(name: str) -> str:
    """The congestion control of a flow on a preset that names none."""
    found: str = _resolved(name)["flows"][0]["cc"]
    return found


def _resolved(name: str) -> dict[str, Any]:
    """A scenario with a preset, on a path that no field of a stack depends on."""
    _check(name, f"no stack is called `{name}`")
    path = {"rate": "1Mbps", "rtt": "100ms"}
    return resolve({"path": path, "stack": {"preset": name}, "flows": [{"size": "1kB"}]})


def _check(name: str, problem: str, location: Location = ()) -> None:
    if name not in (*PRESETS, *ADAPTERS):
        near = suggest(name, list(PRESETS))
        raise RequestError(f"{problem}{near} (all: flowstart stacks)", location)


def parse(text: str) -> dict[str, Any]:
    """`ns2:recovery=newreno,iw=3` as the fields of a scenario's stack."""
    fields = specs.table("stack", "preset", text)
    name = fields["preset"]
    _check(name, f"`{name}` is unknown", ("stack", "preset"))
    return {name: typed(name, value) for name, value in fields.items()}


def of_scenario(fields: Mapping[str, Any] | None) -> dict[str, Any]:
    """The stack of a scenario with its preset, which is `rfc` where none is named."""
    return {"preset": SCENARIO_PRESET} | dict(fields or {})


def typed(field: str, value: Any) -> Any:
    """`value` as a number or a truth value where the field has one; else as it is."""
    if not isinstance(value, str) or _values().get(field) not in ("bool", "f64", "u32"):
        return value
    try:
        return json.loads(value)
    except json.JSONDecodeError:
        return value  # the simulator says what is wrong with it


def _values() -> dict[str, str]:
    """The types of the fields' values in Rust."""
    return {field.name: field.value for field in definitions.parts()["Endpoint"].fields}


def written(fields: Mapping[str, Any] | None) -> str | None:
    """The stack as one word of a command line, the opposite of `parse`."""
    return specs.word(fields, "preset", SCENARIO_PRESET) if fields else None
