"""A replay in words: the summary, and what stands above and below its tables."""

from typing import TYPE_CHECKING

from flowstart import _native, text
from flowstart.captures import server_log
from flowstart.comparison import larger_window
from flowstart.inference import Gate, Judgement, Row, Statistic, Status, ValidityQuestion
from flowstart.inference.gates import GateQuantity
from flowstart.inference.verdict import exceeding
from flowstart.model import custom, document
from flowstart.model import stack as stacks
from flowstart.render import footnotes, summary
from flowstart.render.grid import Column, Grid
from flowstart.replays import groups
from flowstart.replays.answer import EVERYTHING
from flowstart.replays.paths import BUFFERS, joined
from flowstart.replays.scenario import usual_stack
from flowstart.replays.summary import ENOUGH
from flowstart.replays.validity import LABELS

if TYPE_CHECKING:
    from flowstart.replays.result import Replay

LIMITS = (
    "Connections are replayed as conversations: a turn begins once the one before it has arrived.",
    "Receivers that stopped reading and applications that wrote in small pieces are not replayed.",
)
"""What a replay does not show."""
GIVEN = "as given"
SPACING = "estimated from the spacing of data and acknowledgements"


def headline(replay: "Replay") -> str:
    """One line on what was replayed."""
    count = sum(replayed.transfers for replayed in replay.paths)
    left = "; ".join(f"{number} left out, {why}" for why, number in replay.left_out.items())
    out = f" ({left})" if left else ""
    stack = stacks.of_scenario(usual_stack(replay.settings))["preset"]
    paths = "one path" if len(replay.paths) == 1 else f"{len(replay.paths)} paths"
    more = [f"{replay.settings.cross_traffic:.0%} cross traffic"] * bool(
        replay.settings.cross_traffic
    )
    more += [f"{name} {value}" for name, value in replay.settings.impairments.items()]
    tested = f", {replay.facts.height} of them under test" * (count != replay.facts.height)
    parts = [f"{count} transfers{out} over {paths}{tested}", *more, f"stack {stack}"]
    return f"{replay.capture.file}: {', '.join(parts)}, seed {replay.settings.seed}"


def sources(replay: "Replay") -> str:
    """Where rates and buffers come from, in a line; `methods` has the details."""
    s = replay.settings
    log = server_log.is_log(replay.capture)
    rates = GIVEN if s.rate else _of_log(replay) if log else SPACING
    buffers = "assumed" if s.rate or log else "from the longest wait where packets were lost"
    ways = [GIVEN if s.buffer else buffers, GIVEN if s.buffer or s.reverse_buffer else buffers]
    return " ".join([f"Rates: {rates}. Buffers: {joined(ways)}.", *_assumed(replay)])


def _of_log(replay: "Replay") -> str:
    """Where the rates of a log come from."""
    if any("rate" not in replayed.assumed and replayed.rate_range for replayed in replay.paths):
        return "fitted to the log's durations by simulation"
    if all("rate" in replayed.assumed for replayed in replay.paths):
        return "unknown, since no durations of the log imply them"
    return "from the log's rates"


def _assumed(replay: "Replay") -> list[str]:
    """What ≈ says of the paths that have one."""
    names = {name for replayed in replay.paths for name in replayed.assumed}
    if not names:
        return []
    buffer = "a buffer of 1 BDP, but at least 40 packets"
    if replay.settings.rate:
        return [f"≈: assumed, {buffer} (--buffer gives another)."]
    rate = ["a rate as the other way's or the other networks'"] * bool(names - {*BUFFERS})
    log = server_log.is_log(replay.capture)
    seen = ", what was seen to wait and the largest flight of which nothing was lost" * (not log)
    buffers = [buffer + seen] * bool(names & {*BUFFERS})
    return [f"≈: assumed, since the capture does not show it: {', '.join(rate + buffers)}."]


def details(replay: "Replay") -> list[str]:
    """Where a reader of the terminal finds more of the paths, and what a log has not."""
    log = server_log.is_log(replay.capture)
    notes = [f"The log: {'; '.join(replay.capture.notes)}."] if log else []
    if replay.settings.rate:
        return notes
    return ["Path by path: --json or -o; or give --rate and --buffer.", *notes]


