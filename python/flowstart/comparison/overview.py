"""The answer of a comparison on one screen: the fastest startup, and what it costs."""

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from flowstart import text
from flowstart.comparison import tables
from flowstart.comparison.summary import TIE, Summary
from flowstart.inference import Row
from flowstart.model import custom
from flowstart.model.catalog import needs_help
from flowstart.render import summary
from flowstart.render.grid import Column, Grid

if TYPE_CHECKING:
    from flowstart.comparison.data import ComparisonData
    from flowstart.comparison.repeats import Intervals

SIZES = 5
"""The most further sizes that have a line each."""

FEW = 4
"""At most so many startups are named in a note."""

FEWER = 0.5
"""Of the baseline's losses: at most so many are worth a sentence."""


def overview(found: "ComparisonData", command: str = "") -> summary.Summary:
    """The path, the fastest startup, a table of one size, and a line for each other size."""
    if not found.records:
        return summary.Summary(f"{found.headline}.", [], command=command)
    groups = [list(group) for _, group in groupby(found.summaries, key=lambda s: s.group)]
    first = max(groups, key=_spread)
    others = [
        _line(found, group) + _fewer_losses(found, group) for group in groups if group is not first
    ]
    more = [f"{len(others) - SIZES} more sizes: --details"] if len(others) > SIZES else []
    table = _table(found, first)
    return summary.Summary(
        _ran(found),
        [_answer(found, first) + _fewer_losses(found, first) + _lower_bound(found, first)],
        table,
        [
            *others[:SIZES],
            *more,
            *_undeployable(found, first),
            *found.cautions,
            *_closing(found, table),
        ],
        command,
        hint="All columns and notes: --details. Figures and a report: -o DIR",
    )


def _spread(group: Sequence[Summary]) -> float:
    """The largest change of a size."""
    return max((abs(s.change) for s in group if s.change is not None), default=0.0)


def _ran(found: "ComparisonData") -> str:
    """The path, its capacity and buffer, and the endpoints."""
    words = found.headline.removesuffix(f", seed {found.plan.seeds[0]}")
    return f"{words}."


def _answer(found: "ComparisonData", group: Sequence[Summary]) -> str:
    """The fastest startup of a size with its cost, or why to keep the baseline."""
    first = _fastest(found, group)
    if first is None:
        return _line(found, group)
    baseline, intervals = custom.short(found.baseline), found.intervals
    ties = [custom.short(s.startup) for s in group if s.best and s is not first]
    tied = f" ({text.listed(ties)} not significantly slower)" if ties else ""
    repeats = intervals.repeats(first) if intervals else 0
    times = f" in each of {repeats} repeats" if repeats else " (one run)"
    answer = f"{_line(found, group).removesuffix('.')} than {baseline}{times}{tied}."
    base = next((s for s in group if s.startup == found.baseline), first)
    if first.dropped > base.dropped:
        answer += (
            f" It drops {text.count(first.dropped)} packets, {baseline} {text.count(base.dropped)}."
        )
    return answer + _deployable(found, group, first) + _over_limit(found, group, first)


def _line(found: "ComparisonData", group: Sequence[Summary]) -> str:
    """The fastest startup of a size, or why to keep the baseline."""
    name, baseline = tables.group_name(group[0]), custom.short(found.baseline)
    if first := _fastest(found, group):
        return f"Fastest for {name}: {_gain(first)}."
    if not any(s.complete for s in group):
        return f"{name}: no transfer was completed."
    if len(group) == 1:
        return f"{name}: {baseline} completes in {text.short_seconds(group[0].fct_s)}."
    if not found.intervals:
        return f"{name}: no startup is faster than {baseline}."
    return f"{name}: keep {baseline}; {_nearest(found.intervals, group)}."


def _fastest(found: "ComparisonData", group: Sequence[Summary]) -> Summary | None:
    """The fastest startup of a size; None where the baseline is, or nothing else suffices."""
    best = [s for s in group if s.best and s.complete]
    if len(group) == 1 or any(s.startup == found.baseline for s in best):
        return None
    return min(best, key=_time, default=None)


