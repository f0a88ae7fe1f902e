"""What the paper published, by the names of the targets."""

from flowstart.papers import target
from flowstart.papers.target import Measured, Value

NAME = "modified-swift-start"
TARGETS = {one.id: one for one in target.read(__package__ or "", NAME)}


def number(name: str) -> float:
    """The number of a target that has one."""
    expected = TARGETS[name].expected
    if not isinstance(expected, float | int):
        raise ValueError(f"{name}: {expected} is not a number")
    return expected


def rtt_s(line: str, delay_s: float) -> float:
    """The first pair's round trip in Table 2 or 3."""
    return number(f"mss.{line}.rtt.{delay_s:g}")


def measured(name: str, value: Value, because: str, shown_by: str) -> Measured:
    """A number beside the published one; where it misses that, why, and what shows it."""
    missed = TARGETS[name].judge(Measured(value)).missed
    return Measured(value, because=because, shown_by=shown_by) if missed else Measured(value)
