"""Which part of a sweep a map is of."""

from collections.abc import Sequence

import numpy as np

from flowstart.errors import RequestError
from flowstart.maps.kinds import DIMENSIONS, Dimension
from flowstart.maps.outcomes import Flags, Outcomes


def selected(
    outcomes: Outcomes, sizes: Sequence[str] | None, competing: Sequence[str] | None
) -> Outcomes:
    """The cells with some sizes and kinds of competing flows; all of them where nothing is wanted.

    Raises RequestError where the sweep has no such cells.
    """
    for name, wanted in (("size", sizes), ("competing", competing)):
        if wanted is not None:
            dimension = DIMENSIONS[name](outcomes.cells)
            outcomes = outcomes.where(_of(dimension, wanted))
    return outcomes


def _of(dimension: Dimension, wanted: Sequence[str]) -> Flags:
    """The cells of some kinds, whose names may be written without spaces: `100kB`."""
    known = {_plain(kind): place for place, kind in enumerate(dimension.kinds)}
    for kind in wanted:
        if _plain(kind) not in known:
            has = ", ".join(dimension.kinds)
            raise RequestError(f"{dimension.name}: `{kind}` is not in the sweep, which has {has}")
    if not wanted:
        raise RequestError(f"{dimension.name}: empty; leave it out for all of them")
    places = [known[_plain(kind)] for kind in wanted]
    return np.isin(dimension.places, places)


def _plain(kind: str) -> str:
    return kind.replace(" ", "").lower()
