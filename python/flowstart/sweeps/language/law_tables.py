"""Values, expressions and laws as a sweep's file writes them.

rate = "5Mbps"                                      # a value
buffer = "max(10pkt, 0.5bdp)"                       # an expression
rtt = { log = ["5ms", "600ms"] }                    # a law
loss = { mixture = [0, { log = ["0.01%", "2%"] }], weights = [0.8, 0.2] }
aggregation = { log = ["1ms", "8ms"], as = "exponential:mean={}" }
buffer = { by = "queue", cases = { drop-tail = "1bdp" }, else = "1000pkt" }
"""

import dataclasses
import functools
import importlib.resources
import json
import math
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from flowstart.errors import Location, RequestError
from flowstart.model import quantities
from flowstart.model.catalog import suggest
from flowstart.model.quantities import Kind
from flowstart.sweeps.language import expressions
from flowstart.sweeps.language.expressions import Slot, check_keys
from flowstart.sweeps.language.laws import (
    FAMILIES,
    USUAL_STEPS,
    BoundedLaw,
    By,
    Computed,
    Drawn,
    Law,
    Mixture,
    Piecewise,
    Plain,
    Range,
    Template,
)

KINDS = {"size": Kind.SIZE, "time": Kind.TIME, "rate": Kind.RATE}


@functools.cache
def published() -> dict[str, dict[str, Any]]:
    """The laws by name, each with `about` and `kind`, as `distributions.toml` has them."""
    file = importlib.resources.files("flowstart.sweeps.language").joinpath("distributions.toml")
    return tomllib.loads(file.read_text("utf-8"))


def named(name: object, location: Location, kind: Kind) -> dict[str, Any]:
    """The law called `name`, for a field that takes a `kind`."""
    known, location = published(), (*location, "law")
    if not isinstance(name, str) or name not in known:
        right = suggest(str(name), list(known))
        raise RequestError(f"no published distribution is called `{name}`{right}", location)
    law = dict(known[name])
    has = KINDS[law.pop("kind")]
    if has != kind:
        raise RequestError(f"`{name}` is of {has.value}; {kind.value} is needed", location)
    law.pop("about")
    return law


_LITERAL = re.compile(rf"\s*{expressions.NUMBER}\s*(?:[A-Za-zµμ]+(?:/s(?:ec)?)?)?\s*")
"""A quantity, also of an unknown unit."""
LEFT_OUT = "none"
"""The text that leaves a field out."""
MOST_STEPS = 100_000
DEEPEST = 20
"""Laws within each other."""


def read(value: Any, slot: Slot) -> Law:
    """The law that a value of a field stands for."""
    return _Reader(slot, slot.location, slot.kind).law(value)


