"""Expressions in place of values: `max(10pkt, 0.5bdp)`, `rate/10`, `2*rtt`.

    expression = term  { ("+" | "-") term }
    term       = factor { ("*" | "/") factor }
    factor     = "-" factor | "(" expression ")" | ("min" | "max") "(" expression, ... ")"
               | number [unit] | name

Names are other fields of the cell, and `bdp`. Everything has a dimension, which is checked when the
expression is read; values are in the base units of `units`.
"""

import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from flowstart.errors import Location, RequestError
from flowstart.model import definitions, quantities
from flowstart.model.catalog import suggest
from flowstart.model.document import resolve
from flowstart.model.quantities import BITS_PER_BYTE, NS_PER_S, Kind

Scope: TypeAlias = dict[str, Any]
"""What the fields of a cell are, in base units, and the bytes of its packets (`PACKET`, `MSS`)."""


@dataclass(frozen=True)
class Meaning:
    """What a name stands for."""

    kind: Kind | None
    """None for what is no quantity."""
    in_packets: bool = False
    """Of a size: whether what is made of it counts in packets, as buffers do."""


Names: TypeAlias = Mapping[str, Meaning]
"""What an expression may name."""

PACKET = "full-size packet"
"""The bytes of a full-size packet in a scope, headers included."""
MSS = "segment's payload"
"""The bytes of payload in a full-size segment."""
DEEPEST = 20
"""Parentheses within each other."""
LONGEST = 200
"""Numbers, names and signs."""

NUMBER = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_TOKEN = re.compile(
    rf"\s*(?:(?P<number>{NUMBER})\s*(?P<unit>[kKMGT]?bit/s|%|[A-Za-zµμ]+)?"
    r"|(?P<name>[A-Za-z_]\w*)|(?P<sign>[-+*/(),]))"
)
_BIT_TIME = BITS_PER_BYTE * NS_PER_S


@dataclass(frozen=True)
class Expression:
    """What a text works out to in a cell."""

    kind: Kind
    at: Callable[[Scope], float]
    names: frozenset[str] = frozenset()
    """The fields that it depends on."""
    in_packets: bool = False
    """Of a size: whether it speaks of packets or BDPs rather than of bytes."""


def parse(text: str, location: Location, names: Names, packet: str = PACKET) -> Expression:
    """Reads the expression at `location`; `packet` says which packets `pkt` counts."""
    return _Parser(text, location, names, packet).whole()


