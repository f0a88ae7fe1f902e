"""The summary of a replay: verdict, gain, cost, risk and the next step."""

from flowstart.inference import Gate, Judgement, Row, Statistic, Status
from flowstart.inference.gates import Kind, Quantity
from flowstart.inference.verdict import part_in_words
from flowstart.model import custom
from flowstart.model import stack as stacks
from flowstart.render import footnotes, summary, text
from flowstart.render.grid import Column, Grid
from flowstart.replays import sentences
from flowstart.replays.result import Replay
from flowstart.replays.scenario import usual_stack
from flowstart.replays.times import EVERYTHING

SIDES = {
    "server": "from your servers",
    "client": "from their clients",
    "both": "in both directions",
}


def overview(replay: Replay, command: str) -> summary.Summary:
    """What was replayed, the recommendation, a table of settings, and the next step."""
    first, *others = opening(replay)
    tables = f"{'Test plan and all' if test_plan(replay) else 'All'} tables: --details"
    closing = [*commands(replay), f"{tables}. Report: -o DIR"]
    notes = [*risk(replay), *partial(replay), *replay.notes, *sentences.without_syn(replay)]
    return summary.Summary(
        first,
        [*others, *sentences.verdict(replay)],
        table(replay),
        [*notes, *(closing if replay.verdict.recommended else [" ".join(closing)])],
        command,
    )


def opening(replay: Replay) -> list[str]:
    """What was replayed, and how well the replay agrees with the recording."""
    settings, count = replay.settings, replay.facts.height
    current = settings.reference
    iw = settings.recorded.fields.get("iw")
    preset = stacks.of_scenario(usual_stack(settings))["preset"]
    used = [preset, str(current.begins), current.cc or "", f"IW {iw}" if iw else ""]
    networks = text.counted(len(replay.paths), "network", "networks")
    base = ", ".join(filter(None, used))
    lines = [f"{count} transfers {SIDES[settings.direction]} over {networks}; {base}."]
    left = "; ".join(f"{number}: {why}" for why, number in replay.left_out.items())
    lines += [f"Left out: {left}."] if left else []
    return lines + accuracy(replay)


def accuracy(replay: Replay) -> list[str]:
    """How far simulated times are from recorded ones."""
    found = replay.calibration.classes[-1:] if replay.calibration else []
    lines = []
    for one in found:
        if one.median is not None and one.p5 is not None and one.p95 is not None:
            lines.append(
                f"Replay accuracy: median error {text.percent(one.median - 1)}, 90 % of transfers "
                f"within {text.percent(one.p5 - 1)} to {text.percent(one.p95 - 1)}."
            )
    return lines


def table(replay: Replay) -> Grid:
    """A row for each setting: gain and cost over all traffic, and where it harms most."""
    titles = ["change", "95 % CI, %", "p95", "loss"]
    grid = Grid([Column("setting", number=False), *(Column(title) for title in titles)])
    grid.columns += [Column("harmed"), Column("worst part", number=False)]
    grid.columns.append(Column("verdict", number=False))
    losses = {s.variant: s.loss for s in replay.summaries if s.size_class == EVERYTHING}
    base = replay.answer.baseline
    none = [text.ABSENT] * 3
    grid.rows.append(
        [_named(replay, base), "", "", "", text.share(losses.get(base)), *none[:2], "baseline"]
    )
    for one in replay.verdict.judgements:
        if one.setting == replay.verdict.recommended:
            grid.marked.add(len(grid.rows))
        worst = worst_harm(one)
        p95 = replay.answer.row(EVERYTHING, one.setting, Statistic.P95)
        grid.rows.append(
            [
                _named(replay, one.setting),
                text.short_percent(one.gain.estimate),
                _ends(one.gain),
                text.short_percent(p95.estimate) if p95 else text.ABSENT,
                text.share(losses.get(one.setting)),
                text.share(worst.estimate) if worst else text.ABSENT,
                worst.part if worst else text.ABSENT,
                str(one.status),
            ]
        )
    return grid


