"""What a sender did first: when its data began, its window by round trip, and its exit."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ROUNDS = 8
"""Round trips of which the window is kept."""
LATER = 0.5
"""Data begin later where it is by so many round trips."""
APART = 0.1
"""Windows differ where it is by this share."""


@dataclass(frozen=True)
class Beginning:
    """The beginning of a transfer."""

    begins_rtts: float
    """The first data, in round trips after the opening."""
    windows: tuple[float, ...]
    """Cwnd at the end of each round trip up to the exit, in segments; first the initial window."""
    exit_reason: str | None
    exit_cwnd: float | None
    """In segments."""

    @classmethod
    def of(
        cls,
        time_s: "NDArray[np.float64]",
        cwnd: "NDArray[np.float64]",
        flight: "NDArray[np.uint64]",
        rtt_s: float,
        end: tuple[str | None, float | None, float | None],
    ) -> Self | None:
        """From samples of a sender, of which the first says when data could begin.

        `end` has reason, time in seconds and cwnd of the exit. None without samples.
        """
        import numpy as np

        reason, exit_s, exit_cwnd = end
        if not len(time_s):
            return None
        begins = float(time_s[0])
        # What the window does when all data are out says little.
        rises = np.flatnonzero(np.diff(flight.astype(np.int64), prepend=0) > 0)
        last = float(time_s[rises[-1]]) if len(rises) else begins
        rounds = math.ceil((last - begins) / rtt_s)
        if exit_s is not None:
            rounds = min(rounds, math.floor((exit_s - begins) / rtt_s))
        ends = begins + rtt_s * np.arange(1, min(max(rounds, 1), ROUNDS) + 1)
        samples = np.searchsorted(time_s, ends, side="left") - 1
        windows = tuple(round(float(value), 2) for value in cwnd[samples])
        return cls(round(begins / rtt_s, 3), windows, reason, exit_cwnd)

    @classmethod
    def read(cls, document: dict[str, Any] | None) -> Self | None:
        """What `document` wrote."""
        if document is None:
            return None
        return cls(**document | {"windows": tuple(document["windows"])})

    @property
    def document(self) -> dict[str, Any]:
        """In JSON types."""
        return {**vars(self), "windows": list(self.windows)}


def differences(before: Beginning, after: Beginning) -> list[str]:
    """What differs at the beginning of a transfer, in the order in which it happens."""
    return [
        *_later(before, after),
        *_grows(before.windows, after.windows),
        *_exits(before, after),
    ]


def _later(before: Beginning, after: Beginning) -> list[str]:
    later = after.begins_rtts - before.begins_rtts
    return [f"data {later:.1f} RTT later"] if later >= LATER else []


def _grows(before: tuple[float, ...], after: tuple[float, ...]) -> list[str]:
    """How initial window and growth differ; growth where a round trip of both shows it."""
    words = []
    if _differ(before[0], after[0]):
        words.append(f"initial window {_segments(before[0])} → {_segments(after[0])}")
    both = [(b / before[0], a / after[0]) for b, a in zip(before[1:], after[1:], strict=False)]
    apart = [(b, a) for b, a in both if _differ(b, a)]
    if not apart:
        return words
    shifted = zip(before, after[1:], strict=False)
    if not words and len(both) > 1 and not any(_differ(b, a) for b, a in shifted):
        return ["growth one RTT later"]
    growth = [windows[1] / windows[0] for windows in (before, after)]
    if _differ(*growth):
        return [*words, f"growth per RTT ×{growth[0]:.2g} → ×{growth[1]:.2g}"]
    index = next(i for i, (b, a) in enumerate(both, 1) if _differ(b, a))
    windows = (_segments(each[index]) for each in (before, after))
    return [*words, f"cwnd in RTT {index + 1}: {' → '.join(windows)}"]


def _exits(before: Beginning, after: Beginning) -> list[str]:
    old, new = before.exit_cwnd, after.exit_cwnd
    reasons = [each.exit_reason or "none" for each in (before, after)]
    if reasons[0] != reasons[1]:
        return [f"exit {_of(reasons[0], old)} → {_of(reasons[1], new)}"]
    if old is not None and new is not None and _differ(old, new):
        return [f"exit at {_segments(old)} → {_segments(new)} segments"]
    return []


def _of(reason: str, cwnd: float | None) -> str:
    return reason if cwnd is None else f"{reason} at {_segments(cwnd)}"


def _segments(cwnd: float) -> str:
    return f"{cwnd:,.0f}" if cwnd >= 10 else f"{cwnd:.3g}"


def _differ(before: float, after: float) -> bool:
    return abs(after - before) > APART * max(before, after)