class _Parser:
    """Reads one expression from left to right."""

    def __init__(self, text: str, location: Location, names: Names, packet: str) -> None:
        self.text = text
        self.place = location
        self.known = names
        self.packet = packet
        self.tokens = self._tokens()
        self.depth = 0

    def wrong(self, problem: str) -> RequestError:
        return RequestError(f"`{self.text}`: {problem}", self.place)

    def _tokens(self) -> list[re.Match[str]]:
        """The tokens, the last one first."""
        tokens: list[re.Match[str]] = []
        at = 0
        text = self.text.rstrip()
        while at < len(text):
            if len(tokens) == LONGEST:
                problem = f"more than {LONGEST} numbers, names and signs"
                raise RequestError(f"`{self.text[:40]}...`: {problem}", self.place)
            token = _TOKEN.match(text, at)
            if token is None:
                raise self.wrong(f"`{text[at:].strip()[0]}` has no meaning here")
            tokens.append(token)
            at = token.end()
        return tokens[::-1]

    def whole(self) -> Expression:
        expression = self.sum()
        if self.tokens:
            raise self.wrong(f"`{self.tokens[-1][0].strip()}` follows a complete expression")
        return expression

    def takes(self, signs: str) -> str | None:
        """The next token where it is one of these signs."""
        if self.tokens and (sign := self.tokens[-1]["sign"]) and sign in signs:
            self.tokens.pop()
            return str(sign)
        return None

    def needs(self, sign: str) -> None:
        if not self.takes(sign):
            raise self.wrong(f"a `{sign}` is missing")

    def sum(self) -> Expression:
        left = self.product()
        while sign := self.takes("+-"):
            right = self.product()
            self.same(sign, left, right)
            left = _joined(left.kind, _OPERATIONS[sign](left.at, right.at), left, right)
        return left

    def product(self) -> Expression:
        left = self.factor()
        while sign := self.takes("*/"):
            right = self.factor()
            kind, scale = self.scaled(sign, left.kind, right.kind)
            left = _joined(kind, _scaled(_OPERATIONS[sign](left.at, right.at), scale), left, right)
        return left

    def scaled(self, sign: str, left: Kind, right: Kind) -> tuple[Kind, float]:
        """What a product or a quotient measures, and what its base unit takes."""
        result = (_PRODUCTS if sign == "*" else _QUOTIENTS).get((left, right))
        if result is None and sign == "/" and left == right:
            result = Kind.NUMBER, 1.0
        if result is None:
            verb = "multiplied with" if sign == "*" else "divided by"
            raise self.wrong(f"{left.value} cannot be {verb} {right.value}")
        return result

    def same(self, what: str, *parts: Expression) -> None:
        first, *others = parts
        other = next((part for part in others if part.kind != first.kind), None)
        if other:
            raise self.wrong(
                f"`{what}` needs two of a kind, not {first.kind.value} and {other.kind.value}"
            )

    def factor(self) -> Expression:
        if not self.tokens:
            raise self.wrong("something is missing at the end")
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.wrong(f"more than {DEEPEST} parentheses within each other")
        factor = self._factor()
        self.depth -= 1
        return factor

    def _factor(self) -> Expression:
        if self.takes("-"):
            part = self.factor()
            at = part.at
            return _joined(part.kind, lambda scope: -at(scope), part)
        if self.takes("("):
            expression = self.sum()
            self.needs(")")
            return expression
        token = self.tokens.pop()
        if token["sign"]:
            raise self.wrong(f"something is missing before `{token['sign']}`")
        return self.quantity(token) if token["number"] else self.name(token["name"])

    def quantity(self, token: re.Match[str]) -> Expression:
        unit = token["unit"] or ""
        meant = quantities.read(token["number"] + unit)
        if meant is None:
            near = f"; write `{token['number']}*{unit}`" if unit in self.known else ""
            raise self.wrong(f"`{unit}` is not a unit{near}")
        number, lowered = meant.number, unit.lower()
        if lowered == quantities.BDPS:
            bdp = self.bdp().at
            return Expression(Kind.SIZE, lambda scope: bdp(scope) * number, _BDP_OF, True)
        if lowered.startswith(quantities.PACKETS):
            packet = self.packet
            return Expression(Kind.SIZE, lambda scope: number * scope[packet], in_packets=True)
        value = meant.base
        return Expression(meant.kind, lambda _: value)

    def name(self, name: str) -> Expression:
        if name in ("min", "max"):
            return self.extreme(name)
        if name == quantities.BDPS:
            return self.bdp()
        if name not in self.known:
            raise self.wrong(f"there is no `{name}` in this cell{suggest(name, self.offered())}")
        meant = self.known[name]
        if meant.kind is None:
            raise self.wrong(f"`{name}` is not a quantity")
        at: Callable[[Scope], float] = operator.itemgetter(name)
        return Expression(meant.kind, at, frozenset((name,)), meant.in_packets)

    def offered(self) -> list[str]:
        """What may be named here."""
        quantities_here = [name for name, meant in self.known.items() if meant.kind]
        bdp = [quantities.BDPS] if {"rate", "rtt"} <= self.known.keys() else []
        return [*quantities_here, *bdp, "min", "max"]

    def bdp(self) -> Expression:
        lacking = [name for name in ("rate", "rtt") if name not in self.known]
        if lacking:
            raise self.wrong(f"the path has no `{lacking[0]}`, so its BDP is not known")
        return Expression(Kind.SIZE, _bdp, _BDP_OF, True)

    def extreme(self, name: str) -> Expression:
        self.needs("(")
        parts = [self.sum()]
        while self.takes(","):
            parts.append(self.sum())
        self.needs(")")
        self.same(name, *parts)
        choose: Callable[..., float] = min if name == "min" else max
        values = [part.at for part in parts]
        return _joined(parts[0].kind, lambda scope: choose([at(scope) for at in values]), *parts)


_BDP_OF = frozenset(("rate", "rtt"))