def _named(replay: Replay, name: str) -> str:
    startup = replay.settings.variant(name).startup
    return footnotes.marked(name) if name == startup else custom.short(name)


def worst_harm(one: Judgement, kind: Kind | None = None) -> Gate | None:
    """Where a setting harms the largest share of transfers."""
    harm = [g for g in one.gates if g.quantity == Quantity.HARMED and (not kind or g.kind == kind)]
    found = max(harm, key=lambda g: g.estimate, default=None)
    return found if found and found.estimate > 0 else None


def _ends(row: Row) -> str:
    if row.low is None or row.high is None or text.too_wide(row.low, row.high):
        return "inconclusive"
    low, high = (text.short_percent(end).removesuffix(" %") for end in (row.low, row.high))
    return f"{low} to {high}"


def candidate(replay: Replay) -> Judgement | None:
    """The setting that a reader asks about: what is recommended, or else what gains most."""
    verdict = replay.verdict
    if verdict.recommended is not None:
        return verdict.of(verdict.recommended)
    gaining = [
        one for one in verdict.judgements if one.gain.gains and one.status != Status.RESEARCH
    ]
    return min(gaining, key=lambda one: one.gain.estimate or 0.0, default=None)


def risk(replay: Replay) -> list[str]:
    """Limits that the candidate exceeds next to that of the verdict, and the other buffers."""
    one = candidate(replay)
    if one is None:
        return sensitivity(replay)
    worst: dict[Quantity, Gate] = {}
    for gate in one.vetoes:
        worst.setdefault(gate.quantity, gate)
    if Quantity.LOSS in worst:
        worst.pop(Quantity.RETRANSMITTED, None)  # of what was lost
    facts = [_fact(gate) for gate in worst.values() if gate is not one.vetoes[0]]
    lines = [f"Also against {custom.short(one.setting)}: {'; '.join(facts)}."] * bool(facts)
    return lines + sensitivity(replay)


def _fact(gate: Gate) -> str:
    shown = text.percent if gate.quantity == Quantity.P99 else text.share
    what = {
        Quantity.HARMED: "harmed",
        Quantity.P99: "p99",
        Quantity.LOSS: "loss",
        Quantity.RETRANSMITTED: "retransmissions",
    }[gate.quantity]
    of = "in" if gate.kind == "network" else "of"
    limit = f"(limit {text.share(gate.limit)})"
    return f"{what} {shown(gate.estimate)} {of} {part_in_words(gate)} {limit}"


def sensitivity(replay: Replay) -> list[str]:
    """Whether the verdict is the same with other buffers in the place of those assumed."""
    if not replay.bands:
        return []
    mine = replay.answer.verdict.recommended
    others = {band.name: band.answer.verdict.recommended for band in replay.bands}
    changed = [name for name, choice in others.items() if choice != mine]
    if not changed:
        return [f"Same result with {text.listed(list(others))}."]
    found = [f"with {name}: {others[name] or 'keep the current setting'}" for name in changed]
    return [f"Different result {'; '.join(found)}."]


def partial(replay: Replay) -> list[str]:
    """The verdicts on single networks."""
    return [line for one in replay.partial for line in one.lines]


def commands(replay: Replay) -> list[str]:
    """How hosts are set to what is recommended, and back."""
    settings, name = replay.settings, replay.verdict.recommended
    if name is None:
        return ["Next: no change."]
    found = settings.hosts.commands(settings.variant(name), settings.reference)
    return [line for one in found for line in one.lines]


def test_plan(replay: Replay) -> list[str]:
    """The test that would confirm what is recommended."""
    return [
        line
        for note in replay.notes_to_deploy
        if note.test and note.variant.name == replay.verdict.recommended
        for line in (note.test.lines[0], *(f"  {one.text}" for one in note.test.sizes))
    ]
