"""Laws: what a parameter is in each cell, worked out from a coordinate and the cell's other fields.

A law turns a coordinate from 0 to 1 into a value by its inverse distribution function; in a grid it
stands for some points. What it draws is rounded to four significant digits, so that a path can be
told and typed; its bounds are kept.
"""

import abc
import math
import statistics
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flowstart.model.quantities import Kind
from flowstart.sweeps.language import expressions
from flowstart.sweeps.language.expressions import Expression, Scope

USUAL_STEPS = 5
_STANDARD = statistics.NormalDist()
_LEAST_SHARE = 1e-12
"""No quantile is nearer to 0 or 1 than this."""


class Law(abc.ABC):
    """What a parameter is: a value in base units, or a plain one; None where it is left out."""

    @abc.abstractmethod
    def at(self, u: float, scope: Scope) -> Any:
        """The value at a coordinate in a cell."""

    def parts(self) -> Sequence["Law"]:
        """The laws that it is made of."""
        return ()

    def with_parts(self) -> Iterator["Law"]:
        """It and all that it is made of."""
        yield self
        for part in self.parts():
            yield from part.with_parts()

    def points(self) -> tuple["Law", ...]:
        """What stands for it in a grid."""
        return (self,)

    @property
    def draws(self) -> bool:
        """Whether the coordinate makes a difference."""
        return any(part.draws for part in self.parts())

    @property
    def names(self) -> frozenset[str]:
        """The fields of the cell that it depends on."""
        return frozenset[str]().union(*(part.names for part in self.parts()))

    @property
    def quantities(self) -> frozenset[str]:
        """Those of them whose values it computes with."""
        return frozenset[str]().union(*(part.quantities for part in self.parts()))

    @property
    def in_packets(self) -> bool:
        """Of sizes: whether it speaks of packets or BDPs."""
        return any(part.in_packets for part in self.parts())

    @property
    def kind(self) -> Kind | None:
        """What it measures; None for plain values."""
        kinds = (part.kind for part in self.parts())
        return next((kind for kind in kinds if kind), None)

    @property
    def may_be_left_out(self) -> bool:
        """Whether there may be no value."""
        return any(part.may_be_left_out for part in self.parts())

    @property
    def plain_values(self) -> list[Any] | None:
        """The values there may be, where they are plain ones that can be listed."""
        listed = [part.plain_values for part in self.parts()]
        if not listed or None in listed:
            return None
        return [value for values in listed for value in values or ()]


@dataclass(frozen=True)
class Plain(Law):
    """A value that is handed on as it is."""

    value: Any

    def at(self, u: float, scope: Scope) -> Any:
        return self.value

    @property
    def may_be_left_out(self) -> bool:
        return self.value is None

    @property
    def plain_values(self) -> list[Any]:
        return [self.value]


@dataclass(frozen=True)
class Computed(Law):
    """What an expression works out to."""

    expression: Expression

    def at(self, u: float, scope: Scope) -> float:
        return self.expression.at(scope)

    @property
    def names(self) -> frozenset[str]:
        return self.expression.names

    @property
    def quantities(self) -> frozenset[str]:
        return self.expression.names

    @property
    def in_packets(self) -> bool:
        return self.expression.in_packets

    @property
    def kind(self) -> Kind:
        return self.expression.kind


@dataclass(frozen=True)
class Point(Law):
    """A law at a fixed coordinate: one of its points in a grid."""

    law: Law
    u: float

    def at(self, u: float, scope: Scope) -> Any:
        return self.law.at(self.u, scope)

    def parts(self) -> Sequence[Law]:
        return (self.law,)

    @property
    def draws(self) -> bool:
        return False


