"""A comparison in words: what stands below its table."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from flowstart.comparison.order import MANY
from flowstart.comparison.summary import Summary
from flowstart.model import custom
from flowstart.model.perturbation import DELAY_SHARE, START_SPREAD
from flowstart.render import text
from flowstart.render.marks import MARK, NEAR

if TYPE_CHECKING:
    from flowstart.comparison.repeats import Intervals


_WIDE = f"inconclusive: its ends differ by more than a factor of {text.WIDEST}"


def legend(
    startups: Sequence[str],
    baseline: str,
    found: Sequence[Summary],
    notes: Sequence[str],
    *,
    acked: bool,
    repeated: bool = False,
) -> str:
    """What columns and marks of the table mean, and the `notes` on its rows.

    `repeated` is whether intervals stand beside the changes, and decide what is marked.
    """
    several = len({s.group for s in found}) > 1
    by = "smallest average × ideal first; " if several else "fastest first; "
    order = by if len(startups) > MANY else ""
    sender = "acked: until the sender knew; " if acked else ""
    soonest = "fastest in each repeat within the loss limit" if repeated else "fastest"
    if not repeated and any(s.flows > 1 for s in found):
        soonest += f", of means within {NEAR:.0%} by the slowest run"
    best = f"{MARK}: {soonest}; " if any(s.best for s in found) else ""
    ends = f"range: of the change over the path and its repeats; {_WIDE}; " if repeated else ""
    columns = (
        f"{order}{best}change: against {custom.short(baseline)}; {ends}{sender}"
        "exit cwnd: the window just before startup ended, packets; "
        "queue: maximum at the bottleneck, packets."
    )
    return "\n".join([columns, *notes])


def verdict(found: "Intervals") -> list[str]:
    """What to choose for each size, and how many repeats that rests on; each follows from rows."""
    from flowstart.comparison.plan import MOST_REPEATS
    from flowstart.inference.ranges import content

    lines = [f"{chosen.group}: {chosen.reason}." for chosen in found.recommendations.values()]
    counts = sorted({group.repeats for group in found.groups.values()})
    number = " to ".join(str(count) for count in dict.fromkeys([counts[0], counts[-1]]))
    lines.append(
        f"Repeats: {number} of each size, until the ranges are settled, at most {MOST_REPEATS}; "
        f"round trips differ by up to {DELAY_SHARE:.0%}, openings by up to "
        f"{1e3 * START_SPREAD:g} ms, and seeds. With 95% confidence a range holds for "
        f"{content(counts[0]):.0%} of such paths or more."
    )
    return lines
