"""Names beside points of a figure, none over another."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Box: TypeAlias = tuple[float, float, float, float]
"""Left, bottom, right, top."""

LETTER = 0.58
"""The mean width of a letter, in sizes of the type."""
RINGS = 14
"""How far from its point a name is tried, in lines."""
ANGLES = (0, 180, 90, 270, 35, -35, 145, -145, 65, -65, 115, -115)
"""In which directions, in degrees."""


@dataclass(frozen=True)
class Point:
    """A point and its name; lengths are in pixels."""

    x: float
    y: float
    name: str
    is_first: bool = False
    """Whether its name is placed before others'."""


@dataclass(frozen=True)
class Label:
    """A name in its place."""

    point: Point
    x: float
    """Its left end."""
    y: float
    """Its middle."""
    width: float
    height: float
    far: bool
    """Whether a line should lead to its point."""

    @property
    def box(self) -> Box:
        """The room that it takes."""
        half = self.height / 2
        return self.x, self.y - half, self.x + self.width, self.y + half

    @property
    def side(self) -> float:
        """Where along the name such a line begins: 0 is its left end, 1 its right."""
        return min(max((self.point.x - self.x) / self.width, 0.0), 1.0)


def placed(
    points: Sequence[Point], size: float, within: Box, avoided: Sequence[Box] = ()
) -> list[Label]:
    """Every name as near to its point as those before it leave room for.

    `size` is that of the type, in pixels; nothing is put over what is `avoided`. Where there is no
    room at all, a name stands beside its point, over whatever is there.
    """
    gap = 0.45 * size
    taken = [*avoided, *((p.x - gap, p.y - gap, p.x + gap, p.y + gap) for p in points)]
    found = []
    for point in sorted(points, key=lambda p: (not p.is_first, -p.y, p.x)):
        label = next(
            (
                label
                for label in _labels(point, size)
                if _inside(label.box, within) and not any(_overlap(label.box, t) for t in taken)
            ),
            next(_labels(point, size)),
        )
        taken.append(label.box)
        found.append(label)
    return found


def _labels(point: Point, size: float) -> Iterator[Label]:
    """Where a name may stand, the nearest first: to the right, to the left, above, below."""
    width = LETTER * size * len(point.name)
    for ring in range(RINGS):
        away = (0.8 + 0.9 * ring) * size
        for angle in ANGLES:
            dx, dy = math.cos(math.radians(angle)), math.sin(math.radians(angle))
            left = point.x + away * dx - width * (1 - dx) / 2
            yield Label(point, left, point.y + away * dy, width, 1.15 * size, far=ring > 1)


def _inside(box: Box, other: Box) -> bool:
    return box[0] >= other[0] and box[1] >= other[1] and box[2] <= other[2] and box[3] <= other[3]


def _overlap(box: Box, other: Box) -> bool:
    return box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]
