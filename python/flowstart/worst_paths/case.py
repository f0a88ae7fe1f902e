"""A path, a flow and its competing flows, in plain values, and simpler ones beside it."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from flowstart.model import units
from flowstart.model.document import Document
from flowstart.sweeps.language import expressions

NEEDED = ("rate", "rtt", "buffer", "size")
"""What every case has."""
BESIDE = {
    "policer_burst": "policer_rate",
    "ack_thinning": "ack_batch",
    "jitter_every": "jitter",
    "loss_burst": "loss",
    "ripple_period": "ripple",
}
"""Fields that mean nothing without another, and go with it."""


@dataclass(frozen=True)
class Case:
    """What one cell asks."""

    path: Document
    flow: Document
    competing: str

    @property
    def ingredients(self) -> tuple[str, ...]:
        """What of it could be left out, by name."""
        alone = (*NEEDED, *BESIDE)
        extra = [name for name in (*self.path, *self.flow) if name not in alone]
        return (*sorted(extra), *(["competing"] if self.competing != "alone" else []))

    def simpler(self) -> Iterator["Case"]:
        """The case without each of its ingredients."""
        for name in self.ingredients:
            if name == "competing":
                yield Case(self.path, self.flow, "alone")
            else:
                yield Case(_without(self.path, name), _without(self.flow, name), self.competing)

    def numbers(self) -> Iterator[str]:
        """The fields that are a number with a unit."""
        for fields in (self.path, self.flow):
            yield from (name for name, value in fields.items() if _number(value))

    def rounded(self, name: str, digits: int) -> "Case":
        """The case with a number of so many significant digits."""
        path, flow = (
            {key: _rounded(value, digits) if key == name else value for key, value in part.items()}
            for part in (self.path, self.flow)
        )
        return Case(path, flow, self.competing)


def _without(fields: Mapping[str, Any], name: str) -> Document:
    gone = {name, *(beside for beside, needs in BESIDE.items() if needs == name)}
    return {key: value for key, value in fields.items() if key not in gone}


def _number(value: object) -> tuple[str, float, str] | None:
    """The last quantity of a value: what stands before it, its number, its unit; or None."""
    before, colon, quantity = "", "", value
    if isinstance(value, str) and "=" in value:
        before, colon, quantity = value.rpartition("=")
    found = units.split(quantity) if isinstance(quantity, str) else None
    is_one = found is not None and found[1] in units.UNITS
    return (before + colon, *found) if found and is_one else None


def _rounded(value: str, digits: int) -> str:
    before, number, unit = _number(value) or ("", 0.0, "")
    if not number:
        return value
    place = digits - 1 - math.floor(math.log10(abs(number)))
    return f"{before}{expressions.number(round(number, place))}{unit}"