@dataclasses.dataclass(frozen=True)
class _Reader:
    """Reads what stands at a place within a field's value."""

    slot: Slot
    place: Location
    kind: Kind | None
    """What is measured; None for plain values, or for any quantity in a template."""
    is_template: bool = False
    depth: int = 0

    def within(self, key: str | int) -> "_Reader":
        """For what stands a level deeper."""
        return dataclasses.replace(self, place=(*self.place, key), depth=self.depth + 1)

    def wrong(self, value: Any, right: str) -> RequestError:
        return RequestError(f"`{value}` is not right; {right} is needed", self.place)

    def law(self, value: Any) -> Law:
        """A value, an expression or a table."""
        if isinstance(value, Mapping) and not self.slot.is_table:
            return self.table(value)
        if value == LEFT_OUT:
            return Plain(None)
        return self.quantity(value) if self.kind or self.is_template else self.plain(value)

    def plain(self, value: Any) -> Law:
        if isinstance(value, list) and not self.slot.field.is_list:
            raise self.wrong(value, "a single value")
        return Plain(value)

    def quantity(self, value: Any) -> Law:
        """A quantity, or an expression that works out to one."""
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if is_number and self.kind in (Kind.NUMBER, None) and math.isfinite(value):
            return Computed(expressions.Expression(Kind.NUMBER, lambda _: float(value)))
        if not isinstance(value, str):
            raise self.slot.refusal(value)
        literal = quantities.read(value)
        is_other = literal is not None and self.kind not in (None, literal.kind)
        if is_other or (literal is None and _LITERAL.fullmatch(value)):
            raise self.slot.refusal(value)
        is_bdp = literal is not None and literal.unit.lower() == quantities.BDPS
        if is_bdp and not {"rate", "rtt"} <= self.slot.names.keys():
            return Plain(value)  # of a path whose rate varies by a trace, or of a chain
        expression = expressions.parse(value, self.place, self.slot.names, self.slot.packet)
        if self.kind and expression.kind != self.kind:
            problem = f"this is {expression.kind.value}; {self.kind.value} is needed"
            raise RequestError(f"`{value}`: {problem}", self.place)
        return Computed(expression)

    def table(self, table: Mapping[str, Any]) -> Law:
        """A law as a table: what kind it is, and what goes with that."""
        if self.depth >= DEEPEST:
            raise RequestError(f"more than {DEEPEST} laws within each other", self.place)
        kinds = [key for key in table if key in _LAWS]
        if len(kinds) != 1:
            raise self.no_law(table, kinds)
        (name,) = kinds
        reads, options = _LAWS[name]
        check_keys(self.place, table, [name, *options, "least", "most", "as"])
        if "as" in table:
            return self.template(table)
        if self.kind is None and not self.is_template and name not in _OF_VALUES:
            right = 'values of text are needed, or a law with `as = "...{}..."`'
            raise RequestError(f"`{name}` draws quantities; {right}", self.place)
        return self.bounded(reads(self, name, table), table)

    def no_law(self, table: Mapping[str, Any], kinds: Sequence[str]) -> RequestError:
        if kinds:
            return RequestError(f"`{kinds[0]}` and `{kinds[1]}`; one law is needed", self.place)
        hint = suggest(str(next(iter(table), "")), list(_LAWS))
        return RequestError(f"a table without a law{hint}", self.place)

    def template(self, table: Mapping[str, Any]) -> Law:
        """A law within text."""
        text = table["as"]
        if self.kind or self.is_template:
            kind = self.kind.value if self.kind else "one value"
            raise RequestError(f"the field takes {kind}, not text", (*self.place, "as"))
        if not isinstance(text, str) or "{}" not in text:
            raise self.within("as").wrong(text, "text with `{}` in the place of the value")
        rest = {key: value for key, value in table.items() if key != "as"}
        return Template(dataclasses.replace(self, is_template=True).law(rest), text)

    def bounded(self, law: Law, table: Mapping[str, Any]) -> Law:
        """A law within `least` and `most`."""
        limits = {k: self.within(k).law(table[k]) for k in ("least", "most") if k in table}
        self.of_one_kind(law, *limits.values())
        return BoundedLaw(law, limits.get("least"), limits.get("most")) if limits else law

    def of_one_kind(self, *laws: Law) -> None:
        """Refuses quantities of several kinds, which only a template could take."""
        kinds = dict.fromkeys(law.kind for law in laws if law.kind)
        if len(kinds) > 1:
            first, second, *_ = (kind.value for kind in kinds)
            raise RequestError(f"{first} and {second} in one law", self.place)

    def range(self, name: str, table: Mapping[str, Any]) -> Law:
        low, high = self.several(name, table[name], 2, 2)
        self.of_one_kind(low, high)
        if name == "log":
            for index, value in enumerate(table[name]):
                self.within(name).within(index).positive(value)
        return Range(low, high, name == "log", self.steps(table))

    def choice(self, name: str, table: Mapping[str, Any]) -> Law:
        laws = self.several(name, table[name], 1)
        self.of_one_kind(*laws)
        weights = table.get("weights", [1.0] * len(laws))
        return Mixture(tuple(laws), weights_of(weights, len(laws), (*self.place, "weights")))

    def family(self, name: str, table: Mapping[str, Any]) -> Law:
        family, inside = FAMILIES[name], self.within(name)
        arguments = table[name]
        if not isinstance(arguments, Mapping) or set(arguments) != set(family.parameters):
            example = ", ".join(f"{key} = ..." for key in family.parameters)
            raise inside.wrong(_written(arguments), f"`{{ {example} }}`")
        laws = []
        for key, has_unit in family.parameters.items():
            reader = inside.within(key)
            number = dataclasses.replace(reader, kind=Kind.NUMBER, is_template=False)
            laws.append((reader if has_unit else number).positive(arguments[key]))
        within = self.several("within", table["within"], 2, 2) if "within" in table else None
        pair = (within[0], within[1]) if within else None
        return Drawn(family, tuple(laws), pair, self.steps(table))

    def positive(self, value: Any) -> Law:
        """A parameter, which is above zero wherever it does not depend on the cell."""
        law = self.law(value)
        if isinstance(law, Plain):
            raise self.wrong(value, "a quantity")
        constant = isinstance(law, Computed) and not law.names and not law.in_packets
        if constant and law.at(0, {}) <= 0:
            raise self.wrong(value, "one above zero")
        return law

    def piecewise(self, name: str, table: Mapping[str, Any]) -> Law:
        inside = self.within(name)
        pairs = table[name]
        if not isinstance(pairs, list) or not pairs or not all(_is_pair(pair) for pair in pairs):
            raise inside.wrong(_written(pairs), "a list of `[value, percentage of draws up to it]`")
        shares = [pair[1] / 100 for pair in pairs]
        if sorted(shares) != shares or shares[0] < 0 or shares[-1] != 1:
            raise inside.wrong(_written(pairs), "percentages that rise to 100")
        values = [inside.within(i).law(pair[0]) for i, pair in enumerate(pairs)]
        return Piecewise(tuple(values), tuple(shares), self.steps(table))

    def published(self, name: str, table: Mapping[str, Any]) -> Law:
        if self.kind is None:
            raise RequestError(
                "no published distribution is of what this takes", (*self.place, "law")
            )
        law = named(table[name], self.place, self.kind)
        if "steps" in table:
            law["steps"] = table["steps"]
        return dataclasses.replace(self, depth=self.depth + 1).law(law)

    def by(self, name: str, table: Mapping[str, Any]) -> Law:
        other, cases = table[name], table.get("cases")
        if other not in self.slot.names:
            known = suggest(str(other), list(self.slot.names))
            raise RequestError(f"there is no `{other}` in this cell{known}", (*self.place, "by"))
        if self.slot.names[other].kind:
            right = "a field whose values are names is needed"
            raise RequestError(f"`{other}` is a quantity; {right}", (*self.place, "by"))
        if not isinstance(cases, Mapping) or not cases or "else" not in table:
            raise RequestError("`by` needs `cases = { VALUE = ... }` and `else`", self.place)
        inside = self.within("cases")
        laws = {str(value): inside.within(str(value)).law(law) for value, law in cases.items()}
        return By(str(other), laws, self.within("else").law(table["else"]))

    def several(self, key: str, values: Any, least: int, most: int | None = None) -> list[Law]:
        """A list of laws."""
        inside = self.within(key)
        if not isinstance(values, list) or not least <= len(values) <= (most or len(values)):
            right = "a list of two values" if most else "a list of one value or more"
            raise inside.wrong(_written(values), right)
        return [inside.within(i).law(value) for i, value in enumerate(values)]

    def steps(self, table: Mapping[str, Any]) -> int:
        """How many points stand for it in a grid."""
        steps = table.get("steps", USUAL_STEPS)
        if type(steps) is not int or not 1 <= steps <= MOST_STEPS:
            raise self.within("steps").wrong(steps, f"a whole number of 1 to {MOST_STEPS}")
        return steps


