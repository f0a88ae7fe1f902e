"""The table of a comparison."""

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from flowstart import text
from flowstart.comparison.summary import Summary
from flowstart.render import footnotes
from flowstart.render.grid import Column, Grid

if TYPE_CHECKING:
    from flowstart.comparison.intervals import Intervals


def comparison(
    found: Sequence[Summary],
    startups: Sequence[str],
    *,
    acked: bool,
    intervals: "Intervals | None" = None,
) -> Grid:
    """A group per size, a row per startup, and only the columns that say something.

    Within a group they stand in the order of `startups`. `acked` is whether the times until the
    sender knew are of interest. `intervals` add the range of each change.
    """
    found = arranged(found, startups)
    background = any(s.background_change is not None for s in found)
    ends = any(s.seeds > 1 or s.web for s in found)
    flows = any(s.has_flows for s in found)
    columns = [
        _startup(),
        *_times(ends=ends, flows=flows),
        *_changes(intervals),
        *(_acked() if acked else []),
        *_counts(),
        *_exits(),
        *(_background() if background else []),
    ]
    grid = Grid([column for column, _ in columns])
    for s in found:
        if not grid.rows or s.group != found[len(grid.rows) - 1].group:
            grid.groups[len(grid.rows)] = group_name(s)
        if s.best:
            grid.marked.add(len(grid.rows))
        grid.rows.append([cell(s) for _, cell in columns])
    return grid


def arranged(found: Sequence[Summary], startups: Sequence[str]) -> list[Summary]:
    """Summaries in the order in which the table has them."""
    return sorted(found, key=lambda s: (s.group, startups.index(s.startup)))


Cells: TypeAlias = tuple[Column, Callable[[Summary], str]]
"""A column, with what makes its cells."""
DONE = "mean of fct_s where complete"


def _startup() -> Cells:
    return Column("startup", number=False), lambda s: footnotes.marked(s.startup)


def _times(*, ends: bool, flows: bool) -> Iterator[Cells]:
    """The mean time; its ends over seeds; the slowest flow and the fairness of several."""
    yield Column("FCT", of=DONE), _delivered
    if ends:
        yield (
            Column("min", spare=2, of="least fct_s where complete"),
            lambda s: text.seconds(s.least_fct_s),
        )
        yield (
            Column("max", spare=2, of="greatest fct_s where complete"),
            lambda s: text.seconds(s.worst_fct_s),
        )
    if flows:
        yield Column("slowest"), lambda s: text.seconds(s.slowest_flow_s)
        yield Column("Jain"), lambda s: text.ratio(s.fairness)


def _changes(intervals: "Intervals | None") -> Iterator[Cells]:
    """The change, its interval, and the share of repeats that are slower."""
    if intervals is None or not intervals.drawn:
        of = f"{DONE}, against the baseline's"
        yield Column("change", of=of, compares=True), lambda s: text.percent(s.change)
    else:
        of = "geometric mean over seeds of fct_s, against the baseline's"
        yield Column("change", of=of, compares=True), lambda s: text.percent(s.change)
    if intervals is not None:
        yield Column(intervals.column), functools.partial(_interval, intervals)
        yield Column("slower >10 %"), intervals.slower_share


def _interval(intervals: "Intervals", s: Summary) -> str:
    row = intervals.row(s)
    return text.interval(row.low, row.high) if row else text.ABSENT


def _acked() -> Iterator[Cells]:
    sent = "mean of duration_s where complete"
    yield Column("acked", of=sent), lambda s: text.seconds(s.duration_s)
    of = f"{sent}, against the baseline's"
    yield Column("change", of=of, compares=True), lambda s: text.percent(s.duration_change)


def _counts() -> Iterator[Cells]:
    yield Column("× ideal", of="mean of slowdown where complete"), lambda s: text.ratio(s.slowdown)
    yield Column("dropped", of="mean of packets_dropped"), lambda s: text.count(s.dropped)
    yield (
        Column("retrans.", spare=3, of="mean of packets_retransmitted"),
        lambda s: text.count(s.retransmitted),
    )
    yield Column("RTOs", of="mean of timeouts"), lambda s: text.count(s.timeouts)


def _exits() -> Iterator[Cells]:
    reason = Column("exit reason", number=False, of="most frequent startup_exit_reason")
    yield reason, _reason
    windows = "least and greatest startup_exit_cwnd_segments with this exit reason"
    yield (
        Column("exit cwnd", spare=1, of=windows),
        lambda s: text.ends(s.min_exit_cwnd_segments, s.max_exit_cwnd_segments, text.count),
    )
    yield Column("÷ BDP", spare=4, of=f"{windows}, divided by bdp_pkts"), exits_in_bdp
    queue = Column("queue", spare=5, of="greatest max_queue_pkts")
    yield queue, lambda s: text.count(s.max_queue_pkts)


def _background() -> Iterator[Cells]:
    others = {"tested": False, "size_bytes": None, "web": None}
    of = "mean of fct_s of the background flows, against those under the baseline"
    column = Column("others", of=of, where=others, compares=True)
    yield column, lambda s: text.percent(s.background_change)


def group_name(s: Summary) -> str:
    """What the transfers of a summary have in common."""
    mean = f", {text.size(s.size_bytes)} on average" if s.web else ""
    return s.group.name + mean


def _delivered(s: Summary) -> str:
    """The mean completion time, with what it does not count."""
    parts = []
    if s.complete < s.flows:
        parts.append(f"{s.complete} of {s.flows} done")
    if s.reset:
        parts.append(f"{s.reset} reset")
    if s.seeds < s.planned_seeds:
        parts.append(f"{s.seeds} of {s.planned_seeds} seeds")
    return text.seconds(s.fct_s) + (f" ({', '.join(parts)})" if parts else "")


def _reason(s: Summary) -> str:
    reason = s.exit_reason or text.ABSENT
    return reason if s.exit_share == 1 else f"{reason} ({s.exit_share:.0%})"


def exits_in_bdp(s: Summary, shown: Callable[[float | None], str] = text.ratio) -> str:
    """The window at the exit as a multiple of the flow's BDP, over flows and seeds."""
    return text.ends(s.min_exit_bdp, s.max_exit_bdp, shown)
