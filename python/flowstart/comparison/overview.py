"""The answer of a comparison on one screen: the fastest startup, and what it costs."""

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from flowstart import text
from flowstart.comparison import tables
from flowstart.comparison.summary import Summary
from flowstart.inference import Gate, Status
from flowstart.inference.gates import Quantity
from flowstart.model import custom
from flowstart.model.catalog import needs_help
from flowstart.render import summary
from flowstart.render.grid import Column, Grid

if TYPE_CHECKING:
    from flowstart.comparison.data import ComparisonData
    from flowstart.comparison.intervals import Intervals

SIZES = 5
"""The most further sizes that have a line each."""

FEW = 4
"""At most so many startups are named in a note."""


def overview(found: "ComparisonData", command: str = "") -> summary.Summary:
    """The path, the fastest startup, a table of one size, and a line for each other size."""
    if not found.records:
        return summary.Summary(f"{found.headline}.", [], command=command)
    groups = [list(group) for _, group in groupby(found.summaries, key=lambda s: s.group)]
    first = max(groups, key=_spread)
    others = [_line(found, group) for group in groups if group is not first]
    more = [f"{len(others) - SIZES} more sizes: --details"] if len(others) > SIZES else []
    table = _table(found, first)
    return summary.Summary(
        _ran(found),
        [_answer(found, first) + _lower_bound(found, first)],
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
    """The path, its capacity and buffer, and the endpoints; each verdict has its seeds."""
    seeds = found.plan.seeds
    words = found.headline.removesuffix(f", seed {seeds[0]}")
    if found.plan.repeat is None:
        words = words.removesuffix(f", seeds {seeds[0]} to {seeds[-1]}")
    return f"{words}."


def _answer(found: "ComparisonData", group: Sequence[Summary]) -> str:
    """The startup to choose for a size, with its cost, or why to keep the baseline."""
    first = _chosen(found, group)
    if first is None:
        return _line(found, group)
    decision = found.intervals.decision(first) if found.intervals else None
    ties = [custom.short(name) for name in decision.ties(first.startup)] if decision else []
    tied = f" Not significantly slower: {text.listed(ties)}." if ties else ""
    answer = _line(found, group) + tied + _loss(found, group, first)
    return answer + _deployable(found, group, first) + _over_limit(found, group, first)


def _line(found: "ComparisonData", group: Sequence[Summary]) -> str:
    """The startup to choose for a size, or why to keep the baseline."""
    name, baseline = tables.group_name(group[0]), custom.short(found.baseline)
    if first := _chosen(found, group):
        return _named(found, group, first)
    if not any(s.complete for s in group):
        return f"{name}: no transfer was completed."
    if len(group) == 1:
        return f"{name}: {baseline} completes in {text.short_seconds(group[0].fct_s)}."
    if not found.intervals:
        return f"{name}: no startup is faster than {baseline} ({_runs(group[0])})."
    return f"{name}: {_kept(found.intervals, group, baseline)}."


def _named(found: "ComparisonData", group: Sequence[Summary], first: Summary) -> str:
    """The startup to choose, and how it compares with the baseline."""
    name, baseline = tables.group_name(first), custom.short(found.baseline)
    intervals = found.intervals
    if intervals is None:
        return f"Fastest for {name}: {_gain(first)} than {baseline} ({_runs(first)})."
    decision = intervals.decisions[first.group]
    fastest = decision.verdict.recommended
    base = next(s for s in group if s.startup == found.baseline)
    if fastest is None:
        chosen = custom.short(first.startup)
        return f"{name}: {chosen} is as fast as {baseline}, {_fewer(first, base)}."
    answer = f"Fastest for {name}: {_gain(first)} than {baseline}{_interval(intervals, first)}"
    if fastest != first.startup:
        other = next(s for s in group if s.startup == fastest)
        answer += f"; {custom.short(fastest)} is as fast; {_fewer(first, other)}"
    return f"{answer}."


def _fewer(s: Summary, other: Summary) -> str:
    shares = [text.short_share(one.loss) for one in (s, other)]
    return f"with fewer losses ({shares[0]} of packets, not {shares[1]})"


def _runs(s: Summary) -> str:
    """What a row without an interval rests on."""
    return "one run" if s.seeds == 1 else f"mean of {s.seeds} seeds"


def _chosen(found: "ComparisonData", group: Sequence[Summary]) -> Summary | None:
    """The startup to choose; None where that is the baseline."""
    best = [s for s in group if s.best and s.complete]
    if len(group) == 1 or any(s.startup == found.baseline for s in best):
        return None
    return min(best, key=_time, default=None)


def _kept(intervals: "Intervals", group: Sequence[Summary], baseline: str) -> str:
    """Why to keep the baseline: the fastest other startup, and what speaks against it."""
    others = [s for s in group if s.change is not None and s.complete == s.flows]
    others = [s for s in others if s.startup != intervals.baseline]
    if not others:
        return f"keep {baseline}; no other startup completed"
    best = min(others, key=lambda s: s.change or 0.0)
    base = next((s for s in group if s.startup == intervals.baseline), best)
    judged = intervals.decisions[best.group].verdict.of(best.startup)
    name = custom.short(best.startup)
    if judged is None or judged.status == Status.EQUAL:
        return f"keep {baseline}; {name} is as fast"
    told = f"{name} is {_change(best)}{_interval(intervals, best)}"
    if judged.vetoes and (best.change or 0.0) < 0:
        return f"keep {baseline}; {told}, but {_objection(judged.vetoes[0], best, base)}"
    if judged.status == Status.INCONCLUSIVE:
        why = "" if judged.gain.enough else f" ({judged.gain.reason})"
        return f"inconclusive, keep {baseline}; {told}{why}"
    return f"keep {baseline}; {told}"


def _objection(gate: Gate, s: Summary, base: Summary) -> str:
    """Why a faster startup is not chosen."""
    size, limit = text.short_share(gate.estimate), text.short_share(gate.limit)
    if gate.quantity == Quantity.HARMED:
        return f"over 10 % slower in {size} of repeats (limit {limit})"
    if gate.quantity == Quantity.P90:
        return f"its slowest tenth of repeats is {size} slower"
    if gate.quantity == Quantity.SLOWEST_FLOW:
        times = [text.short_seconds(one.slowest_flow_s) for one in (s, base)]
        return f"its slowest flow is {size} slower ({times[0]}, not {times[1]})"
    does = "loses" if gate.quantity == Quantity.LOSS else "retransmits"
    return f"{does} {size} of its packets (limit {limit})"


def _interval(intervals: "Intervals", s: Summary) -> str:
    """The interval or range of a change in words, with the number of repeats."""
    row, count = intervals.row(s), intervals.decisions[s.group].repeats.count
    if row is None or row.low is None or row.high is None:
        return ""
    ends = [text.short_percent(end) for end in (row.low, row.high)]
    if not intervals.drawn and ends[0] == ends[1]:
        return ""
    if row.low * row.high >= 0:
        ends = sorted((end.lstrip("+−") for end in ends), key=lambda end: float(end.split()[0]))
    told = f"{ends[0].removesuffix(' %')} to {ends[1]}"
    return f" ({intervals.column} {told}, {text.counted(count, *intervals.unit)})"


def _gain(s: Summary) -> str:
    return f"{custom.short(s.startup)}, {_change(s)}"


def _change(s: Summary) -> str:
    """`12 % faster`."""
    change = s.change or 0.0
    return f"{text.short_share(abs(change))} {'faster' if change <= 0 else 'slower'}"


def _loss(found: "ComparisonData", group: Sequence[Summary], first: Summary) -> str:
    """The losses of the startup to choose, if they are more than the baseline's."""
    base = next((s for s in group if s.startup == found.baseline), first)
    shares = [text.short_share(s.loss) for s in (first, base)]
    if first.dropped <= base.dropped or shares[0] == shares[1]:
        return ""
    return f" It loses {shares[0]} of its packets, {custom.short(found.baseline)} {shares[1]}."


def _over_limit(found: "ComparisonData", group: Sequence[Summary], first: Summary) -> str:
    """A faster startup that is beyond a limit."""
    if not found.intervals:
        return ""
    decision = found.intervals.decisions[first.group]
    base = next((s for s in group if s.startup == found.baseline), first)
    for s in sorted(group, key=lambda s: s.change or 0.0):
        judged = decision.verdict.of(s.startup)
        if judged and judged.vetoes and (s.change or 0.0) < (first.change or 0.0):
            return f" {_gain(s)}, but {_objection(judged.vetoes[0], s, base)}."
    return ""


def _deployable(found: "ComparisonData", group: Sequence[Summary], first: Summary) -> str:
    """The fastest startup that a sender can deploy alone, where `first` is none."""
    obstacle = _obstacle(found, first)
    if not obstacle:
        return ""
    able = [s for s in group if s.complete == s.flows and not _obstacle(found, s)]
    if not able:
        return f" It {obstacle}."
    best = min(able, key=_time)
    if found.intervals:
        decision = found.intervals.decisions[first.group]
        choice = decision.choice([s.startup for s in able])
        best = next((s for s in able if s.startup == choice), best)
    keep = best.startup == found.baseline or (best.change or 0.0) >= 0
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
    intervals, flows = found.intervals, any(s.has_flows for s in group)
    grid = Grid([Column("startup", number=False), Column("completion", is_kept=True)])
    grid.columns += [Column("slowest"), Column("Jain")] if flows else []
    grid.columns.append(Column("change"))
    if intervals:
        grid.columns += [Column(intervals.column), Column("slower\n>10 %", spare=2)]
    grid.columns += [Column("lost", spare=1), Column("RTOs", spare=4)]
    grid.columns += [Column("background", spare=3), Column("exit", number=False)]
    for s in sorted(group, key=lambda s: _place(s, found.baseline)):
        if s.best:
            grid.marked.add(len(grid.rows))
        cells = [custom.short(s.startup), _completion(s)]
        cells += [text.short_seconds(s.slowest_flow_s), text.ratio(s.fairness)] if flows else []
        is_base = s.startup == found.baseline
        cells.append("baseline" if is_base else text.short_percent(s.change))
        cells += [intervals.ends(s), intervals.slower_share(s)] if intervals else []
        cells += [text.short_share(s.loss), text.count(s.timeouts)]
        cells.append(text.short_percent(s.background_change) if s.background_change else "")
        grid.rows.append([*cells, exit_words(s)])
    return grid


def _all_of(startups: Sequence[str]) -> str:
    """All of a few names, or the first of many."""
    return ", ".join(startups) if len(startups) <= FEW else text.first_of(startups)


def _place(s: Summary, baseline: str) -> tuple[bool, bool, float]:
    return (s.startup != baseline, s.complete < s.flows, _time(s))


def _completion(s: Summary) -> str:
    done = f" ({s.complete}/{s.flows})" if s.complete < s.flows else ""
    return text.short_seconds(s.fct_s) + done


def exit_words(s: Summary) -> str:
    """The cwnd at the end of startup and its cause; none where startup outlasts the transfer."""
    if s.exit_reason is None:
        return "none"
    is_one = s.min_exit_bdp == s.max_exit_bdp
    windows = tables.exits_in_bdp(s, text.ratio if is_one else text.short_ratio)
    return s.exit_reason if windows == text.ABSENT else f"{windows} BDP, {s.exit_reason}"


def _undeployable(found: "ComparisonData", group: Sequence[Summary]) -> list[str]:
    """The startups that a sender cannot deploy alone."""
    helped = [custom.short(s.startup) for s in group if needs_help(s.startup)]
    absent = [
        custom.short(s.startup)
        for s in group
        if not needs_help(s.startup) and not found.offers(s.startup)
    ]
    lines = [f"Needs router, peer or cache support: {_all_of(helped)}."] if helped else []
    return lines + ([f"Not part of {found.hosts.title}: {_all_of(absent)}."] if absent else [])


def _closing(found: "ComparisonData", table: Grid) -> list[str]:
    """What the columns are that the table shows."""
    shown = {column.title for column in table.informative().columns}
    lines = ["exit: cwnd at the end of startup."] * ("exit" in shown)
    if found.intervals and len(found.plan.startups) > 1:
        lines.insert(0, found.intervals.closing)
    if len({s.group for s in found.summaries}) > 1:
        lines.insert(0, "table: the size with the largest change")
    return ["; ".join(lines)] * bool(lines)