def _nearest(intervals: "Intervals", group: Sequence[Summary]) -> str:
    """The fastest startup beside the baseline, and why it is not recommended."""
    others = [s for s in group if s.change is not None and s.complete == s.flows]
    others = [s for s in others if s.startup != intervals.baseline]
    if not others:
        return "no other startup completed"
    best = min(others, key=_time)
    name, change = custom.short(best.startup), best.change or 0.0
    if abs(change) < TIE:
        return f"{name} is as fast"
    return f"{name} is {_change(best)}" + _objection(intervals, best) * (change < 0)


def _objection(intervals: "Intervals", s: Summary) -> str:
    """Why a faster startup is not recommended."""
    chosen = intervals.recommendation(s)
    if chosen and s.startup in chosen.over_limit:
        limit = text.short_share(chosen.loss_limit)
        return f", but loses {text.short_share(s.loss)} of its packets (limit {limit})"
    return f", but not in each of {intervals.repeats(s)} repeats"


def _gain(s: Summary) -> str:
    return f"{custom.short(s.startup)}, {_change(s)}"


def _change(s: Summary) -> str:
    """`12 % faster`."""
    change = s.change or 0.0
    return f"{text.short_share(abs(change))} {'faster' if change <= 0 else 'slower'}"


def _over_limit(found: "ComparisonData", group: Sequence[Summary], first: Summary) -> str:
    """Faster startups that lose more packets than the limit."""
    chosen = found.intervals.recommendation(first) if found.intervals else None
    if not chosen:
        return ""
    over = [s for s in group if s.startup in chosen.over_limit and _time(s) < _time(first)]
    said = [f"{_gain(s)}, {text.short_share(s.loss)} lost" for s in over]
    limit = text.short_share(chosen.loss_limit)
    return f" Over the loss limit of {limit}: {text.first_of(said)}." if said else ""


def _fewer_losses(found: "ComparisonData", group: Sequence[Summary]) -> str:
    """The fewest losses of those not significantly slower, where the baseline is kept."""
    base = next((s for s in group if s.startup == found.baseline), None)
    if base is None or not found.intervals or _fastest(found, group):
        return ""
    others = [s for s in group if s is not base and s.complete == s.flows]
    equal = [s for s in others if _is_as_fast(found.intervals.row(s))]
    best = min(equal, key=lambda s: s.dropped, default=base)
    if base.dropped < 1 or best.dropped > base.dropped * FEWER:
        return ""
    was = text.count(base.dropped)
    return f" With fewer losses: {_gain(best)} ({text.count(best.dropped)} lost, not {was})."


def _is_as_fast(row: Row | None) -> bool:
    """Whether an interval that decides anything does not show that it is slower."""
    if row is None or row.low is None or row.high is None:
        return False
    return not row.loses and not text.too_wide(row.low, row.high)


def _deployable(found: "ComparisonData", group: Sequence[Summary], first: Summary) -> str:
    """The fastest startup that a sender can deploy alone, where `first` is none."""
    obstacle = _obstacle(found, first)
    if not obstacle:
        return ""
    able = [s for s in group if s.complete == s.flows and not _obstacle(found, s)]
    if not able:
        return f" It {obstacle}."
    best = min(able, key=_time)
    row = found.intervals.row(best) if found.intervals else None
    is_faster = row.gains if row else (best.change or 0.0) < 0
    keep = not is_faster and any(s.startup == found.baseline for s in able)
    rest = f"keep {custom.short(found.baseline)}" if keep else _gain(best)
    return f" It {obstacle}; otherwise {rest}."


def _obstacle(found: "ComparisonData", s: Summary) -> str:
    """Why a sender cannot deploy a startup alone; empty where it can."""
    if needs_help(s.startup):
        return "needs router, peer or cache support"
    return "" if found.offers(s.startup) else f"is not part of {found.hosts.title}"


