"""A comparison in words: what stands below its table."""

from collections.abc import Sequence

from flowstart.comparison.order import MANY
from flowstart.comparison.summary import BASELINE, Summary
from flowstart.model import custom
from flowstart.render.marks import MARK


def legend(
    startups: Sequence[str], found: Sequence[Summary], notes: Sequence[str], *, acked: bool
) -> str:
    """What columns and marks of the table mean, and the `notes` on its rows."""
    baseline = custom.short(BASELINE if BASELINE in startups else startups[0])
    several = len({s.group for s in found}) > 1
    by = "least average × ideal first; " if several else "soonest first; "
    order = by if len(startups) > MANY else ""
    sender = "acked: until the sender knew; " if acked else ""
    best = f"{MARK}: soonest; " if any(s.best for s in found) else ""
    columns = (
        f"{order}{best}change: against {baseline}; {sender}exit cwnd: the window just before "
        "start-up ended, packets; queue: the most at the bottleneck, packets."
    )
    return "\n".join([columns, *notes])
