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
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from flowstart.errors import RequestError
from flowstart.model import units
from flowstart.model.catalog import suggest
from flowstart.model.units import BITS_PER_BYTE, NS_PER_S, Kind

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

_TOKEN = re.compile(
    rf"\s*(?:(?P<number>{units.NUMBER})\s*(?P<unit>[kKMGT]?bit/s|%|[A-Za-zµμ]+)?"
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


def parse(text: str, place: str, names: Names, packet: str = PACKET) -> Expression:
    """Reads an expression that stands at `place`; `packet` says which packets `pkt` counts."""
    return _Parser(text, place, names, packet).whole()


class _Parser:
    """Reads one expression from left to right."""

    def __init__(self, text: str, place: str, names: Names, packet: str) -> None:
        self.text = text
        self.place = place
        self.known = names
        self.packet = packet
        self.tokens = self._tokens()
        self.depth = 0

    def wrong(self, problem: str) -> RequestError:
        return RequestError(f"{self.place}: `{self.text}`: {problem}")

    def _tokens(self) -> list[re.Match[str]]:
        """The tokens, the last one first."""
        found: list[re.Match[str]] = []
        at = 0
        text = self.text.rstrip()
        while at < len(text):
            if len(found) == LONGEST:
                problem = f"more than {LONGEST} numbers, names and signs"
                raise RequestError(f"{self.place}: `{self.text[:40]}...`: {problem}")
            token = _TOKEN.match(text, at)
            if token is None:
                raise self.wrong(f"`{text[at:].strip()[0]}` has no meaning here")
            found.append(token)
            at = token.end()
        return found[::-1]

    def whole(self) -> Expression:
        found = self.sum()
        if self.tokens:
            raise self.wrong(f"`{self.tokens[-1][0].strip()}` follows a complete expression")
        return found

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
        found = (_PRODUCTS if sign == "*" else _QUOTIENTS).get((left, right))
        if found is None and sign == "/" and left == right:
            found = Kind.NUMBER, 1.0
        if found is None:
            verb = "multiplied with" if sign == "*" else "divided by"
            raise self.wrong(f"{left.value} cannot be {verb} {right.value}")
        return found

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
        found = self._factor()
        self.depth -= 1
        return found

    def _factor(self) -> Expression:
        if self.takes("-"):
            part = self.factor()
            at = part.at
            return _joined(part.kind, lambda scope: -at(scope), part)
        if self.takes("("):
            found = self.sum()
            self.needs(")")
            return found
        token = self.tokens.pop()
        if token["sign"]:
            raise self.wrong(f"something is missing before `{token['sign']}`")
        return self.quantity(token) if token["number"] else self.name(token["name"])

    def quantity(self, token: re.Match[str]) -> Expression:
        number, unit = float(token["number"]), token["unit"] or ""
        if unit not in units.UNITS:
            near = f"; write `{token['number']}*{unit}`" if unit in self.known else ""
            raise self.wrong(f"`{unit}` is no unit{near}")
        lowered = unit.lower()
        if lowered == units.BDPS:
            bdp = self.bdp().at
            return Expression(Kind.SIZE, lambda scope: bdp(scope) * number, _BDP_OF, True)
        if lowered.startswith(units.PACKETS):
            packet = self.packet
            return Expression(Kind.SIZE, lambda scope: number * scope[packet], in_packets=True)
        meant = units.UNITS[unit]
        value = number * meant.scale
        return Expression(meant.kind, lambda _: value)

    def name(self, name: str) -> Expression:
        if name in ("min", "max"):
            return self.extreme(name)
        if name == units.BDPS:
            return self.bdp()
        if name not in self.known:
            raise self.wrong(f"there is no `{name}` in this cell{suggest(name, self.offered())}")
        meant = self.known[name]
        if meant.kind is None:
            raise self.wrong(f"`{name}` is no quantity")
        at: Callable[[Scope], float] = operator.itemgetter(name)
        return Expression(meant.kind, at, frozenset((name,)), meant.in_packets)

    def offered(self) -> list[str]:
        """What may be named here."""
        quantities_here = [name for name, meant in self.known.items() if meant.kind]
        bdp = [units.BDPS] if {"rate", "rtt"} <= self.known.keys() else []
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
