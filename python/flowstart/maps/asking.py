"""A map of a sweep, from Python."""

import os
from collections.abc import Sequence

from flowstart.errors import RequestError
from flowstart.maps.plane import USUAL, plane
from flowstart.maps.reading import read
from flowstart.maps.result import Map
from flowstart.maps.selection import selected
from flowstart.maps.winners import MARGIN
from flowstart.model.specs import texts


def read_map(
    folder: str | os.PathLike[str],
    *,
    by: Sequence[str] = USUAL[:2],
    sizes: Sequence[str] | None = None,
    companies: Sequence[str] | None = None,
    startups: Sequence[str] | None = None,
    tie: float = MARGIN,
) -> Map:
    """What the sweep in `folder` tells of its startups.

    `by` are the axes of the picture of winners, and after them what its panels are made by; `tie`
    is the share of the best completion time by which others may be later and still tie. With
    `startups` the map is made as if the sweep had no others. Raises RequestError where the folder
    holds no sweep, or the sweep has not got what is wanted.
    """
    for name, given in (("by", by), ("sizes", sizes), ("companies", companies)):
        if given is not None:
            texts(name, given)
    if not 0 <= tie < 1:
        raise RequestError(f"tie: `{100 * tie:g}%` is out of range; 0% to below 100% is needed")
    outcomes = read(folder, None if startups is None else texts("startups", startups))
    outcomes = selected(outcomes, sizes, companies)
    return Map(folder, outcomes, plane(outcomes.cells, by), tie)
