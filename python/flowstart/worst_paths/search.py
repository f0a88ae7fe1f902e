"""A search for points with a high score: at random first, then near the best.

After CC-Fuzz (Ray and Seshan, "CC-Fuzz: Genetic Algorithm-Based Fuzzing for Stress Testing
Congestion Control Algorithms", HotNets 2022), within ranges that a path can have.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flowstart.worst_paths.space import Point, Space

RANDOM_SHARE = 0.5
"""Of all tries so many are drawn anywhere; the others lie near the best found so far."""
AT_ONCE = 16
"""Points whose scores are asked for together."""
FIRST_STEP, LAST_STEP = 0.2, 0.02
"""How far a mutation goes, in shares of a dimension's logarithmic range, at first and at last."""
KEPT = 64
"""So many points are kept while the search goes on, each the best of those with its ingredients."""

FAVOUR = 4.0
"""The first quarter of the points kept has two thirds of the mutations."""

Score = Callable[[Sequence[Point]], Sequence[float]]
"""The scores of points; the search looks for the greatest."""


@dataclass(frozen=True)
class Found:
    """A point and its score."""

    point: Point
    score: float


def search(
    space: Space,
    score: Score,
    *,
    tries: int,
    drawn: random.Random,
    progress: Callable[[int, int], object] = lambda _done, _total: None,
) -> list[Found]:
    """The best point of each set of ingredients, of so many tries, the greatest score first."""
    found: list[Found] = []
    at_random = max(1, round(tries * RANDOM_SHARE))
    done = 0
    while done < tries:
        count = min(AT_ONCE, tries - done)
        if done < at_random or not found:
            points = [space.draw(drawn) for _ in range(count)]
        else:
            step = _step((done - at_random) / max(1, tries - at_random))
            points = [_near(space, found, step, drawn) for _ in range(count)]
        scored = map(Found, points, score(points))
        found = best([*found, *scored])
        done += count
        progress(done, tries)
    return found


def best(found: Sequence[Found]) -> list[Found]:
    """The best of each set of ingredients, the greatest score first."""
    kept: dict[frozenset[str], Found] = {}
    for one in sorted(found, key=lambda one: -one.score):
        kept.setdefault(frozenset(one.point.coordinates), one)
    return list(kept.values())[:KEPT]


def _step(progress: float) -> float:
    """Steps shrink geometrically as the search goes on."""
    return float(FIRST_STEP * (LAST_STEP / FIRST_STEP) ** progress)


def _near(space: Space, found: Sequence[Found], step: float, drawn: random.Random) -> Point:
    """A mutation of one of the best: the better one is, the more often it is taken."""
    rank = min(int(drawn.expovariate(FAVOUR / len(found))), len(found) - 1)
    return space.mutated(found[rank].point, step, drawn)