@dataclass(frozen=True)
class Range(Law):
    """Uniform between two bounds, or their logarithms; in a grid evenly spaced, bounds included."""

    low: Law
    high: Law
    is_log: bool
    steps: int

    def at(self, u: float, scope: Scope) -> float:
        low, high = self.low.at(u, scope), self.high.at(u, scope)
        if self.is_log:
            value = low * (high / low) ** u if low > 0 and high > 0 else math.nan
        else:
            value = low + (high - low) * u
        return _bounded(_rounded(value), min(low, high), max(low, high))

    def parts(self) -> Sequence[Law]:
        return self.low, self.high

    def points(self) -> tuple[Law, ...]:
        if self.steps == 1:
            return (Point(self, 0.5),)
        return tuple(Point(self, step / (self.steps - 1)) for step in range(self.steps))

    @property
    def draws(self) -> bool:
        return True


@dataclass(frozen=True)
class Family:
    """A family of distributions: its parameters, quantiles and distribution function."""

    parameters: Mapping[str, bool]
    """Each with whether it has the variable's unit; otherwise it is a number."""
    quantile: Callable[..., float]
    share: Callable[..., float]


FAMILIES = {
    "lognormal": Family(
        {"median": True, "sigma": False},
        lambda u, median, sigma: median * math.exp(sigma * _STANDARD.inv_cdf(u)),
        lambda x, median, sigma: _STANDARD.cdf(math.log(x / median) / sigma) if x > 0 else 0.0,
    ),
    "normal": Family(
        {"mean": True, "sd": True},
        lambda u, mean, sd: mean + sd * _STANDARD.inv_cdf(u),
        lambda x, mean, sd: _STANDARD.cdf((x - mean) / sd),
    ),
    "exponential": Family(
        {"mean": True},
        lambda u, mean: -mean * math.log1p(-u),
        lambda x, mean: -math.expm1(-max(x, 0.0) / mean),
    ),
    "pareto": Family(
        {"scale": True, "shape": False},
        lambda u, scale, shape: scale * (1 - u) ** (-1 / shape),
        lambda x, scale, shape: 1 - (scale / x) ** shape if x > scale else 0.0,
    ),
}


@dataclass(frozen=True)
class Drawn(Law):
    """One of a family of distributions; within bounds, as if drawn again until it is there."""

    family: Family
    given: tuple[Law, ...]
    within: tuple[Law, Law] | None
    steps: int

    def at(self, u: float, scope: Scope) -> float:
        arguments = [law.at(u, scope) for law in self.given]
        low, high = -math.inf, math.inf
        if self.within:
            low, high = (law.at(u, scope) for law in self.within)
            first, last = (self.family.share(x, *arguments) for x in (low, high))
            u = first + u * (last - first)
        u = _bounded(u, _LEAST_SHARE, 1 - _LEAST_SHARE)
        return _bounded(_rounded(self.family.quantile(u, *arguments)), low, high)

    def parts(self) -> Sequence[Law]:
        return (*self.given, *(self.within or ()))

    def points(self) -> tuple[Law, ...]:
        return _quantiles(self, self.steps)

    @property
    def draws(self) -> bool:
        return True

    @property
    def kind(self) -> Kind | None:
        return self.given[0].kind


@dataclass(frozen=True)
class Piecewise(Law):
    """A distribution by points, with straight lines between; the first value below the first."""

    values: tuple[Law, ...]
    shares: tuple[float, ...]
    """Of draws up to each value."""
    steps: int

    def at(self, u: float, scope: Scope) -> float:
        behind = bisect_right(self.shares, u)
        if behind == 0 or behind == len(self.shares):
            return float(self.values[min(behind, len(self.shares) - 1)].at(u, scope))
        low, high = (law.at(u, scope) for law in self.values[behind - 1 : behind + 1])
        first, last = self.shares[behind - 1 : behind + 1]
        value = low + (high - low) * (u - first) / (last - first)
        return _bounded(_rounded(value), low, high)

    def parts(self) -> Sequence[Law]:
        return self.values

    def points(self) -> tuple[Law, ...]:
        return _quantiles(self, self.steps)

    @property
    def draws(self) -> bool:
        return True


