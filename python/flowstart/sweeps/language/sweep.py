"""A sweep: which startups, on which cells."""

import dataclasses
import functools
import os
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, product
from typing import Any, Self, TypeAlias

from flowstart.errors import RequestError
from flowstart.model import input_files
from flowstart.model.custom import CustomStartups
from flowstart.model.document import Document
from flowstart.model.perturbation import drawn
from flowstart.model.variants import Variant
from flowstart.public import RETURNED, Public
from flowstart.sweeps.cell import DRAWN_COMPANY, Cell
from flowstart.sweeps.language import document as documents
from flowstart.sweeps.language import sampling
from flowstart.sweeps.language.document import Request, Sample
from flowstart.sweeps.language.named import named_file
from flowstart.sweeps.language.parameters import Endpoints, Leaf, Walk
from flowstart.sweeps.language.sampling import PARTS, Coordinate

SEEDS = "seeds"
"""What `collapsed` calls seeds that made no difference."""
FAMILY, SOURCE = "paths", "source"
"""The coordinates by which a family is drawn, and a path known by name or of a capture."""
MOST_CELLS = 10**9
WALKS_KEPT = 256
"""Thousands of networks of a capture would take their memory."""


@dataclass(frozen=True)
class Block:
    """The cells of one walk: those of a drawn path, or of a grid over one kind of path."""

    walk: Walk
    draws: Sequence[float]
    """A coordinate for each parameter."""
    origin: str
    path: int
    """The number of its first path."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where cells are: a path, its flow and their endpoints."""

    leaf: Leaf
    stack: Endpoints
    path: int
    """The number of the path."""
    origin: str


