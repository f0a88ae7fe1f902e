"""The parameters of a cell: fields of its path and its flow, each with what it may be."""

import dataclasses
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flowstart import _native
from flowstart.errors import Location, RequestError
from flowstart.model import stack as stacks
from flowstart.model.catalog import suggest
from flowstart.model.definitions import Field, parts
from flowstart.model.document import Document, plain, resolve
from flowstart.model.quantities import Kind
from flowstart.sweeps.language import expressions, law_tables
from flowstart.sweeps.language.expressions import (
    MSS,
    PACKET,
    Meaning,
    Names,
    Scope,
    Slot,
    check_keys,
)
from flowstart.sweeps.language.laws import By, Law, Multiple, spellings

LEAST = "fewest packets of a buffer"
"""In a scope: what the stack's reading of buffers needs."""
NEEDS = {
    "loss_burst": ("loss",),
    "reverse_loss_burst": ("reverse_loss",),
    "policer_burst": ("policer_rate",),
    "shaper_burst": ("shaper_rate",),
    "delay_limit": ("delay_at",),
    "delay_limit_with_queue": ("delay_limit",),
    "delay_skip": ("delay_at",),
    "delay_skip_gap": ("delay_skip",),
    "delay_skip_correlation": ("delay_skip",),
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
class SweepParameter:
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
        return f"{self.slot.part}.{self.slot.field.name}"

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

    def in_grid(self) -> "SweepParameter":
        """The same with the points of its laws as alternatives."""
        points = tuple(point for law in self.alternatives for point in law.points())
        return SweepParameter(self.slot, points, self.key, self.needs)

    def writer(self, law: Law) -> Callable[[Any, Scope], Any]:
        """How a scenario has the values of one of its laws; None for what is the default."""
        write, default = _writer(self.slot, law), self.slot.field.default

        def written(value: Any, scope: Scope) -> Any:
            value = write(value, scope) if isinstance(value, float) else value
            return None if value == default else value

        return written


def _writer(slot: Slot, law: Law) -> Callable[[float, Scope], Any]:
    """How a scenario has quantities of a field."""
    kind, packet = slot.kind, slot.packet
    if slot.field.value in ("u32", "u64"):
        return lambda value, _: round(value)
    if slot.field.value == "f64" or kind is None:
        return lambda value, _: value
    if kind is not Kind.SIZE:
        return lambda value, _: expressions.written(kind, value)
    if not law.in_packets:
        return lambda value, _: expressions.written(kind, _at_least(1.0, value))
    if slot.part == "flow":
        return lambda value, scope: expressions.packets(_at_least(1.0, value / scope[packet]))
    return lambda value, scope: expressions.packets(_at_least(scope[LEAST], value / scope[packet]))


def _at_least(least: float, value: float) -> float:
    """A size that is too small for one is the least; what is none is left for the simulator."""
    return max(value, least) if value > 0 else value


WITHIN = Field(
    name="within",
    kind="Option<Duration>",
    required=False,
    doc="Time from the flow's opening of which the table has its goodput.",
    usual=None,
    default=None,
    flag=None,
)
"""What a sweep may give beside the fields of a flow."""


def fields(part: str) -> dict[str, Field]:
    """The fields that a sweep may give of a `path` or a `flow`."""
    if part == "flow":
        return {field.name: field for field in (*parts()["Flow"].fields, WITHIN)}
    return {field.name: field for field in parts()["NetworkPath"].fields}


def build(
    path: Mapping[str, Any], flow: Mapping[str, Any], factors: Mapping[str, Any]
) -> list[SweepParameter]:
    """The parameters of a kind of path with the flow on it, each behind those it depends on.

    `factors` are laws by which fields of the path are multiplied.
    """
    names = _names(path, flow)
    parameters = []
    for part, table in (("path", path), ("flow", flow)):
        for name, value in table.items():
            slot = Slot(part, fields(part)[name], names)
            laws = _alternatives(value, slot)
            if part == "path" and name in factors:
                laws = tuple(Multiple(law, _factor(slot, factors[name])) for law in laws)
            needs = NEEDS.get(name, ()) if part == "path" else ()
            needs = tuple(need for need in needs if need in path)
            parameters.append(SweepParameter(slot, laws, _key(part, name), needs))
    _refuse_what_may_be_missing(parameters)
    _refuse_cases_of_no_value(parameters)
    return _ordered(parameters)


def check_fields(part: str, table: Mapping[str, Any], besides: Sequence[str] = ()) -> None:
    """Refuses unknown fields of a path or a flow."""
    for name in table:
        if part == "flow" and name in ELSEWHERE:
            raise RequestError(f"not here; {ELSEWHERE[name]}", ("flow", name))
    check_keys((part,), table, [*fields(part), *besides])


def _key(part: str, name: str) -> str:
    """A field's name in expressions: a path's comes first where a flow has one of the same name."""
    return f"flow.{name}" if part == "flow" and name in fields("path") else name


def _names(path: Mapping[str, Any], flow: Mapping[str, Any]) -> Names:
    """What expressions may name."""
    names: dict[str, Meaning] = {}
    for part, table in (("path", path), ("flow", flow)):
        for name in table:
            slot = Slot(part, fields(part)[name], {})
            names[_key(part, name)] = Meaning(slot.kind, name.endswith("buffer"))
    return names


def _alternatives(value: Any, slot: Slot) -> tuple[Law, ...]:
    """Each value of a list, or the one value that is given."""
    is_list = isinstance(value, list)
    if is_list and slot.field.is_list:
        is_list = bool(value) and all(isinstance(item, list) for item in value)
    if not is_list:
        return (law_tables.read(value, slot),)
    if not value:
        raise RequestError("an empty list; leave it out, or give a value", slot.location)
    return tuple(law_tables.read(item, slot) for item in value)


def _factor(slot: Slot, value: Any) -> Law:
    """A factor's law; two numbers are the ends of a logarithmic range."""
    number = dataclasses.replace(slot.field, name=f"perturb.{slot.field.name}", kind="Option<f64>")
    value = {"log": value} if isinstance(value, list) else value
    return law_tables.read(value, Slot("path", number, {}))


def _refuse_what_may_be_missing(parameters: Sequence[SweepParameter]) -> None:
    """Refuses expressions that depend on what some cells leave out."""
    missing = {
        p.key for p in parameters if p.needs or any(law.may_be_left_out for law in p.alternatives)
    }
    for parameter in parameters:
        named = frozenset[str]().union(*(law.quantities for law in parameter.alternatives))
        for name in sorted(named & missing):
            raise RequestError(
                f"depends on `{name}`, which some cells leave out (`none`)", parameter.slot.location
            )


def _refuse_cases_of_no_value(parameters: Sequence[SweepParameter]) -> None:
    """Refuses a case for a value that a field never has, such as a misspelt one."""
    by_key = {parameter.key: parameter for parameter in parameters}
    for parameter in parameters:
        for law in parameter.alternatives:
            for part in law.with_parts():
                if isinstance(part, By):
                    _check_cases(parameter.slot.location, part, by_key[part.name])


def _check_cases(location: Location, law: By, other: SweepParameter) -> None:
    listed = [alternative.plain_values for alternative in other.alternatives]
    if None in listed:
        return
    known = {name for values in listed for value in values or () for name in spellings(value)}
    for case in law.cases:
        if case not in known:
            right = suggest(case, sorted(known))
            raise RequestError(f"`{law.name}` is never `{case}`{right}", (*location, "cases"))


def _ordered(parameters: Sequence[SweepParameter]) -> list[SweepParameter]:
    """The parameters as they come, but each behind those it depends on."""
    waiting = {parameter.key: parameter for parameter in parameters}
    ordered: list[SweepParameter] = []

    def visit(key: str, behind: tuple[str, ...]) -> None:
        if key in behind:
            circle = " → ".join([*behind[behind.index(key) :], key])
            raise RequestError(f"depends on itself ({circle})", waiting[key].slot.location)
        if key in waiting:
            for name in sorted(waiting[key].depends_on):
                visit(name, (*behind, key))
            ordered.append(waiting.pop(key))

    for parameter in parameters:
        visit(parameter.key, ())
    return ordered


@dataclass(frozen=True)
class Leaf:
    """The path and the flow of cells, and their places."""

    path: Document
    flow: Document
    place: int
    """Among all combinations of the parameters' values."""
    path_place: int
    """Among those of the path's."""


class Walk:
    """All combinations of the values of some parameters."""

    def __init__(self, parameters: Sequence[SweepParameter]) -> None:
        self.parameters = parameters
        sizes = [len(parameter.alternatives) for parameter in parameters]
        self.count = math.prod(sizes)
        """How many combinations there are, those that collapse included."""
        self.below = [math.prod(sizes[depth + 1 :]) for depth in range(len(sizes))]
        of_path = [s if p.is_of_path else 1 for s, p in zip(sizes, parameters, strict=True)]
        self.path_count = math.prod(of_path)
        """How many of those of the path."""
        self._path_below = [
            math.prod(of_path[depth + 1 :]) if parameter.is_of_path else 0
            for depth, parameter in enumerate(parameters)
        ]
        self._laws = [
            [(law, parameter.writer(law)) for law in parameter.alternatives]
            for parameter in parameters
        ]

    def leaves(self, draws: Sequence[float], scope: Scope, same: Counter[str]) -> Iterator[Leaf]:
        """The combinations that differ, in order, at a coordinate for each parameter.

        `same` counts, by parameter, those left out because another value gives the same.
        """
        values: dict[str, Any] = {}
        yield from self._below(0, 0, 0, draws, scope, values, same)

    def _below(
        self,
        depth: int,
        index: int,
        path_index: int,
        draws: Sequence[float],
        scope: Scope,
        values: dict[str, Any],
        same: Counter[str],
    ) -> Iterator[Leaf]:
        if depth == len(self.parameters):
            yield self._leaf(index, path_index, values)
            return
        parameter = self.parameters[depth]
        key, below = parameter.key, self.below[depth]
        has_meaning = not parameter.needs or any(values[k] is not None for k in parameter.needs)
        seen: list[Any] = []
        for law, write in self._laws[depth]:
            value = law.at(draws[depth], scope) if has_meaning else None
            written = write(value, scope)
            if written in seen:
                same[parameter.place] += below
            else:
                seen.append(written)
                scope[key], values[key] = value, written
                yield from self._below(depth + 1, index, path_index, draws, scope, values, same)
            index += below
            path_index += self._path_below[depth]

    def _leaf(self, index: int, path_index: int, values: dict[str, Any]) -> Leaf:
        path: Document = {}
        flow: Document = {}
        for parameter in self.parameters:
            value = values[parameter.key]
            if value is not None:
                (path if parameter.is_of_path else flow)[parameter.slot.field.name] = value
        return Leaf(path, flow, index, path_index)


@dataclass(frozen=True)
class Endpoints:
    """A stack, and the packets that hosts with it send."""

    document: Document
    """As a scenario has it."""
    resolved: Document
    """Every field of it."""
    payload: int
    """Bytes of a full-size segment."""
    packet: int
    """The same with its headers."""
    least_buffer: int
    """The fewest packets of a buffer, as the stack reads it."""

    def scope(self) -> Scope:
        """What expressions find beside the fields of a cell."""
        return {
            MSS: float(self.payload),
            PACKET: float(self.packet),
            LEAST: float(self.least_buffer),
        }


def endpoints(value: Any) -> Endpoints:
    """The stack that a text as `--stack` takes, or a table of fields, means."""
    if isinstance(value, str):
        document = stacks.parse(value)
    elif isinstance(value, Mapping) or value is None:
        document = stacks.of_scenario(plain(value or {}))
    else:
        raise RequestError(f"`{value}` is neither a name, such as `linux`, nor a table", ("stack",))
    path = {"rate": "1Mbps", "rtt": "100ms"}
    whole = resolve({"path": path, "stack": document, "flows": [{"size": "1kB"}]})
    resolved = whole["stack"]
    payload, header = (_native.size_bytes(resolved[name], "1B") or 0 for name in ("mss", "header"))
    least = 2 if whole["path"]["buffer_accounting"] == "ns2" else 1
    return Endpoints(document, resolved, payload, payload + header, least)
