"""What the paper published, by the names of the targets."""

from flowstart_papers.published import Published
from flowstart_papers.target import Measured, Value

NAME = "modified-swift-start"
PUBLISHED = Published("flowstart_papers.modified_swift_start", NAME)
number = PUBLISHED.number


def rtt_s(line: str, delay_s: float) -> float:
    """The first pair's round trip in Table 2 or 3."""
    return number(f"mss.{line}.rtt.{delay_s:g}")


def measured(name: str, value: Value, because: str, shown_by: str) -> Measured:
    """A number beside the published one; where it misses that, why, and what shows it."""
    missed = PUBLISHED[name].judge(Measured(value)).missed
    return Measured(value, because=because, shown_by=shown_by) if missed else Measured(value)