def methods(replay: "Replay") -> list[str]:
    """How rates and buffers were come by, each said once."""
    seen: dict[str, list[str]] = {}
    for replayed in replay.paths:
        seen.setdefault(f"rate: {replayed.rate_method}", []).append(replayed.name)
        seen.setdefault(f"buffer: {replayed.buffer_method}", []).append(replayed.name)
    return [f"{', '.join(names)}: {method}" for method, names in seen.items()]


def table_legend(replay: "Replay") -> str:
    """What the columns of the table mean."""
    base = custom.short(replay.settings.reference.name)
    answer = replay.answer
    repeats = f", and by {answer.repeats} perturbed repeats" if answer.repeats else ""
    columns = (
        "All connections of a path run together at the times of the capture; alone: each "
        "connection separately. p50, p95, p99: percentiles of completion times, and their changes "
        f"against {base}; geomean: the geometric mean of the ratios of their times, less 1; "
        "from…to: simultaneous 95 % confidence intervals in %, clustered by "
        f"connection{repeats}. harmed: transfers more than a tenth slower than under {base}; most "
        "harmed: the network with the largest share of them (one of fewer than "
        f"{ENOUGH} transfers only if no other has any)."
    )
    marked = [f"{text.MARK}: recommended."] * any(s.best for s in replay.summaries)
    return "\n".join([" ".join([columns, *marked]), *replay.notes, *without_syn(replay)])


def without_syn(replay: "Replay") -> list[str]:
    """What a replayed transfer, on a connection that is open, cannot give a startup."""
    startups = [str(variant.begins) for variant in replay.settings.compared]
    if not any(name.partition(":")[0].strip() == "quick-start" for name in startups):
        return []
    return ["quick-start begins as slow start here: there is no SYN to ask routers on."]


def verdict(replay: "Replay") -> list[str]:
    """What to choose, and why."""
    if not any(s.complete for s in replay.summaries):
        return ["No transfer was completed."]
    if not replay.verdict.judgements:
        return []
    objection = replay.verdict.objection
    cause = objection.cause if objection else ""
    lines = [*windows(replay), replay.verdict.headline]
    return [*lines, *[f"Probable cause: {cause}."] * bool(cause)]


def windows(replay: "Replay") -> list[str]:
    """For how long receivers' windows limit the baseline, where larger ones are compared."""
    base = replay.settings.reference.name
    shares = {s.variant: s.window_share for s in replay.summaries if s.size_class == EVERYTHING}
    if replay.settings.larger is None:
        return []
    of = f"{text.short_share(shares[base])} of the transfers' time"
    return [f"The receivers' windows limit {custom.short(base)} for {of}."]


SIDES = {
    "server": "from servers",
    "client": "from clients",
    "both": "in both directions",
}


def overview(replay: "Replay", command: str) -> summary.SummaryPage:
    """What was replayed, the verdict, a table of settings, and the next step."""
    first, *others = opening(replay)
    shown = table(replay)
    notes = [*(legend(replay) if shown else ()), *partial(replay), *replay.notes]
    notes += replay.omissions.decisive
    return summary.SummaryPage(
        first,
        [*others, *verdict(replay)],
        shown,
        [*notes, *without_syn(replay), *next_steps(replay)],
        command,
        hint="All tables: --details. Report: -o DIR",
        least_rows=1 + len(replay.settings.offered) if replay.partial else 2,
    )


def opening(replay: "Replay") -> list[str]:
    """What was replayed, and whether the replay supports a recommendation."""
    settings, count = replay.settings, replay.facts.height
    networks = text.counted(replay.facts["network"].n_unique(), "network", "networks")
    transfers = text.counted(count, "transfer", "transfers")
    lines = [f"{transfers} {SIDES[settings.direction]}, {networks}; {current(replay)}."]
    lines += sample(replay)
    left = "; ".join(f"{number}: {why}" for why, number in replay.left_out.items())
    lines += [f"Left out: {left}."] if left else []
    return lines + initial_windows(replay) + contradiction(replay) + validity(replay)


def sample(replay: "Replay") -> list[str]:
    """What was drawn, where not all is replayed."""
    drawn = replay.capture.drawn
    if drawn is None:
        return []
    (networks, of_networks), (transfers, of_transfers) = drawn.networks, drawn.transfers
    of_all = f"{transfers:,} of {of_transfers:,} transfers"
    drawn_from = f"{networks:,} of {of_networks:,} networks, {of_all}"
    return [f"Sample: {drawn_from}; --sample all replays everything."]


