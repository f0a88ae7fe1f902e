"""The answer of a comparison on one screen: the fastest startup, and what it costs."""

from collections.abc import Sequence
from itertools import accumulate, groupby
from typing import TYPE_CHECKING

from flowstart import _native, text
from flowstart.comparison import larger_window, tables
from flowstart.comparison.summary import Summary
from flowstart.model import custom
from flowstart.model.catalog import needs_help
from flowstart.render import summary
from flowstart.render.grid import Column, Grid

if TYPE_CHECKING:
    from flowstart.comparison.intervals import Intervals
    from flowstart.comparison.result import Comparison
    from flowstart.inference import Gate
    from flowstart.inference.verdict import Judgement

LINES = 6
"""The most lines of further sizes; others are behind `--details`."""

FEW = 4
"""At most so many startups are named in a note."""


def overview(result: "Comparison", command: str = "") -> summary.SummaryPage:
    """The path, the fastest startup, a table of one size, and a line for each other size."""
    if not len(result.flow_rows):
        return summary.SummaryPage(f"{result.headline}.", [], command=command)
    groups = [list(group) for _, group in groupby(result.summaries, key=lambda s: s.group)]
    first = max(groups, key=_spread)
    others = [_answer(result, group) for group in groups if group is not first]
    lines = accumulate(len(summary.folded(answer)) for answer in others)
    most = sum(count <= LINES for count in lines)
    more = [f"{text.counted(len(others) - most, 'more size', 'more sizes')}: --details"]
    table = _table(result, first)
    return summary.SummaryPage(
        _ran(result),
        [_window(result, first) + _answer(result, first) + _lower_bound(result, first)],
        table,
        [
            *others[:most],
            *more * (most < len(others)),
            *_undeployable(result, first),
            *result.cautions,
            *result.omissions.decisive,
            *_closing(result, table),
        ],
        command,
        least_rows=2,
        hint="All columns and notes: --details. Figures and a report: -o DIR",
    )


def _spread(group: Sequence[Summary]) -> float:
    """The largest change of a size."""
    return max((abs(s.change) for s in group if s.change is not None), default=0.0)


def verdict(result: "Comparison") -> list[str]:
    """What to choose for each size, a sentence on each other startup, and the method."""
    if not result.intervals:
        return []
    groups = groupby(result.summaries, key=lambda s: s.group)
    lines = [line for _, group in groups for line in _verdict(result, list(group))]
    return [*lines, result.intervals.method]


def _verdict(result: "Comparison", group: Sequence[Summary]) -> list[str]:
    """The verdict on one size."""
    decision = result.intervals.decision(group[0]) if result.intervals else None
    if not result.intervals or not decision or not decision.judgements:
        return []
    intervals, choice, base = result.intervals, decision.choice(), _base(result, group)
    keep = "keep " if choice == result.baseline else ""
    return [
        f"{group[0].group.name}: {keep}{custom.short(choice)}.",
        *(
            f"{str(judgement.status).capitalize()}: {_reason(intervals, judgement, s, base)}."
            for judgement in decision.judgements
            for s in group
            if s.startup == judgement.setting
        ),
    ]


def _reason(intervals: "Intervals", judged: "Judgement", s: Summary, base: Summary) -> str:
    """A startup's change, and what else its status rests on."""
    name = custom.short(s.startup)
    if _is_incomplete(s) or _is_incomplete(base):
        return _completed([s] if _is_incomplete(s) else [base])
    if judged.vetoes:
        return _rejected(intervals, judged, s, base)
    if judged.is_equal:
        return f"{name} is as {_good(s)}{_interval(intervals, s)}"
    why = "" if judged.gain.enough else f" ({judged.gain.reason})"
    return f"{name} is {_change(s)}{_interval(intervals, s)}{why}"


def _ran(result: "Comparison") -> str:
    """The path, its capacity and buffer, and the endpoints; each verdict has its seeds."""
    seeds = result.plan.seeds
    words = result.headline.removesuffix(f", seed {seeds[0]}")
    if result.plan.repeat is None:
        words = words.removesuffix(f", seeds {seeds[0]} to {seeds[-1]}")
    return f"{words}."