def _bdp(scope: Scope) -> float:
    """Rate × round trip in whole bytes, as the simulator has it."""
    return float(scope["rate"] * scope["rtt"] // _BIT_TIME)


def _joined(kind: Kind, at: Callable[[Scope], float], *parts: Expression) -> Expression:
    """What is made of parts depends on all that they depend on."""
    names = frozenset[str]().union(*(part.names for part in parts))
    return Expression(kind, at, names, kind is Kind.SIZE and any(part.in_packets for part in parts))


_Value: TypeAlias = Callable[[Scope], float]
_OPERATIONS: dict[str, Callable[[_Value, _Value], _Value]] = {
    "+": lambda left, right: lambda scope: left(scope) + right(scope),
    "-": lambda left, right: lambda scope: left(scope) - right(scope),
    "*": lambda left, right: lambda scope: left(scope) * right(scope),
    "/": lambda left, right: lambda scope: _divided(left(scope), right(scope)),
}


def _divided(left: float, right: float) -> float:
    """A quotient; infinite, which no field takes, where the divisor is zero."""
    return left / right if right else math.inf


def _scaled(at: _Value, scale: float) -> _Value:
    return at if scale == 1 else lambda scope: at(scope) * scale


_PRODUCTS = {
    **{(Kind.NUMBER, kind): (kind, 1.0) for kind in Kind},
    **{(kind, Kind.NUMBER): (kind, 1.0) for kind in Kind},
    (Kind.RATE, Kind.TIME): (Kind.SIZE, 1 / _BIT_TIME),
    (Kind.TIME, Kind.RATE): (Kind.SIZE, 1 / _BIT_TIME),
}
_QUOTIENTS = {
    **{(kind, Kind.NUMBER): (kind, 1.0) for kind in Kind},
    (Kind.SIZE, Kind.RATE): (Kind.TIME, _BIT_TIME),
    (Kind.SIZE, Kind.TIME): (Kind.RATE, _BIT_TIME),
}
"""What a product, a quotient measures, and its scale; a quotient of two of a kind is a number."""


KINDS = {
    **dict.fromkeys(("Probability", "BurstLength", "f64", "u32", "u64"), Kind.NUMBER),
    "Rate": Kind.RATE,
    "Duration": Kind.TIME,
    "Amount": Kind.SIZE,
    "Bytes": Kind.SIZE,
}
"""What fields measure, by their types in Rust."""
TABLES = ("QuickStartSpec", "Delays")
"""Types whose values are tables in themselves."""


@dataclass(frozen=True)
class Slot:
    """A field of a path or a flow, in a cell with other fields."""

    part: str
    """`path` or `flow`."""
    field: definitions.Field
    names: Names
    """What expressions may name here."""

    @property
    def location(self) -> Location:
        """Where it is in a sweep."""
        return self.part, *self.field.name.split(".")

    @property
    def kind(self) -> Kind | None:
        """What it measures; None where its values are no quantities."""
        return None if self.field.is_list else KINDS.get(self.field.value)

    @property
    def is_table(self) -> bool:
        """Whether a table is a value of its, and no law."""
        return self.field.value in TABLES

    @property
    def packet(self) -> str:
        """Which packets it counts: those of a size carry so much payload."""
        return MSS if (self.part, self.field.name) == ("flow", "size") else PACKET

    def refusal(self, value: Any) -> RequestError:
        """That a value is wrong here, in the simulator's words."""
        path: dict[str, Any] = {"rate": "1Mbps", "rtt": "1ms"}
        flow: dict[str, Any] = {"size": "1kB"}
        (path if self.part == "path" else flow)[self.field.name] = value
        try:
            if "." not in self.field.name:
                resolve({"path": path, "flows": [flow]})
        except RequestError as error:
            return in_sweep(error)
        right = self.kind.value if self.kind else "another value"
        return RequestError(f"`{value}` is not what it takes; {right} is needed", self.location)


def in_sweep(error: RequestError) -> RequestError:
    """An error about the only flow of a scenario, with the sweep's field."""
    match error.location:
        case ("flows", 0):
            return error.at(())
        case ("flows", 0, *field):
            return error.at(("flow", *field))
    return error


def check_keys(location: Location, table: Mapping[str, Any], known: Sequence[str]) -> None:
    """Refuses keys of a table that mean nothing."""
    for key in table:
        if key not in known:
            hint = suggest(str(key), list(known))
            raise RequestError(f"`{key}` is unknown{hint}", (*location, str(key)))


def written(kind: Kind, value: float) -> str:
    """A quantity as a scenario has it, sizes in bytes.

    What is not finite stays what it is, for the simulator to refuse.
    """
    return _WRITERS[kind](value) if math.isfinite(value) else str(value)


def packets(count: float) -> str:
    """A number of packets as a scenario has it, rounded down."""
    return f"{math.floor(count)}pkt" if math.isfinite(count) else str(count)


def rate(bps: float) -> str:
    """A rate as a scenario has it, to the bit per second."""
    return _in_unit(round(bps), ((10**9, "Gbps"), (10**6, "Mbps"), (10**3, "kbps")), "bps")


def time(ns: float) -> str:
    """A time as a scenario has it, to the nanosecond."""
    return _in_unit(round(ns), ((10**9, "s"), (10**6, "ms"), (10**3, "us")), "ns" if ns else "s")


def size(count: float) -> str:
    """A number of bytes as a scenario has it."""
    return _in_unit(round(count), ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")), "B")


def _in_unit(whole: int, units: tuple[tuple[int, str], ...], smallest: str) -> str:
    """A whole number in the largest unit that it reaches; reading it gives the same number."""
    for scale, unit in units:
        if whole >= scale:
            return f"{number(whole / scale)}{unit}"
    return f"{whole}{smallest}"


def number(value: float) -> str:
    """A number as short as it can be written exactly."""
    return str(int(value)) if value == int(value) else repr(value)


_WRITERS = {Kind.NUMBER: number, Kind.TIME: time, Kind.RATE: rate, Kind.SIZE: size}
