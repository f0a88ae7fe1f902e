"""Coordinates of paths: a number from 0 to 1 for each path and each parameter that is drawn.

A coordinate depends on the seed, the path's number and the parameter's name alone, so that
another parameter, another startup or another order changes nothing. (In `halton` a parameter's
place among those drawn gives the base of its sequence: one that comes behind the others leaves them
as they are.)

`random` draws each by itself. `halton` is the randomised Halton sequence (Halton 1960; Owen, "A
randomized Halton algorithm in R", 2017): each parameter has a prime base and random permutations
of its digits. `latin-hypercube` puts one path into each of as many equal strata of every
parameter as there are paths (McKay, Beckman and Conover 1979).
"""

import hashlib
import itertools
import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from flowstart.errors import RequestError
from flowstart.model.catalog import suggest

Coordinate: TypeAlias = Callable[[int], float]
"""The coordinate of a path by its number, from 0 to below 1."""

METHODS = ("random", "halton", "latin-hypercube")
_BITS = 64
_RESOLUTION = 40
"""The binary digits of a coordinate of `halton`."""


def coordinates(method: str, seed: int, paths: int, names: Sequence[str]) -> dict[str, Coordinate]:
    """The coordinates of each parameter in `names`."""
    if method not in METHODS:
        raise RequestError(
            f"`{method}` is unknown{suggest(method, list(METHODS))}", ("sample", "method")
        )
    if method == "halton":
        bases = zip(names, _primes(), strict=False)
        return {name: _halton(base, _stream(seed, name)) for name, base in bases}
    if method == "latin-hypercube":
        return {name: _latin(paths, seed, name) for name in names}
    return {name: uniform(seed, name) for name in names}


def uniform(seed: int, name: str) -> Coordinate:
    """Independent coordinates, each from a hash of its own."""
    keyed = hashlib.blake2b(f"{seed}/{name}".encode(), digest_size=8)

    def at(number: int) -> float:
        hashed = keyed.copy()
        hashed.update(number.to_bytes(8, "little"))
        return (int.from_bytes(hashed.digest(), "little") >> 11) / 2**53

    return at


def _stream(seed: int, name: str) -> random.Random:
    """Random numbers of a parameter's own."""
    return random.Random(f"{seed}/{name}")


def _primes() -> Iterator[int]:
    return (n for n in itertools.count(2) if all(n % d for d in range(2, math.isqrt(n) + 1)))


def _halton(base: int, drawn: random.Random) -> Coordinate:
    """The radical inverse of a path's number, its digits permuted place by place."""
    places = math.ceil(_RESOLUTION / math.log2(base))
    worth: list[list[float]] = []
    for position in range(1, places + 1):
        digits = list(range(base))
        drawn.shuffle(digits)
        worth.append([digit / base**position for digit in digits])
    # What the digits behind the number's own, all zero, add up to; and half of the last place.
    zeros = itertools.accumulate((w[0] for w in reversed(worth)), initial=0.5 / base**places)
    rest: list[float] = list(zeros)[::-1]

    def at(number: int) -> float:
        total, position = 0.0, 0
        while number:
            number, digit = divmod(number, base)
            total += worth[position][digit]
            position += 1
        return total + rest[position]

    return at


def _latin(paths: int, seed: int, name: str) -> Coordinate:
    """A random place within the stratum that is this path's alone."""
    within = uniform(seed, name)
    stratum = permutation(paths, seed, name)
    return lambda number: (stratum(number) + within(number)) / paths


def permutation(size: int, seed: int, name: str) -> Callable[[int], int]:
    """A random permutation of the numbers below `size` that takes no memory.

    A Feistel network over the next even power of two, applied again until the result is below
    `size` (Black and Rogaway 2002).
    """
    half = max(1, math.ceil(math.log2(max(size, 2)) / 2))
    mask = (1 << half) - 1
    keys = [_stream(seed, f"{name}/{turn}").getrandbits(_BITS) | 1 for turn in range(4)]

    def at(number: int) -> int:
        while True:
            left, right = number >> half, number & mask
            for key in keys:
                mixed = (right + 1) * key & 0xFFFF_FFFF_FFFF_FFFF
                left, right = right, left ^ ((mixed ^ mixed >> 29) * key >> 32 & mask)
            number = left << half | right
            if number < size:
                return number

    return at


TRAIN, TEST = PARTS = ("train", "test")
APART = 1_000_000
"""Difference between the seeds of the two, where the sweep lists its seeds."""


@dataclass(frozen=True)
class Split:
    """Which part a path belongs to: by its number, whatever else the sweep says."""

    train: float
    """The share of the training set."""
    seed: int
    """That of the sample."""

    def part(self, path: int) -> str:
        """The part of a path."""
        return TRAIN if uniform(self.seed, "split")(path) < self.train else TEST


@dataclass(frozen=True)
class Seeds:
    """The seeds of a path's scenarios."""

    count: int = 1
    listed: Sequence[int] | None = None
    """The seeds of every path; None for seeds of each path's own.

    With those of its own, what happens by chance on one path says nothing of another.
    """

    def of(self, path: int, part: str) -> Sequence[int]:
        """Those of a path; others in the test set."""
        if self.listed is None:
            first = path * self.count + 1
            return range(first, first + self.count)
        return [seed + APART * (part == TEST) for seed in self.listed]