@dataclass(frozen=True)
class Mixture(Law):
    """One of several laws or values by their weights; in a grid the points of each."""

    laws: tuple[Law, ...]
    weights: tuple[float, ...]

    def at(self, u: float, scope: Scope) -> Any:
        rest = u * math.fsum(self.weights)
        for law, weight in zip(self.laws[:-1], self.weights, strict=False):
            if rest < weight:
                return law.at(rest / weight, scope)
            rest -= weight
        weight = self.weights[-1]
        return self.laws[-1].at(min(rest / weight, 1.0) if weight else 1.0, scope)

    def parts(self) -> Sequence[Law]:
        return self.laws

    def points(self) -> tuple[Law, ...]:
        return tuple(point for law in self.laws for point in law.points())

    @property
    def draws(self) -> bool:
        return True


@dataclass(frozen=True)
class By(Law):
    """Another law for each value of another field."""

    name: str
    cases: Mapping[str, Law]
    otherwise: Law

    def at(self, u: float, scope: Scope) -> Any:
        full, named = spellings(scope[self.name])
        return self.cases.get(full, self.cases.get(named, self.otherwise)).at(u, scope)

    def parts(self) -> Sequence[Law]:
        return (*self.cases.values(), self.otherwise)

    def points(self) -> tuple[Law, ...]:
        points = {value: law.points() for value, law in self.cases.items()}
        otherwise = self.otherwise.points()
        most = max(len(laws) for laws in (*points.values(), otherwise))
        # Cases with fewer points repeat the last one, which collapses.
        return tuple(
            By(
                self.name,
                {value: laws[min(i, len(laws) - 1)] for value, laws in points.items()},
                otherwise[min(i, len(otherwise) - 1)],
            )
            for i in range(most)
        )

    @property
    def names(self) -> frozenset[str]:
        return super().names | {self.name}


@dataclass(frozen=True)
class BoundedLaw(Law):
    """A law whose values are no less and no more than bounds."""

    law: Law
    least: Law | None
    most: Law | None

    def at(self, u: float, scope: Scope) -> Any:
        value = self.law.at(u, scope)
        if not isinstance(value, float):
            return value
        if self.least:
            value = max(value, self.least.at(u, scope))
        return min(value, self.most.at(u, scope)) if self.most else value

    def parts(self) -> Sequence[Law]:
        return tuple(law for law in (self.law, self.least, self.most) if law)

    def points(self) -> tuple[Law, ...]:
        return tuple(BoundedLaw(point, self.least, self.most) for point in self.law.points())


@dataclass(frozen=True)
class Template(Law):
    """Text with what a law gives in place of `{}`."""

    law: Law
    text: str

    def at(self, u: float, scope: Scope) -> Any:
        value, kind = self.law.at(u, scope), self.law.kind
        if isinstance(value, float) and kind:
            value = expressions.written(kind, value)
        return None if value is None else self.text.replace("{}", str(value))

    def parts(self) -> Sequence[Law]:
        return (self.law,)

    def points(self) -> tuple[Law, ...]:
        return tuple(Template(point, self.text) for point in self.law.points())

    @property
    def kind(self) -> None:
        return None

    @property
    def plain_values(self) -> None:
        return None


@dataclass(frozen=True)
class Multiple(Law):
    """A value of a path times a factor."""

    value: Law
    factor: Law

    def at(self, u: float, scope: Scope) -> float:
        return _rounded(self.value.at(u, scope) * self.factor.at(u, scope))

    def parts(self) -> Sequence[Law]:
        return self.value, self.factor

    def points(self) -> tuple[Law, ...]:
        return tuple(Multiple(self.value, point) for point in self.factor.points())

    @property
    def kind(self) -> Kind | None:
        return self.value.kind


def spellings(value: Any) -> tuple[str, str]:
    """A plain value as a case names it: in full, and without its parameters."""
    full = str(value).lower() if isinstance(value, bool) else str(value)
    return full, full.partition(":")[0]


def _quantiles(law: Law, steps: int) -> tuple[Law, ...]:
    """The middles of as many equally likely parts."""
    return tuple(Point(law, (step + 0.5) / steps) for step in range(steps))


def _rounded(value: float) -> float:
    """To four significant digits."""
    return float(f"{value:.4g}")


def _bounded(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)
