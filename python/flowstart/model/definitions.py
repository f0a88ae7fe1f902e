"""The definitions of a scenario's fields, as `crates/sim/src/spec` has them."""

import dataclasses
import functools
import json
import re
from dataclasses import dataclass
from typing import Any

from flowstart import _native
from flowstart.model.quantities import Kind

MEASURES = {"Rate": Kind.RATE, "Duration": Kind.TIME, "Delays": Kind.TIME, "Bytes": Kind.SIZE}
"""What values of these types of Rust measure."""


@dataclass(frozen=True, kw_only=True)
class Field:
    """A field of a part of a scenario."""

    name: str
    kind: str
    """Its type in Rust, such as `Option<Rate>`."""
    required: bool
    doc: str
    """What it is; the first paragraph in short."""
    usual: str | None
    """What holds where it is not given, in words."""
    default: Any
    """The default that a resolved scenario has, where that depends on nothing."""
    flag: str | None
    """What stands for its value in the help of its flag; None without one, empty for a switch."""

    @property
    def short(self) -> str:
        """What it is, in a sentence."""
        return self.doc.partition("\n\n")[0].replace("\n", " ")

    @property
    def unless_given(self) -> str | None:
        """What holds where it is not given."""
        if self.usual or self.default is None:
            return self.usual
        return str(self.default).lower() if isinstance(self.default, bool) else str(self.default)

    @property
    def is_list(self) -> bool:
        """Whether it has several values."""
        return self.kind.startswith("Vec")

    @functools.cached_property
    def value(self) -> str:
        """The type of a value of its in Rust."""
        *_, value = re.findall(r"\w+", self.kind)
        return str(value)

    @functools.cached_property
    def measures(self) -> Kind | None:
        """What a plain number in Python measures; None where its unit would be ambiguous.

        An `Amount` is in bytes, packets or BDPs, and only `size` is clear without a unit.
        """
        return (
            Kind.SIZE
            if self.name == "size" and self.value == "Amount"
            else MEASURES.get(self.value)
        )


@dataclass(frozen=True)
class Part:
    """A part of a scenario: a path, a stack, a flow, ..."""

    name: str
    """What Python calls it."""
    about: str
    fields: tuple[Field, ...]


@functools.cache
def parts() -> dict[str, Part]:
    """The parts by what Python calls them."""
    parts = {}
    for part in json.loads(_native.fields()):
        name = python_name(part["name"])
        fields = tuple(Field(**field) for field in part["fields"])
        parts[name] = Part(name, part["about"], fields)
    return parts


PYTHON_NAMES = {"Path": "NetworkPath", "Stack": "Endpoint", "Web": "WebTraffic"}
"""Names of parts that would be ambiguous in Python."""


def python_name(name: str) -> str:
    """What Python calls a part of this name."""
    plain = name.removesuffix("Spec")
    return PYTHON_NAMES.get(plain, plain)


def short_repr(value: Any) -> str:
    """An instance of a dataclass with the fields that differ from their defaults."""
    fields = ((field, getattr(value, field.name)) for field in dataclasses.fields(value))
    shown = [f"{field.name}={own!r}" for field, own in fields if own != field.default]
    return f"{type(value).__name__}({', '.join(shown)})"
