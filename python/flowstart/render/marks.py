"""Which rows of a comparison's table are marked as the best.

A startup is marked where

- its mean time is within a hundredth of the lowest in its group,
- no other of these has a faster worst run (a difference below a thousandth is none),
- its change against the baseline is no loss, and
- the group shows a difference at all.

So where a row is a single run, the fastest is marked. All that tie are marked, the baseline like
any other. None is where runs of the group are missing: they might have been the fastest. Where
rows have ranges, and in replays, what is recommended is marked instead.
"""

from collections.abc import Sequence

MARK = "◀"
"""Stands at the end of the best rows, for readers without colour."""
TIE = 0.001
"""A difference below this share is none that a reader should act upon."""
NEAR = 0.01
"""Nor is one of means below this share, where worst runs differ."""


def fastest(
    times: Sequence[float | None],
    changes: Sequence[float | None],
    worst: Sequence[float | None],
) -> list[bool]:
    """Which of a group's rows are the fastest, and no loss by their change.

    `times` are means, None where a row did not finish; `worst` are those of the slowest runs.
    """
    known = [time for time in times if time is not None]
    if not known or max(known) <= (1 + TIE) * min(known):
        return [False] * len(times)
    near = [time is not None and time <= (1 + NEAR) * min(known) for time in times]
    limit = (1 + TIE) * min(w for w, is_near in zip(worst, near, strict=True) if is_near and w)
    return [
        is_near and w is not None and w <= limit and not loses(change)
        for is_near, w, change in zip(near, worst, changes, strict=True)
    ]


def gains(change: float | None) -> bool:
    """Whether a change is a gain as tables show it, to a tenth of a percent."""
    return change is not None and round(change, 3) < 0


def loses(change: float | None) -> bool:
    """Whether a change is a loss as tables show it."""
    return change is not None and round(change, 3) > 0