def _answer(result: "Comparison", group: Sequence[Summary]) -> str:
    """The startup to choose for a size, with its cost, or why to keep the baseline."""
    first = _chosen(result, group)
    if first is None:
        return _without_choice(result, group)
    parts = [
        _named(result, group, first),
        _loss(result, group, first),
        *_deployable(result, group, first),
        _ties(result, first),
        _over_limit(result, group, first),
    ]
    return " ".join(f"{part}." for part in dict.fromkeys(parts) if part)


def _window(result: "Comparison", group: Sequence[Summary]) -> str:
    """For how long the receiver's window limits the baseline, and what a larger one changes."""
    base = _base(result, group)
    if base.window_share <= larger_window.LEAST_SHARE:
        return ""
    words = f"{larger_window.subject(result)} limits "
    words += f"{custom.short(base.startup)} for {text.short_share(base.window_share)} of the time"
    larger = next((s for s in group if s.startup == larger_window.NAME), None)
    if larger is None or larger.change is None or _is_incomplete(larger):
        return f"{words}. "
    words += f"; one {larger_window.TIMES} times as large is {_change(larger)}"
    judged = (
        result.intervals.decisions[base.group].verdict.of(larger.startup)
        if result.intervals
        else None
    )
    if judged and judged.vetoes:
        words += f", but {_objection(judged.vetoes[0], larger, base)}"
    return f"{words}. "


def _without_choice(result: "Comparison", group: Sequence[Summary]) -> str:
    """Why to keep the baseline for a size."""
    name, baseline = tables.group_name(group[0]), custom.short(result.baseline)
    if not any(s.complete for s in group):
        ended = "no transfer was completed"
        if group[0].measure:
            ended = "nothing was delivered" if group[0].is_rate else "too few writes were delivered"
        return f"{name}: {ended}."
    if _is_incomplete(_base(result, group)):
        doubt = "inconclusive; " if len(group) > 1 else ""
        return f"{name}: {doubt}{_completed(group)}."
    if len(group) == 1:
        does = "has" if group[0].measure else "completes in"
        return f"{name}: {baseline} {does} {_measured(group[0])}."
    if not result.intervals:
        better = "is faster"
        if group[0].measure:
            better = "has a higher rate" if group[0].is_rate else "has a lower delay"
        return f"{name}: no startup {better} than {baseline} ({_runs(group[0])})."
    return f"{name}: {_kept(result.intervals, group, baseline)}."


def _base(result: "Comparison", group: Sequence[Summary]) -> Summary:
    """The baseline's summary; the first where the baseline has none."""
    return next((s for s in group if s.startup == result.baseline), group[0])


def _is_incomplete(s: Summary) -> bool:
    return s.complete < s.flows


def _completed(group: Sequence[Summary]) -> str:
    """How many transfers startups completed, of those that did not complete all."""
    rest = [s for s in group if _is_incomplete(s)]
    counts = [f"{custom.short(s.startup)} completed {s.complete} of {s.flows}" for s in rest[:FEW]]
    more = f" transfers, {len(rest) - FEW} more startups not all" if len(rest) > FEW else ""
    counts[0] += "" if more else " transfers"
    return ", ".join(counts) + more


def _named(result: "Comparison", group: Sequence[Summary], first: Summary) -> str:
    """The startup to choose, and how it compares with the baseline."""
    name, baseline = tables.group_name(first), custom.short(result.baseline)
    intervals, base = result.intervals, _base(result, group)
    if intervals is None:
        if _is_incomplete(base):
            measured = f"{custom.short(first.startup)}, {_measured(first)}"
            return f"{_superlative(first)} {name}: {measured}; {_completed(group)}"
        return f"{_superlative(first)} {name}: {_gain(first)} than {baseline} ({_runs(first)})"
    fastest = intervals.decisions[first.group].verdict.recommended
    if fastest is None:
        chosen = custom.short(first.startup)
        return f"{name}: {chosen} is as {_good(first)} as {baseline}, {_fewer(first, base)}"
    answer = f"{_superlative(first)} {name}: {_gain(first)} than {baseline}"
    answer += _interval(intervals, first)
    if fastest == first.startup:
        return answer
    other = next(s for s in group if s.startup == fastest)
    return f"{answer}, as {_good(first)} as {custom.short(fastest)}, {_fewer(first, other)}"


