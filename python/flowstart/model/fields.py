"""The parts of a scenario as frozen classes, by the definitions in `sim/src/spec`.

Types and texts stand in `fields.pyi`, which `make docs` writes. What is left out is left to the
simulator. Numbers become text with the unit that their field has.
"""

import dataclasses
from typing import Any

from flowstart.model import quantities
from flowstart.model.definitions import Part, parts, short_repr
from flowstart.public import Public, with_known_fields


class _Part(metaclass=Public):
    """A part of a scenario."""


def _made(part: Part) -> type:
    """The class of a part."""
    fields = [
        (field.name, Any, dataclasses.field(**({} if field.required else {"default": None})))
        for field in part.fields
    ]
    kinds = {field.name: field.measures for field in part.fields if field.measures}

    def with_units(self: Any) -> None:
        for name, kind in kinds.items():
            value = quantities.text(name, kind, getattr(self, name))
            object.__setattr__(self, name, value)

    own = {
        "__doc__": f"{part.about}\n\n{_attributes(part)}",
        "__module__": __name__,
        "__post_init__": with_units,
        "__repr__": short_repr,
    }
    made = dataclasses.make_dataclass(
        part.name, fields, bases=(_Part,), namespace=own, frozen=True, kw_only=True, repr=False
    )
    made.__init__.__annotations__.clear()  # the docstring has what values there are
    return with_known_fields(made)


def _attributes(part: Part) -> str:
    """The fields of a part, each with its unit and its default."""
    lines = ["Attributes:"]
    for field in part.fields:
        usual = field.unless_given
        default = f" [{usual}]" if usual and not field.required else ""
        lines.append(f"    {field.name}: {field.short}{default}")
    return "\n".join(lines)


for _part in parts().values():
    globals()[_part.name] = _made(_part)
