"""The walk through all values that the parameters of one kind of path take.

It goes down parameter by parameter, each behind those it depends on, and works a value out once for
all cells below it. Where a parameter comes to the same value a second time, the cells below
are those below the first one, so the walk leaves them out and counts them. That finds every
pair of equal cells: in two of them each parameter has the same value, and so it had under the
alternative of the other. Nothing is remembered but the way down.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from flowstart.model.document import Document
from flowstart.sweeps.language.expressions import Scope
from flowstart.sweeps.language.parameters import Parameter


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

    def __init__(self, parameters: Sequence[Parameter]) -> None:
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
        place: int,
        path_place: int,
        draws: Sequence[float],
        scope: Scope,
        values: dict[str, Any],
        same: Counter[str],
    ) -> Iterator[Leaf]:
        if depth == len(self.parameters):
            yield self._leaf(place, path_place, values)
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
                yield from self._below(depth + 1, place, path_place, draws, scope, values, same)
            place += below
            path_place += self._path_below[depth]

    def _leaf(self, place: int, path_place: int, values: dict[str, Any]) -> Leaf:
        path: Document = {}
        flow: Document = {}
        for parameter in self.parameters:
            value = values[parameter.key]
            if value is not None:
                (path if parameter.is_of_path else flow)[parameter.slot.field.name] = value
        return Leaf(path, flow, place, path_place)
