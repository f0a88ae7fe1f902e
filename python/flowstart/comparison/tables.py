"""The table of a comparison."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from flowstart import text
from flowstart.comparison.summary import Summary
from flowstart.render import footnotes
from flowstart.render.grid import Column, Grid

if TYPE_CHECKING:
    from flowstart.comparison.repeats import Intervals


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
    several = any(s.flows > 1 for s in found)
    background = any(s.background_change is not None for s in found)
    grid = Grid(_columns(several, background, acked, intervals is not None))
    for s in found:
        if not grid.rows or s.group != found[len(grid.rows) - 1].group:
            grid.groups[len(grid.rows)] = group_name(s)
        if s.best:
            grid.marked.add(len(grid.rows))
        cells = _summary_cells(s, several, background, acked)
        place = 3 if several else 2  # of the change
        cells[place + 1 : place + 1] = [_range(s, intervals)] if intervals else []
        grid.rows.append(cells)
    return grid


def arranged(found: Sequence[Summary], startups: Sequence[str]) -> list[Summary]:
    """Summaries in the order in which the table has them."""
    return sorted(found, key=lambda s: (s.group, startups.index(s.startup)))


def _columns(several: bool, background: bool, acked: bool, intervals: bool) -> list[Column]:
    """The columns, and what of the rows each is made of."""
    done = "mean of fct_s where complete"
    columns = [Column("startup", number=False), Column("FCT", of=done)]
    columns += [Column("worst", spare=2, of="greatest fct_s where complete")] if several else []
    columns += [Column("change", of=f"{done}, against the baseline's", compares=True)]
    columns += [Column("range")] if intervals else []
    if acked:
        sent = "mean of duration_s where complete"
        columns += [Column("acked", of=sent)]
        columns += [Column("change", of=f"{sent}, against the baseline's", compares=True)]
    columns += [
        Column("× ideal", of="mean of slowdown where complete"),
        Column("dropped", of="mean of packets_dropped"),
        Column("retrans.", spare=3, of="mean of packets_retransmitted"),
        Column("RTOs", of="mean of timeouts"),
        Column("exit reason", number=False, of="most frequent startup_exit_reason"),
        Column("exit cwnd", spare=1, of="mean of startup_exit_cwnd_segments with this exit reason"),
        Column("÷ BDP", spare=4, of="mean of startup_exit_cwnd_segments, divided by bdp_pkts"),
        Column("queue", spare=5, of="greatest max_queue_pkts"),
    ]
    if background:
        others = {"tested": False, "size_bytes": None, "web": None}
        of = "mean of fct_s of the background flows, against those under the baseline"
        columns += [Column("others", of=of, where=others, compares=True)]
    return columns


def _range(s: Summary, intervals: "Intervals") -> str:
    """The range of a change over the repeats."""
    row = intervals.row(s)
    return text.interval(row.low, row.high) if row else text.ABSENT


def group_name(s: Summary) -> str:
    """What the transfers of a summary have in common."""
    mean = f", {text.size(s.size_bytes)} on average" if s.web else ""
    return s.group.name + mean


def _summary_cells(s: Summary, several: bool, background: bool, acked: bool) -> list[str]:
    cells = [footnotes.marked(s.startup), _delivered(s)]
    cells += [text.seconds(s.worst_fct_s)] if several else []
    cells += [text.percent(s.change)]
    cells += [text.seconds(s.duration_s), text.percent(s.duration_change)] if acked else []
    cells += [text.ratio(s.slowdown)]
    cells += [text.count(s.dropped), text.count(s.retransmitted), text.count(s.timeouts)]
    cells += [_reason(s), text.count(s.exit_cwnd_segments), _of_bdp(s)]
    cells += [text.count(s.max_queue_pkts)]
    cells += [text.percent(s.background_change)] if background else []
    return cells


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


def _of_bdp(s: Summary) -> str:
    """The window at the exit as a multiple of the path's capacity."""
    if s.exit_cwnd_segments is None or not s.bdp_pkts:
        return text.ABSENT
    return text.ratio(s.exit_cwnd_segments / s.bdp_pkts)