def _superlative(s: Summary) -> str:
    if s.measure:
        return "Highest" if s.is_rate else "Lowest"
    return "Fastest for"


def _good(s: Summary) -> str:
    if s.measure:
        return "high" if s.is_rate else "low"
    return "fast"


def _measured(s: Summary) -> str:
    """The rate or the completion time."""
    return text.rate(s.goodput_bps) if s.is_rate else text.short_seconds(s.fct_s)


def _fewer(s: Summary, other: Summary) -> str:
    shares = [text.short_share(loss) for loss in (s.loss, other.loss)]
    return f"with fewer losses ({shares[0]} of packets, not {shares[1]})"


def _runs(s: Summary) -> str:
    """What a row without an interval rests on."""
    return "one run" if s.seeds == 1 else f"mean of {s.seeds} seeds"


def _chosen(result: "Comparison", group: Sequence[Summary]) -> Summary | None:
    """The startup to choose; None where that is the baseline."""
    best = [s for s in group if s.best and s.complete]
    if len(group) == 1 or any(s.startup == result.baseline for s in best):
        return None
    return min(best, key=_time, default=None)


def _kept(intervals: "Intervals", group: Sequence[Summary], baseline: str) -> str:
    """Why to keep the baseline: the fastest other startup, and what speaks against it."""
    others = [s for s in group if s.change is not None and not _is_incomplete(s)]
    others = [s for s in others if s.startup != intervals.baseline]
    if not others:
        return f"keep {baseline}; {_completed(group)}"
    best = min(others, key=lambda s: s.slower)
    base = next((s for s in group if s.startup == intervals.baseline), best)
    judged = intervals.decisions[best.group].verdict.of(best.startup)
    if judged is None:
        return f"keep {baseline}; {custom.short(best.startup)} is as {_good(best)}"
    doubt = "inconclusive, " if judged.is_inconclusive else ""
    return f"{doubt}keep {baseline}; {_reason(intervals, judged, best, base)}"


def _rejected(intervals: "Intervals", judged: "Judgement", s: Summary, base: Summary) -> str:
    """A startup that is beyond a limit, with its change."""
    change = f"{_change(s)}{_interval(intervals, s)},"
    if judged.is_as_fast:
        change = f"as {_good(s)},"
    joint = "but" if judged.is_as_fast or s.slower < 0 else "and"
    return f"{custom.short(s.startup)} is {change} {joint} {_objection(judged.vetoes[0], s, base)}"


def _objection(gate: "Gate", s: Summary, base: Summary) -> str:
    """Why a faster startup is not chosen."""
    from flowstart.inference.gates import GateQuantity  # loads numpy

    size, limit = text.short_share(gate.estimate), text.short_share(gate.limit)
    if gate.quantity == GateQuantity.HARMED:
        return f"over 10 % slower in {size} of repeats (limit {limit})"
    if gate.quantity == GateQuantity.P90:
        return f"its slowest tenth of repeats is {size} slower"
    if gate.quantity == GateQuantity.SLOWEST_FLOW:
        return f"its slowest flow is {size} slower ({_slowest(s)}, not {_slowest(base)})"
    does = "loses" if gate.quantity == GateQuantity.LOSS else "retransmits"
    return f"{does} {size} of its packets (limit {limit})"


def _slowest(s: Summary) -> str:
    """The completion time of the slowest flow, or its rate."""
    return text.rate(s.least_goodput_bps) if s.is_rate else text.short_seconds(s.slowest_flow_s)


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
    words = ("faster", "slower")
    if s.measure:
        words = ("higher", "lower") if s.is_rate else ("lower", "higher")
    return f"{text.short_share(abs(s.change or 0.0))} {words[s.slower > 0]}"