def _time(s: Summary) -> float:
    return s.fct_s or 0.0


def _lower_bound(found: "ComparisonData", group: Sequence[Summary]) -> str:
    """The completion time of an unhindered transfer."""
    bound = found.lower_bound(group[0].group)
    return "" if bound is None else f" Lower bound {text.short_seconds(bound)}."


def _table(found: "ComparisonData", group: Sequence[Summary]) -> Grid:
    """A row per startup: the baseline, then the fastest first."""
    several = any(s.flows > s.seeds for s in group)
    titles = [*(["worst"] if several else []), "change"]
    titles += ["range, %"] if found.intervals else []
    time = Column("completion", is_kept=True)
    grid = Grid([Column("startup", number=False), time, *map(Column, titles)])
    grid.columns += [Column("lost", spare=1), Column("RTOs", spare=3)]
    grid.columns += [Column("background", spare=2), Column("exit", number=False)]
    for s in sorted(group, key=lambda s: _place(s, found.baseline)):
        if s.best:
            grid.marked.add(len(grid.rows))
        is_base = s.startup == found.baseline
        cells = [custom.short(s.startup), _completion(s)]
        cells += [text.short_seconds(s.worst_fct_s)] if several else []
        cells.append("baseline" if is_base else text.short_percent(s.change))
        cells += [_range(found, s)] if found.intervals else []
        cells += [text.count(s.dropped), text.count(s.timeouts)]
        cells.append(text.short_percent(s.background_change) if s.background_change else "")
        grid.rows.append([*cells, _exit(s)])
    return grid


def _named(startups: Sequence[str]) -> str:
    """All of a few names, or the first of many."""
    return ", ".join(startups) if len(startups) <= FEW else text.first_of(startups)


def _place(s: Summary, baseline: str) -> tuple[bool, bool, float]:
    return (s.startup != baseline, s.complete < s.flows, _time(s))


def _completion(s: Summary) -> str:
    done = f" ({s.complete}/{s.flows})" if s.complete < s.flows else ""
    return text.short_seconds(s.fct_s) + done


def _range(found: "ComparisonData", s: Summary) -> str:
    row = found.intervals.row(s) if found.intervals else None
    if row is None or row.low is None or row.high is None:
        return ""
    if text.too_wide(row.low, row.high):
        return "inconclusive"
    low, high = (text.short_percent(end).removesuffix(" %") for end in (row.low, row.high))
    return f"{low} to {high}"


def _exit(s: Summary) -> str:
    """The cwnd at the end of startup and its cause; none where startup outlasts the transfer."""
    if s.exit_reason is None:
        return "none"
    window = s.exit_cwnd_segments
    cwnd = f"{text.ratio(window / s.bdp_pkts)} BDP, " if window and s.bdp_pkts else ""
    return cwnd + s.exit_reason


def _undeployable(found: "ComparisonData", group: Sequence[Summary]) -> list[str]:
    """The startups that a sender cannot deploy alone."""
    helped = [custom.short(s.startup) for s in group if needs_help(s.startup)]
    absent = [
        custom.short(s.startup)
        for s in group
        if not needs_help(s.startup) and not found.offers(s.startup)
    ]
    lines = [f"Needs router, peer or cache support: {_named(helped)}."] if helped else []
    return lines + ([f"Not part of {found.hosts.title}: {_named(absent)}."] if absent else [])


def _closing(found: "ComparisonData", table: Grid) -> list[str]:
    """What the columns are that the table shows."""
    shown = {column.title for column in table.informative().columns}
    lines = ["exit: cwnd at the end of startup."] * ("exit" in shown)
    if found.intervals and len(found.plan.startups) > 1:
        repeats = max(group.repeats for group in found.intervals.groups.values())
        lines.insert(0, f"range: of the change over {repeats} repeats")
    if len({s.group for s in found.summaries}) > 1:
        lines.insert(0, "table: the size with the largest change")
    return ["; ".join(lines)] * bool(lines)
