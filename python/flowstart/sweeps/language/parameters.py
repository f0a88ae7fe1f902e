"""The parameters of a cell: fields of its path and its flow, each with what it may be."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flowstart.errors import RequestError
from flowstart.model.catalog import suggest
from flowstart.model.definitions import Field, parts
from flowstart.model.units import Kind
from flowstart.sweeps.language import law_tables, quantities
from flowstart.sweeps.language.expressions import Meaning, Names, Scope
from flowstart.sweeps.language.laws import By, Law, Times, spellings
from flowstart.sweeps.language.slots import Slot, check_keys

LEAST = "fewest packets of a buffer"
"""In a scope: what the stack's reading of buffers needs."""
NEEDS = {
    "loss_burst": ("loss",),
    "reverse_loss_burst": ("reverse_loss",),
    "policer_burst": ("policer_rate",),
    "jitter_every": ("jitter", "reverse_jitter"),
    "reordering": ("jitter", "reverse_jitter"),
    "ripple_period": ("ripple",),
    "ack_thinning": ("ack_batch",),
    "access_at": ("access_rate", "access_delay"),
}
"""Fields of a path that mean something beside one of others only.

Where a cell has none of those, the field is left out of it, and cells that differ in it alone
collapse. That the sweep has none of them anywhere the simulator says.
"""
ELSEWHERE = {
    "startup": "give `startups` at the top",
    "cc": "give `cc` at the top",
    "stack": "give `stack` at the top",
}
"""Fields of a flow that have a place of their own in a sweep."""


@dataclass(frozen=True)
class Parameter:
    """A field of a cell."""

    slot: Slot
    alternatives: tuple[Law, ...]
    """What it may be: each gives cells of its own."""
    key: str
    """Its name in a scope."""
    needs: tuple[str, ...] = ()
    """The keys of fields without all of which it means nothing."""

    @property
    def place(self) -> str:
        """What reports call it: `path.rate`."""
        return self.slot.place

    @property
    def is_of_path(self) -> bool:
        """Whether it is a field of the path, not of the flow."""
        return self.slot.part == "path"

    @property
    def draws(self) -> bool:
        """Whether its coordinate makes a difference."""
        return any(law.draws for law in self.alternatives)

    @property
    def depends_on(self) -> frozenset[str]:
        """The keys of the fields that are to be known before it."""
        return frozenset(self.needs).union(*(law.names for law in self.alternatives))

    def in_grid(self) -> "Parameter":
        """The same with the points of its laws as alternatives."""
        points = tuple(point for law in self.alternatives for point in law.points())
        return Parameter(self.slot, points, self.key, self.needs)

    def writer(self, law: Law) -> Callable[[Any, Scope], Any]:
        """How a scenario has the values of one of its laws; None for what is the default."""
        write, default = _writer(self.slot, law), self.slot.field.default

        def written(value: Any, scope: Scope) -> Any:
            found = write(value, scope) if isinstance(value, float) else value
            return None if found == default else found

        return written


def _writer(slot: Slot, law: Law) -> Callable[[float, Scope], Any]:
    """How a scenario has quantities of a field."""
    kind, packet = slot.kind, slot.packet
    if slot.field.value in ("u32", "u64"):
        return lambda value, _: round(value)
    if slot.field.value == "f64" or kind is None:
        return lambda value, _: value
    if kind is not Kind.SIZE:
        return lambda value, _: quantities.written(kind, value)
    if not law.in_packets:
        return lambda value, _: quantities.written(kind, _at_least(1.0, value))
    if slot.part == "flow":
        return lambda value, scope: quantities.packets(_at_least(1.0, value / scope[packet]))
    return lambda value, scope: quantities.packets(_at_least(scope[LEAST], value / scope[packet]))


def _at_least(least: float, value: float) -> float:
    """A size that is too small for one is the least; what is none is left for the simulator."""
    return max(value, least) if value > 0 else value


def fields(part: str) -> dict[str, Field]:
    """The fields that a sweep may give of a `path` or a `flow`."""
    return {
        field.name: field for field in parts()[{"path": "NetworkPath", "flow": "Flow"}[part]].fields
    }