def current(replay: "Replay") -> str:
    """The setting that the others are compared with."""
    settings = replay.settings
    base, preset = settings.reference, stacks.of_scenario(usual_stack(settings))["preset"]
    own, facts = _own_facts(replay), settings.hosts.facts
    shown = {name: " (measured)" * (facts.get(name) == value) for name, value in own.items()}
    paced = f"paced{shown['pacing']}" if own["pacing"] != "none" else ""
    cc = f"{base.cc}{shown['cc']}" if base.cc else ""
    window = f"IW {own['iw']}{_share(replay, own['iw']) or shown['iw']}"
    used = ", ".join(filter(None, [preset, str(base.begins), cc, window, paced]))
    return "assumed " * settings.by_default + used


def _share(replay: "Replay", segments: str) -> str:
    """How many connections have an initial window, where those measured differ."""
    windows = replay.settings.hosts.windows
    shares = [
        window.share for window in windows if str(window.segments) == segments and window.share < 1
    ]
    return f" (measured: {text.short_share(shares[0])} of connections)" if shares else ""


def initial_windows(replay: "Replay") -> list[str]:
    """The initial windows of the senders under test, in a line, where they differ."""
    windows = replay.settings.hosts.windows
    if len(windows) < 2:
        return []
    each = [
        f"{window.segments} for {text.short_share(window.share)} of connections "
        f"({text.first_of(window.addresses)})"
        for window in windows
    ]
    return [f"Initial windows differ: {text.listed(each)}."]


FACTS = {
    "iw": "an initial window of {measured} segments; the baseline has {own}",
    "pacing": "pacing; the baseline does not pace",
    "restart": "windows that are kept after idle time; the baseline reduces them",
    "cc": "cc {measured}; the baseline has {own}",
}
"""What a capture shows of senders, where the baseline does something else."""


def contradiction(replay: "Replay") -> list[str]:
    """A line for each fact that the capture shows of senders and that the baseline lacks."""
    own = _own_facts(replay)
    return [
        f"The capture shows {FACTS[name].format(measured=measured, own=own[name])}."
        for name, measured in replay.settings.hosts.facts.items()
        if own[name] != measured and not (name == "pacing" and own[name] != "none")
    ]


def _own_facts(replay: "Replay") -> dict[str, str]:
    """The baseline's values of `FACTS`."""
    base = replay.settings.reference
    usual = replay.resolved[base.name]["stack"]
    own = stacks.preset(base.fields["preset"]) if "preset" in base.fields else {}
    fields = {**usual, **own, **base.fields}
    window = str(document.initial_window(fields))
    named = {name: str(fields.get(name, "none")) for name in ("pacing", "restart")}
    return {"iw": window, **named, "cc": str(base.cc)}


def validity(replay: "Replay") -> list[str]:
    """The answers to the four questions, in a line."""
    checks = replay.verdict.validity.checks
    answers = [f"{LABELS[check.question]}: {check.answer}." for check in checks]
    return [" ".join(answers)] if answers else []


def table(replay: "Replay") -> Grid | None:
    """A row for each setting: gain and cost over all traffic, and where it harms most.

    None if no rates are known.
    """
    objection = replay.verdict.objection
    if objection and objection.question == ValidityQuestion.PATH:
        return None  # numbers from assumed rates
    grid = Grid([Column("setting", number=False), Column("change"), Column("95 % CI, %")])
    grid.columns += [Column("p95", spare=1), Column("loss"), Column("harmed")]
    summaries = {s.variant: s for s in replay.summaries if s.size_class == EVERYTHING}
    is_limited = any(s.limited_by in _native.LIMITS_OF_ENDS for s in summaries.values())
    grid.columns += [Column("limited by", number=False, is_kept=True)] * is_limited
    grid.columns.append(Column("worst part", number=False, spare=2 * is_limited))
    grid.columns.append(Column("verdict", number=False))
    losses = {name: s.loss for name, s in summaries.items()}
    limits = {
        name: [larger_window.limit_words(s.limited_by, s.limited_share)] * is_limited
        for name, s in summaries.items()
    }
    base = replay.answer.baseline
    lost, none = text.short_share(losses.get(base)), text.ABSENT
    grid.rows.append(
        [_named(replay, base), "", "", "", lost, none, *limits[base], none, "baseline"]
    )
    candidate = replay.verdict.candidate
    # The setting of the headline first: a screen may have no room for all.
    for judgement in sorted(replay.verdict.judgements, key=lambda j: j != candidate):
        if judgement.setting == replay.verdict.recommended:
            grid.marked.add(len(grid.rows))
        worst = worst_harm(replay, judgement)
        p95 = replay.answer.row(EVERYTHING, judgement.setting, Statistic.P95)
        grid.rows.append(
            [
                _named(replay, judgement.setting),
                text.short_percent(judgement.gain.estimate),
                _ends(judgement.gain),
                text.short_percent(p95.estimate) if p95 else text.ABSENT,
                text.short_share(losses.get(judgement.setting)),
                text.short_share(worst[0]) if worst else text.ABSENT,
                *limits[judgement.setting],
                worst[1].replace(" to ", "–") if worst else text.ABSENT,
                judgement.cause,
            ]
        )
    return grid


