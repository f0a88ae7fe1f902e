"""Which rows of a comparison's table are marked as the best.

A start-up is marked where

- no other in its group took less time (a difference below a thousandth is none),
- its change against the baseline is no loss, and
- the group shows a difference at all.

All that tie for the soonest are marked, the baseline like any other. Nobody is where runs of the
group are missing: they might have been the soonest. Where intervals were asked for, and in replays,
what is recommended is marked instead.
"""

from collections.abc import Sequence

MARK = "◀"
"""Stands at the end of the best rows, for readers without colour."""
TIE = 0.001
"""A difference below this share is none that a reader should act upon."""


def soonest(times: Sequence[float | None], changes: Sequence[float | None]) -> list[bool]:
    """Which of a group's rows are the soonest, and no loss by their change.

    `times` are None where a row did not finish.
    """
    known = [time for time in times if time is not None]
    limit = (1 + TIE) * min(known, default=0.0)
    if not known or max(known) <= limit:
        return [False] * len(times)
    return [
        time is not None and time <= limit and not loses(change)
        for time, change in zip(times, changes, strict=True)
    ]


def gains(change: float | None) -> bool:
    """Whether a change is a gain as tables show it, to a tenth of a percent."""
    return change is not None and round(change, 3) < 0


def loses(change: float | None) -> bool:
    """Whether a change is a loss as tables show it."""
    return change is not None and round(change, 3) > 0
