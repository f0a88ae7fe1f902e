"""A map of a sweep, from Python."""

import os
from collections.abc import Sequence

from flowstart.errors import RequestError
from flowstart.maps.plane import plane
from flowstart.maps.reading import read
from flowstart.maps.result import SweepMap
from flowstart.maps.selection import selected
from flowstart.maps.winners import MARGIN
from flowstart.model.specs import texts


def read_map(
    folder: str | os.PathLike[str],
    *,
    x: str = "rate",
    y: str = "rtt",
    col: str = "queue",
    row: str = "size",
    sizes: Sequence[str] | None = None,
    competing: Sequence[str] | None = None,
    startups: Sequence[str] | None = None,
    margin: float = MARGIN,
) -> SweepMap:
    """What the sweep in `folder` tells of its startups.

    `x` and `y` are the axes of the picture of winners; its panels are by `col` and `row`. `margin`
    is the share of the best completion time by which others may be later and still tie. With
    `startups` the map is made as if the sweep had no others. Raises RequestError where the folder
    holds no sweep, or the sweep has not got what is wanted.
    """
    for name, given in (("sizes", sizes), ("competing", competing)):
        if given is not None:
            texts(name, given)
    if not 0 <= margin < 1:
        raise RequestError(
            f"margin: `{100 * margin:g}%` is out of range; 0% to below 100% is needed"
        )
    outcomes = read(folder, None if startups is None else texts("startups", startups))
    outcomes = selected(outcomes, sizes, competing)
    return SweepMap(folder, outcomes, plane(outcomes.cells, x, y, col, row), margin)