def build(
    path: Mapping[str, Any], flow: Mapping[str, Any], factors: Mapping[str, Any]
) -> list[Parameter]:
    """The parameters of a kind of path with the flow on it, each behind those it depends on.

    `factors` are laws by which fields of the path are multiplied.
    """
    names = _names(path, flow)
    found = []
    for part, given in (("path", path), ("flow", flow)):
        for name, value in given.items():
            slot = Slot(part, fields(part)[name], names)
            laws = _alternatives(value, slot)
            if part == "path" and name in factors:
                laws = tuple(Times(law, _factor(slot, factors[name])) for law in laws)
            needs = NEEDS.get(name, ()) if part == "path" else ()
            needs = tuple(need for need in needs if need in path)
            found.append(Parameter(slot, laws, _key(part, name), needs))
    _refuse_what_may_be_missing(found)
    _refuse_cases_of_no_value(found)
    return _ordered(found)


def check_fields(part: str, given: Mapping[str, Any], besides: Sequence[str] = ()) -> None:
    """Refuses unknown fields of a path or a flow."""
    for name in given:
        if part == "flow" and name in ELSEWHERE:
            raise RequestError(f"flow.{name}: not here; {ELSEWHERE[name]}")
    check_keys(part, given, [*fields(part), *besides])


def _key(part: str, name: str) -> str:
    """A field's name in expressions: a path's comes first where a flow has one of the same name."""
    return f"flow.{name}" if part == "flow" and name in fields("path") else name


def _names(path: Mapping[str, Any], flow: Mapping[str, Any]) -> Names:
    """What expressions may name."""
    found: dict[str, Meaning] = {}
    for part, given in (("path", path), ("flow", flow)):
        for name in given:
            slot = Slot(part, fields(part)[name], {})
            found[_key(part, name)] = Meaning(slot.kind, name.endswith("buffer"))
    return found


def _alternatives(value: Any, slot: Slot) -> tuple[Law, ...]:
    """Each value of a list, or the one value that is given."""
    is_list = isinstance(value, list)
    if is_list and slot.field.is_list:
        is_list = bool(value) and all(isinstance(one, list) for one in value)
    if not is_list:
        return (law_tables.read(value, slot),)
    if not value:
        raise RequestError(f"{slot.place}: an empty list; leave it out, or give a value")
    return tuple(law_tables.read(one, slot) for one in value)


def _factor(slot: Slot, given: Any) -> Law:
    """A factor's law; two numbers are the ends of a logarithmic range."""
    number = dataclasses.replace(slot.field, name=f"perturb.{slot.field.name}", kind="Option<f64>")
    given = {"log": given} if isinstance(given, list) else given
    return law_tables.read(given, Slot("path", number, {}))


def _refuse_what_may_be_missing(parameters: Sequence[Parameter]) -> None:
    """Refuses expressions that depend on what some cells leave out."""
    missing = {
        p.key for p in parameters if p.needs or any(law.may_be_left_out for law in p.alternatives)
    }
    for parameter in parameters:
        named = frozenset[str]().union(*(law.quantities for law in parameter.alternatives))
        for name in sorted(named & missing):
            raise RequestError(
                f"{parameter.place}: depends on `{name}`, which some cells leave out (`none`)"
            )


def _refuse_cases_of_no_value(parameters: Sequence[Parameter]) -> None:
    """Refuses a case for a value that a field never has, such as a misspelt one."""
    by_key = {parameter.key: parameter for parameter in parameters}
    for parameter in parameters:
        for law in parameter.alternatives:
            for part in law.with_parts():
                if isinstance(part, By):
                    _check_cases(parameter.place, part, by_key[part.name])


def _check_cases(place: str, law: By, other: Parameter) -> None:
    listed = [one.plain_values for one in other.alternatives]
    if None in listed:
        return
    known = {name for values in listed for value in values or () for name in spellings(value)}
    for case in law.cases:
        if case not in known:
            right = suggest(case, sorted(known))
            raise RequestError(f"{place}.cases: `{law.name}` is never `{case}`{right}")


def _ordered(parameters: Sequence[Parameter]) -> list[Parameter]:
    """The parameters as they come, but each behind those it depends on."""
    waiting = {parameter.key: parameter for parameter in parameters}
    found: list[Parameter] = []

    def place(key: str, behind: tuple[str, ...]) -> None:
        if key in behind:
            circle = " → ".join([*behind[behind.index(key) :], key])
            raise RequestError(f"{waiting[key].place}: depends on itself ({circle})")
        if key in waiting:
            for name in sorted(waiting[key].depends_on):
                place(name, (*behind, key))
            found.append(waiting.pop(key))

    for parameter in parameters:
        place(parameter.key, ())
    return found
