"""Fewer points for a picture that shows the same: what every figure over time draws.

A picture has so many columns of pixels, and within a column no eye tells the order of points.
So a column keeps the first point of a line, its least, its largest and its last: the line
enters and leaves where it did, and no peak or trough is lost.
"""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def columns(times: "ArrayLike", count: int) -> "NDArray[np.intp]":
    """In which of `count` equal columns each of the ascending `times` is."""
    at = np.asarray(times, float)
    span = at[-1] - at[0] if len(at) else 0.0
    if span <= 0:
        return np.zeros(len(at), np.intp)
    numbers: NDArray[np.intp] = ((at - at[0]) * (count / span)).astype(np.intp)
    return np.minimum(numbers, count - 1)


def thin(
    column: "NDArray[np.intp]", *lines: "ArrayLike", keep: "ArrayLike" = ()
) -> "NDArray[np.intp]":
    """The indices that a picture needs of lines whose points share their times.

    `column` ascends. Of each line and column the first, the least, the largest and the last
    point stay; values that are no number are neither least nor largest. The points of `keep`
    stay whatever they are.
    """
    if not len(column):
        return np.zeros(0, np.intp)
    first = np.flatnonzero(np.diff(column, prepend=column[0] - 1))
    kept = [first, np.append(first[1:], len(column)) - 1, np.asarray(keep, np.intp)]
    for line in lines:
        values = np.asarray(line, float)
        # Sorted by column, then by value, each column begins where it did.
        kept += [np.lexsort((key, column))[first] for key in (values, -values)]
    return np.unique(np.concatenate(kept))


def apart(xs: "ArrayLike", ys: "ArrayLike", width: int, height: int) -> "NDArray[np.intp]":
    """The indices of points that a picture of so many pixels shows in places of their own.

    For marks without a line: of those on the same pixel, the first stays.
    """
    _, kept = np.unique(_pixels(xs, width) * (height + 1) + _pixels(ys, height), return_index=True)
    return np.sort(kept)


def _pixels(values: "ArrayLike", count: int) -> "NDArray[np.intp]":
    at = np.asarray(values, float)
    low, span = (at.min(), np.ptp(at)) if len(at) else (0.0, 0.0)
    return np.rint((at - low) * (count / (span or 1.0))).astype(np.intp)
