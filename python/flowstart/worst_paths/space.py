"""Over which paths a search goes: ranges and choices of fields, some of which may be left out."""

import math
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from flowstart.errors import RequestError
from flowstart.model import quantities
from flowstart.model.catalog import suggest
from flowstart.model.document import Document
from flowstart.sweeps.cell import COMPETING
from flowstart.sweeps.language import expressions, parameters
from flowstart.sweeps.language.parameters import Endpoints, Walk

NEEDED = ("rate", "rtt", "buffer", "size")
"""What every case has."""
BESIDE = {
    "policer_burst": "policer_rate",
    "shaper_burst": "shaper_rate",
    "delay_limit": "delay_at",
    "delay_limit_with_queue": "delay_at",
    "delay_skip": "delay_at",
    "delay_skip_gap": "delay_at",
    "delay_skip_correlation": "delay_at",
    "ack_thinning": "ack_batch",
    "jitter_every": "jitter",
    "loss_burst": "loss",
    "ripple_period": "ripple",
}
"""Fields that mean nothing without another, and go with it."""


@dataclass(frozen=True)
class PathCase:
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

    def simpler(self) -> Iterator["PathCase"]:
        """The case without each of its ingredients."""
        for name in self.ingredients:
            if name == "competing":
                yield PathCase(self.path, self.flow, "alone")
            else:
                yield PathCase(_without(self.path, name), _without(self.flow, name), self.competing)

    def numbers(self) -> Iterator[str]:
        """The fields that are a number with a unit."""
        for fields in (self.path, self.flow):
            yield from (name for name, value in fields.items() if _number(value))

    def rounded(self, name: str, digits: int) -> "PathCase":
        """The case with a number of so many significant digits."""
        path, flow = (
            {key: _rounded(value, digits) if key == name else value for key, value in part.items()}
            for part in (self.path, self.flow)
        )
        return PathCase(path, flow, self.competing)


def _without(fields: Mapping[str, Any], name: str) -> Document:
    gone = {name, *(beside for beside, needs in BESIDE.items() if needs == name)}
    return {key: value for key, value in fields.items() if key not in gone}


def _number(value: object) -> tuple[str, float, str] | None:
    """The last quantity of a value: what stands before it, its number, its unit; or None."""
    before, colon, quantity = "", "", value
    if isinstance(value, str) and "=" in value:
        before, colon, quantity = value.rpartition("=")
    parsed = quantities.read(quantity)
    return (before + colon, parsed.number, parsed.unit) if parsed else None


def _rounded(value: str, digits: int) -> str:
    before, number, unit = _number(value) or ("", 0.0, "")
    if not number:
        return value
    decimals = digits - 1 - math.floor(math.log10(abs(number)))
    return f"{before}{expressions.number(round(number, decimals))}{unit}"


USUAL = {
    "rate": "1Mbps..1Gbps",
    "rtt": "5ms..600ms",
    "buffer": "max(10pkt,0.1bdp)..max(10pkt,4bdp)",
    "size": "15kB..10MB",
    "queue": "fq-codel|codel",
    "loss": "0.01%..2%",
    "aggregation": "exponential:mean=1ms..8ms",
    "jitter": "uniform:most=0.5ms..20ms",
    "ack_batch": "0.5ms..8ms",
    "reverse_rate": "rate/30..rate/10",
    "policer_rate": "rate/8..rate/2",
    "policer_burst": "30kB..1MB",
}
"""The ranges that a path can have, where nothing else is said. What is not `NEEDED` may be left
out, and mostly is."""
INGREDIENT_SHARE = 0.25
"""Of points drawn anywhere so many have each ingredient."""
DROPS, ADDS = 0.15, 0.1
"""How likely a mutation drops an ingredient, or adds one."""
_BETWEEN = re.compile(r",(?![^()]*\))")
"""The commas between fields, not those within an expression."""
_RANGE = re.compile(r"(?P<before>.*?)(?P<low>[^:=|]+?)\.\.(?P<high>[^:=|]+)(?P<behind>.*)")


@dataclass(frozen=True)
class SearchPoint:
    """A place in a space: a coordinate from 0 to 1 of each field that is there."""

    coordinates: Mapping[str, float]