def legend(replay: "Replay") -> list[str]:
    """What the columns of the table are."""
    research = any(judgement.status == Status.RESEARCH for judgement in replay.verdict.judgements)
    columns = "change: of the geometric mean; harmed: over 10 % slower"
    return [columns + "; research: not offered" * research]


def _named(replay: "Replay", name: str) -> str:
    startup = replay.settings.variant(name).startup
    return footnotes.marked(name) if name == startup else custom.short(name)


def worst_harm(replay: "Replay", judgement: Judgement) -> tuple[float, str] | None:
    """The largest share of transfers that a setting harms in a size class or network, and where."""
    harm = [
        (gate.estimate, gate.part)
        for gate in judgement.gates
        if gate.quantity == GateQuantity.HARMED and gate.kind != "networks" and gate.estimate > 0
    ]
    for s in replay.summaries:
        if (s.size_class, s.variant) == (EVERYTHING, judgement.setting) and s.worst_network:
            harm.append((s.worst_share or 0.0, s.worst_network))
    return max(harm, key=lambda share: share[0], default=None)


def _ends(row: Row) -> str:
    if row.low is None or row.high is None or text.too_wide(row.low, row.high):
        return "inconclusive"
    low, high = (text.short_percent(end).removesuffix(" %") for end in (row.low, row.high))
    return f"{low}…{high}"


def risk(replay: "Replay") -> list[str]:
    """Limits that the candidate exceeds, or may exceed, next to that of the verdict."""
    nearest = replay.verdict.candidate
    if nearest is None or replay.verdict.objection:
        return []
    worst: dict[GateQuantity, Gate] = {}
    for gate in nearest.vetoes:
        worst.setdefault(gate.quantity, gate)
    if GateQuantity.LOSS in worst:
        worst.pop(GateQuantity.RETRANSMITTED, None)  # of what was lost
    facts = [exceeding(gate) for gate in worst.values() if gate is not nearest.vetoes[0]]
    return [f"{custom.short(nearest.setting)} also {'; '.join(facts)}."] * bool(facts)


def partial(replay: "Replay") -> list[str]:
    """The verdicts on single networks, and the settings for groups where none is for all."""
    lines = [line for part in replay.partial for line in part.lines]
    if replay.verdict.recommended is None:
        lines += [line for group in replay.groups if (line := groups.line(group))]
    return lines


def remedy(replay: "Replay") -> list[str]:
    """The commands that would settle the question that fails."""
    objection = replay.verdict.objection
    commands = objection.remedy if objection else ()
    return ["To settle it:", *(f"  {command}" for command in commands)] if commands else []


def next_steps(replay: "Replay") -> list[str]:
    """What would settle a question that fails; or how hosts are set, and the test that confirms."""
    settings, nearest = replay.settings, replay.verdict.candidate
    if settling := remedy(replay):
        return settling
    plans = {n.variant.name: n.test for n in replay.notes_to_deploy}
    plan = plans.get(nearest.setting) if nearest else None
    if nearest and nearest.setting == replay.verdict.recommended:
        commands = settings.commands(settings.variant(nearest.setting))
        lines = [line for command in commands for line in command.lines(nearest.setting)]
        return lines + [f"A/B test. {size.text}" for size in (plan.sizes if plan else ())]
    if nearest and nearest.risk:
        return [f"Next: no change, and no test of {custom.short(nearest.setting)}: {nearest.risk}."]
    if nearest is None or plan is None or replay.verdict.objection:
        return ["Next: no change."]
    needed = " or ".join(f"{size.transfers:,} with {size.unit}s as units" for size in plan.sizes)
    test = f"an A/B test of {custom.short(nearest.setting)}; transfers in each arm: {needed}"
    return [f"Next: no change, or {test}."]