def _loss(result: "Comparison", group: Sequence[Summary], first: Summary) -> str:
    """The losses of the startup to choose, if they are more than the baseline's."""
    base = _base(result, group)
    shares = [text.short_share(s.loss) for s in (first, base)]
    if first.dropped <= base.dropped or shares[0] == shares[1]:
        return ""
    return f"It loses {shares[0]} of its packets, {custom.short(result.baseline)} {shares[1]}"


def _ties(result: "Comparison", first: Summary) -> str:
    """What is not significantly slower than the startup to choose."""
    decision = result.intervals.decision(first) if result.intervals else None
    names = [custom.short(name) for name in decision.ties(first.startup)] if decision else []
    if len(names) > FEW:
        names = [*names[: FEW - 1], f"{len(names) - FEW + 1} more"]
    return f"Not significantly slower: {text.listed(names)}" if names else ""


def _over_limit(result: "Comparison", group: Sequence[Summary], than: Summary) -> str:
    """The fastest of the startups that are faster than one, and beyond a limit."""
    if not result.intervals:
        return ""
    verdict, base = result.intervals.decisions[than.group].verdict, _base(result, group)
    change = 0.0 if than is base else than.slower
    for s in sorted(group, key=lambda s: s.slower):
        judged = verdict.of(s.startup)
        if judged and judged.vetoes and s.slower < change and not judged.is_as_fast:
            return f"{_gain(s)}, but {_objection(judged.vetoes[0], s, base)}"
    return ""


def _deployable(result: "Comparison", group: Sequence[Summary], first: Summary) -> list[str]:
    """The startup to choose of those that a sender can deploy alone, where `first` is none."""
    obstacle = _obstacle(result, first)
    if not obstacle:
        return []
    able = [s for s in group if not _is_incomplete(s) and not _obstacle(result, s)]
    if not able:
        return [f"It {obstacle}"]
    best, base = _best_of(result, able), _base(result, group)
    rest = _gain(best)
    if best is base:
        rest = f"keep {custom.short(result.baseline)}"
    elif result.intervals and _is_equal(result.intervals, best):
        rest = f"{custom.short(best.startup)}, as {_good(best)}, {_fewer(best, base)}"
    return [f"It {obstacle}; otherwise {rest}", _over_limit(result, able, best)]


def _is_equal(intervals: "Intervals", s: Summary) -> bool:
    judged = intervals.decisions[s.group].verdict.of(s.startup)
    return judged is not None and judged.is_equal


def _best_of(result: "Comparison", able: Sequence[Summary]) -> Summary:
    """The startup to choose of some: the baseline if none of them is better."""
    best, base = min(able, key=_time), _base(result, able)
    if result.intervals:
        choice = result.intervals.decisions[best.group].choice([s.startup for s in able])
        return next((s for s in able if s.startup == choice), best)
    is_slower = base.startup == result.baseline and best.slower >= 0
    return base if is_slower else best


def _obstacle(result: "Comparison", s: Summary) -> str:
    """Why a sender cannot deploy a startup alone; empty where it can."""
    if needs_help(s.startup):
        return "needs router, peer or cache support"
    return "" if result.offers(s.startup) else f"is not part of {result.hosts.title}"


def _time(s: Summary) -> float:
    return s.time


def _lower_bound(result: "Comparison", group: Sequence[Summary]) -> str:
    """The completion time of an unhindered transfer."""
    bound = result.lower_bound(group[0].group)
    return "" if bound is None else f" Lower bound {text.short_seconds(bound)}."