@dataclass(frozen=True)
class Space:
    """Fields, each with what it may be."""

    over: Mapping[str, Any]
    """Values of a sweep's language, by field."""
    competing: tuple[str, ...]
    """Kinds of competing flows; `alone` where there is none."""
    ends: Endpoints
    _walks: dict[frozenset[str], Walk] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def parse(cls, text: str | None, ends: Endpoints, competing: tuple[str, ...] = ()) -> "Space":
        """`rate=1Mbps..1Gbps,queue=drop-tail|fq-codel,...`; what is needed and not there is usual.

        Raises RequestError where a field or a range is wrong.
        """
        fields = dict(USUAL) if text is None else _fields(text)
        kinds = fields.pop("competing", "|".join(competing) or "alone").split("|")
        for kind in kinds:
            if kind not in COMPETING:
                raise RequestError(
                    f"`{kind}` is unknown{suggest(kind, list(COMPETING))}",
                    ("search_space", "competing"),
                )
        fields = {name: USUAL[name] for name in NEEDED if name not in fields} | fields
        over = {name: _law(value) for name, value in fields.items()}
        space = cls(over, tuple(kinds), ends)
        try:
            space.case(SearchPoint(dict.fromkeys((*over, "competing"), 0.5)))
        except RequestError as error:
            raise error.at(("search_space", *error.location[1:])) from None
        return space

    @property
    def ingredients(self) -> list[str]:
        """What may be left out by itself."""
        return [name for name in self.over if name not in NEEDED and name not in BESIDE]

    def draw(self, drawn: random.Random) -> SearchPoint:
        """A point anywhere."""
        names = [name for name in self.ingredients if drawn.random() < INGREDIENT_SHARE]
        coordinates = {name: drawn.random() for name in self._whole(names)}
        return SearchPoint(coordinates | {"competing": drawn.random()})

    def mutated(self, point: SearchPoint, step: float, drawn: random.Random) -> SearchPoint:
        """A point near another; now and then with an ingredient more or less."""
        names = [name for name in self.ingredients if name in point.coordinates]
        absent = [name for name in self.ingredients if name not in names]
        if names and drawn.random() < DROPS:
            names.remove(drawn.choice(names))
        if absent and drawn.random() < ADDS:
            names.append(drawn.choice(absent))
        coordinates = {}
        for name in [*self._whole(names), "competing"]:
            before = point.coordinates.get(name)
            u = drawn.random() if before is None else before + drawn.gauss(0, step)
            coordinates[name] = min(max(u, 0.0), 1.0)
        return SearchPoint(coordinates)

    def case(self, point: SearchPoint) -> PathCase:
        """What a point asks."""
        walk = self._walk(frozenset(point.coordinates) - {"competing"})
        draws = [point.coordinates[p.slot.field.name] for p in walk.parameters]
        (leaf,) = walk.leaves(draws, self.ends.scope(), Counter())
        kind = min(
            int(point.coordinates["competing"] * len(self.competing)), len(self.competing) - 1
        )
        return PathCase(leaf.path, leaf.flow, self.competing[kind])

    def _walk(self, names: frozenset[str]) -> Walk:
        """The walk through the values of these fields, made once."""
        if names not in self._walks:
            laws = {name: law for name, law in self.over.items() if name in names}
            of_path = parameters.fields("path")
            path = {name: law for name, law in laws.items() if name in of_path}
            flow = {name: law for name, law in laws.items() if name not in of_path}
            self._walks[names] = Walk(parameters.build(path, flow, {}))
        return self._walks[names]

    def _whole(self, names: list[str]) -> list[str]:
        """The fields of a point with these ingredients, with what goes with them."""
        beside = [field for field, needs in BESIDE.items() if field in self.over and needs in names]
        return [name for name in self.over if name in (*NEEDED, *names, *beside)]


def _fields(text: str) -> dict[str, str]:
    """The fields of `name=value,...`."""
    fields: dict[str, str] = {}
    known = [*parameters.fields("path"), "size", "competing"]
    for piece in _BETWEEN.split(text):
        name, equals, value = (part.strip() for part in piece.partition("="))
        if not equals or not value:
            raise RequestError(
                f"search_space `{piece}`: should be written field=least..most, or field=a|b"
            )
        if name not in known:
            raise RequestError(f"search_space `{piece}`: `{name}` is unknown{suggest(name, known)}")
        if name in fields:
            raise RequestError(f"search_space `{piece}`: `{name}` is given twice")
        fields[name] = value
    return fields


def _law(value: str) -> Any:
    """A range or a choice as a sweep's language has it; ranges from zero are linear."""
    if "|" in value:
        return {"choice": [part.strip() for part in value.split("|")]}
    match = _RANGE.fullmatch(value)
    if not match:
        return value
    low, high = match["low"].strip(), match["high"].strip()
    zero = re.fullmatch(r"0(\.0*)?\D*", low) is not None
    law: dict[str, Any] = {"linear" if zero else "log": [low, high]}
    around = (match["before"], match["behind"])
    return law | {"as": "{}".join(around)} if any(around) else law
