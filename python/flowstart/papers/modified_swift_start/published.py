"""What the paper published, by the names of the targets."""

from flowstart.papers import target

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