_OF_VALUES = ("choice", "mixture", "by")
"""Laws of plain values too."""
_LAWS: Mapping[str, tuple[Callable[[_Reader, str, Mapping[str, Any]], Law], Sequence[str]]] = {
    "linear": (_Reader.range, ["steps"]),
    "log": (_Reader.range, ["steps"]),
    "choice": (_Reader.choice, ["weights"]),
    "mixture": (_Reader.choice, ["weights"]),
    **{name: (_Reader.family, ["steps", "within"]) for name in FAMILIES},
    "points": (_Reader.piecewise, ["steps"]),
    "law": (_Reader.published, ["steps"]),
    "by": (_Reader.by, ["cases", "else"]),
}
"""The laws by the key that says which one it is, each with what reads it and its other keys."""
NAMES = tuple(_LAWS)
"""The keys that say which law it is."""


def weights_of(weights: Any, count: int, location: Location) -> tuple[float, ...]:
    """Weights, as many as there is to choose from."""
    is_list = isinstance(weights, list) and len(weights) == count
    if not is_list or not all(is_weight(weight) for weight in weights) or sum(weights) <= 0:
        right = f"{count} numbers, none below zero and one above, are needed"
        raise RequestError(f"`{_written(weights)}`: {right}", location)
    return tuple(float(weight) for weight in weights)


def is_weight(value: Any) -> bool:
    """Whether it is a number, not below zero."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and math.isfinite(value) and value >= 0


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, list) and len(pair) == 2 and is_weight(pair[1])


def _written(value: Any) -> str:
    """A value in a message, in short."""
    text = json.dumps(value, default=str) if isinstance(value, list | dict) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