def _table(result: "Comparison", group: Sequence[Summary]) -> Grid:
    """A row per startup: the baseline, then the fastest first."""
    intervals, flows = result.intervals, any(s.has_flows for s in group)
    title, others = _measure_columns(group[0])
    grid = Grid([Column("startup", number=False), Column(title, is_kept=True)])
    grid.columns += [Column(other, spare=spare) for other, spare in others.items()]
    grid.columns += [Column("slowest"), Column("Jain")] if flows else []
    grid.columns.append(Column("change"))
    if intervals:
        grid.columns += [Column(intervals.column), Column("slower\n>10 %", spare=2)]
    grid.columns += [Column("lost", spare=1), Column("RTOs", spare=4)]
    limited = any(s.limited_by in _native.LIMITS_OF_ENDS for s in group)
    grid.columns += [Column("limited by", number=False, is_kept=True)] if limited else []
    grid.columns += [
        Column("background", spare=3),
        Column("exit", number=False, spare=2 if flows else 0),
    ]
    base = _base(result, group)
    baseline = result.baseline
    for s in sorted(group, key=lambda s: (s.startup != baseline, s.complete < s.flows, _time(s))):
        if s.best:
            grid.marked.add(len(grid.rows))
        done = f" ({s.complete}/{s.flows})" if s.complete < s.flows else ""
        cells = [custom.short(s.startup), _measured(s) + done]
        cells += _measures(s)
        cells += [_slowest(s), text.ratio(s.fairness)] if flows else []
        # Means over different transfers are no change.
        change = None if _is_incomplete(s) or _is_incomplete(base) else s.change
        cells.append("baseline" if s is base else text.short_percent(change))
        cells += [intervals.ends(s), intervals.slower_share(s)] if intervals else []
        cells += [text.short_share(s.loss), text.count(s.timeouts)]
        cells += [larger_window.limit_words(s.limited_by, s.limited_share)] if limited else []
        cells.append(text.short_percent(s.background_change) if s.background_change else "")
        grid.rows.append([*cells, exit_words(s)])
    return grid


def _all_of(startups: Sequence[str]) -> str:
    """All of a few names, or the first of many."""
    return ", ".join(startups) if len(startups) <= FEW else text.first_of(startups)


def _measure_columns(s: Summary) -> tuple[str, dict[str, int]]:
    """The title of what is compared, and further columns with the order of their omission."""
    if not s.measure:
        return "completion", {}
    if s.is_rate:
        return "rate", {"of link": 0, "to 1 MB": 1, "to 10 MB": 2}
    return "p95", {"p50": 2, "p99": 1, "longest": 3, "late": 0}


def _measures(s: Summary) -> list[str]:
    """The cells of these columns: share of the link and first bytes, or delays of writes."""
    if not s.measure:
        return []
    if s.is_rate:
        times = [text.short_seconds(time) for time in (s.to_1mb_s, s.to_10mb_s)]
        return [text.short_share(s.goodput_share), *times]
    delays = [text.short_seconds(time) for time in (s.delay_p50_s, s.delay_p99_s, s.delay_max_s)]
    return [*delays, "" if s.late_share is None else text.short_share(s.late_share)]


def exit_words(s: Summary) -> str:
    """The cwnd at the end of startup and its cause; none where startup outlasts the transfer."""
    if s.exit_reason is None:
        return "none (flow control)" if s.limited_by in _native.WINDOWS else "none"
    is_one = s.min_exit_bdp == s.max_exit_bdp
    windows = tables.exits_in_bdp(s, text.ratio if is_one else text.short_ratio)
    return s.exit_reason if windows == text.ABSENT else f"{windows} BDP, {s.exit_reason}"


def _undeployable(result: "Comparison", group: Sequence[Summary]) -> list[str]:
    """The startups that a sender cannot deploy alone."""
    helped = [custom.short(s.startup) for s in group if needs_help(s.startup)]
    absent = [
        custom.short(s.startup)
        for s in group
        if not needs_help(s.startup) and not result.offers(s.startup)
    ]
    lines = [f"Needs router, peer or cache support: {_all_of(helped)}."] if helped else []
    return lines + ([f"Not part of {result.hosts.title}: {_all_of(absent)}."] if absent else [])


def _closing(result: "Comparison", table: Grid) -> list[str]:
    """What the columns are that the table shows."""
    shown = {column.title for column in table.informative().columns}
    lines = ["exit: cwnd at the end of startup."] * ("exit" in shown)
    if result.intervals and len(result.plan.startups) > 1:
        lines.insert(0, result.intervals.closing)
    if len({s.group for s in result.summaries}) > 1:
        group = "time" if result.summaries[0].is_rate else "size"
        lines.insert(0, f"table: the {group} with the largest change")
    return ["; ".join(lines)] * bool(lines)