@dataclass(frozen=True)
class Sweep(metaclass=Public):
    """Startups, and the cells on which each of them is asked for.

    Where paths are drawn, each draw is a path, with as many cells as lists and the other
    dimensions make of it; otherwise each combination of the path's values is a path.

    Attributes:
        split: Set of the cells, `train` or `test`. [all cells]
        collapsed: By parameter, the number of cells of the last iteration that it does not change,
            so that they were left out.
    """

    __signature__ = RETURNED

    request: Request
    split: str | None = None
    collapsed: Counter[str] = field(default_factory=Counter, compare=False)

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Self:
        """The sweep that a mapping describes, in the form of a sweep's file.

        Startups may be classes. Raises RequestError where anything is wrong.
        """
        return cls._checked(documents.settled(document))

    @classmethod
    def read(cls, file: str | os.PathLike[str], *, allow_python: bool = False) -> Self:
        """The sweep of a TOML file; startups in files of Python only with `allow_python`.

        Files that it names are looked for beside it.
        """
        return cls._checked(documents.read(file, allow_python=allow_python))

    @classmethod
    def _checked(cls, request: Request) -> Self:
        sweep = cls(request)
        most = request.sample.paths * max(sweep._sizes) if request.sample else sweep.count
        if most > MOST_CELLS:
            right = f"at most {MOST_CELLS} are possible"
            raise RequestError(f"the sweep has {most} cells; {right}")
        return sweep

    @property
    def document(self) -> Document:
        """What was asked, in JSON types, with what is usual filled in."""
        return self.request.document

    @property
    def variants(self) -> tuple[Variant, ...]:
        """What is compared on each cell."""
        return self.request.variants

    @property
    def custom(self) -> CustomStartups:
        """The startups that are not in the catalog."""
        return self.request.custom

    def with_stack(self, fields: Mapping[str, Any]) -> Self:
        """The same cells with these fields in every stack."""
        request = documents.with_stack(self.request, fields)
        return dataclasses.replace(self, request=request, collapsed=Counter())

    def only(self, split: str) -> Self:
        """The cells of one set alone: `train` or `test`."""
        if self.request.split is None:
            raise RequestError(f"split `{split}`: the sweep has no `[split]`")
        if split not in PARTS:
            raise RequestError(f"split `{split}`: there are {' and '.join(PARTS)}")
        return dataclasses.replace(self, split=split, collapsed=Counter())

    @functools.cached_property
    def count(self) -> int:
        """How many cells of all parts there are, those that collapse included."""
        sample, sizes = self.request.sample, self._sizes
        if sample is None:
            return sum(self._size(block.walk) for block in self._grids())
        if len(set(sizes)) == 1:
            return sample.paths * sizes[0]
        return sum(sizes[self._family(path)] for path in range(sample.paths))

    @functools.cached_property
    def _sizes(self) -> list[int]:
        """By family, the cells of a drawn path."""
        families = self.request.families
        return [self._size(Walk(f.parameters(f.sources[0]))) for f in families]

    def cells(self) -> Iterator[Cell]:
        """The cells one after the other, each question once."""
        first = 0
        same: Counter[str] = Counter()
        sample = self.request.sample
        for block in self._drawn_blocks(sample) if sample else self._grids():
            yield from self._of_block(block, first, same)
            first += self._size(block.walk)
        self.collapsed.clear()
        for name, count in same.items():
            self.collapsed[name] = count * (1 if name == SEEDS else self._below_leaf)

    def _size(self, walk: Walk) -> int:
        """The cells of a walk, those that collapse included."""
        return len(self.request.stacks) * walk.count * self._below_leaf

    @functools.cached_property
    def _below_leaf(self) -> int:
        """The cells of a path, a flow and a stack."""
        return len(self.request.avoidances) * len(self.request.competing) * self.request.seeds.count

    def _of_block(self, block: Block, first: int, same: Counter[str]) -> Iterator[Cell]:
        if self.request.sample and not self._wants(block.path):
            return
        for index, stack in enumerate(self.request.stacks):
            begin = first + index * block.walk.count * self._below_leaf
            for leaf in block.walk.leaves(block.draws, stack.scope(), same):
                path = block.path if self.request.sample else block.path + leaf.path_place
                if self._wants(path):
                    number = begin + leaf.place * self._below_leaf
                    yield from self._of_place(Place(leaf, stack, path, block.origin), number, same)

    def _wants(self, path: int) -> bool:
        """Whether a path is of the set asked for."""
        return self.split is None or self._part(path) == self.split

    def _part(self, path: int) -> str:
        return self.request.split.part(path) if self.request.split else ""

    def _of_place(self, setup: Place, number: int, same: Counter[str]) -> Iterator[Cell]:
        """The cells of a path, a flow and a stack."""
        leaf, stack = setup.leaf, setup.stack
        part = self._part(setup.path)
        seeds = self.request.seeds.of(setup.path, part)
        resolved = {"path": leaf.path, "stack": stack.resolved, "flows": [leaf.flow]}
        is_same = len(seeds) > 1 and not drawn(resolved)
        for cc, competing in product(self.request.avoidances, self.request.competing):
            once = is_same and competing not in DRAWN_COMPANY
            if once:
                same[SEEDS] += len(seeds) - 1
            for repeat, seed in enumerate(seeds[:1] if once else seeds):
                yield Cell(
                    number + repeat,
                    leaf.path,
                    leaf.flow,
                    stack.document,
                    cc,
                    competing,
                    seed,
                    part,
                    setup.origin,
                )
            number += len(seeds)

    def _grids(self) -> Iterator[Block]:
        """A grid for each path that cells are made from."""
        path = 0
        for family in self.request.families:
            for source in family.sources:
                parameters = [parameter.in_grid() for parameter in family.parameters(source)]
                walk = Walk(parameters)
                yield Block(walk, [0.0] * len(parameters), source.origin, path)
                path += walk.path_count

    def _drawn_blocks(self, sample: Sample) -> Iterator[Block]:
        """A block for each drawn path."""
        coordinates = self._coordinates
        families = self.request.families
        which_source = [_chooser([s.weight for s in family.sources]) for family in families]

        @functools.lru_cache(maxsize=WALKS_KEPT)
        def prepared(number: int, index: int) -> tuple[str, Walk, Sequence[Coordinate]]:
            family = families[number]
            source = family.sources[index]
            parameters = family.parameters(source)
            own = [coordinates[p.place] if p.draws else _undrawn for p in parameters]
            return source.origin, Walk(parameters), own

        for path in range(sample.paths):
            number = self._family(path)
            choose = which_source[number]
            index = choose(coordinates[SOURCE](path)) if SOURCE in coordinates else 0
            origin, walk, own = prepared(number, index)
            yield Block(walk, [coordinate(path) for coordinate in own], origin, path)

    @functools.cached_property
    def _family(self) -> Callable[[int], int]:
        """The number of a path's family."""
        if len(self.request.families) == 1:
            return lambda _: 0
        choose = _chooser([family.weight for family in self.request.families])
        coordinate = self._coordinates[FAMILY]
        return lambda path: choose(coordinate(path))

    @functools.cached_property
    def _coordinates(self) -> dict[str, Coordinate]:
        """The coordinates of all that is drawn."""
        sample, families = self.request.sample, self.request.families
        if sample is None:
            return {}
        names = [FAMILY] if len(families) > 1 else []
        if any(len(family.sources) > 1 for family in families):
            names.append(SOURCE)
        for family in families:
            parameters = family.parameters(family.sources[0])
            names += [p.place for p in parameters if p.draws and p.place not in names]
        return sampling.coordinates(sample.method, sample.seed, sample.paths, names)


def _undrawn(path: int) -> float:  # noqa: ARG001
    """The coordinate of what is not drawn."""
    return 0.0


def _chooser(weights: Sequence[float]) -> Callable[[float], int]:
    """Which of several has a coordinate, by their weights."""
    ends = list(accumulate(weights))
    return lambda u: min(bisect_right(ends, u * ends[-1]), len(ends) - 1)


SweepLike: TypeAlias = Sweep | Mapping[str, Any] | str | os.PathLike[str]
"""A sweep; what its file says, as a mapping; its file; or the name of one that ships."""


def read(setting: SweepLike, *, allow_python: bool = False) -> Sweep:
    """The sweep that is meant, checked."""
    if isinstance(setting, Sweep):
        return setting
    if isinstance(setting, Mapping):
        return Sweep.of(setting)
    right = "an fs.Sweep, its fields as a mapping, or the name of a sweep or its file"
    file = named_file(str(input_files.path_of(setting, right)))
    try:
        return Sweep.read(file, allow_python=allow_python)
    except RequestError as error:
        message = str(error)
        raise RequestError(
            message if message.startswith(f"{file}: ") else f"{file}: {message}"
        ) from None
