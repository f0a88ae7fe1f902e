"""A replay in words: what stands above and below its tables."""

from collections.abc import Sequence

from flowstart.model import custom
from flowstart.render import marks, text
from flowstart.replay.paths import BUFFERS, joined
from flowstart.replay.result import Replay
from flowstart.replay.scenario import usual_stack
from flowstart.replay.summary import ENOUGH, EVERYTHING, ClassSummary, baseline

LIMITS = (
    "Connections are replayed as conversations: a turn begins once the one before it has arrived.",
    "Receivers that stopped reading and applications that wrote bit by bit are not replayed.",
)
"""What a replay does not show."""
GIVEN = "as given"


def headline(replay: Replay) -> str:
    """One line on what was replayed."""
    count = sum(replayed.transfers for replayed in replay.paths)
    left = "; ".join(f"{number} left out, {why}" for why, number in replay.left_out.items())
    out = f" ({left})" if left else ""
    stack = usual_stack(replay.settings).get("preset", "rfc")
    paths = "one path" if len(replay.paths) == 1 else f"{len(replay.paths)} paths"
    return (
        f"{replay.capture.file}: {count} transfers{out} over {paths}, "
        f"stack {stack}, seed {replay.settings.seed}"
    )


def sources(replay: Replay) -> str:
    """Where rates and buffers come from, in a line; `methods` has the details."""
    s = replay.settings
    rates = GIVEN if s.rate else "estimated from the spacing of data and acknowledgements"
    buffers = "assumed" if s.rate else "from the longest wait where packets were lost"
    ways = [GIVEN if s.buffer else buffers, GIVEN if s.buffer or s.reverse_buffer else buffers]
    return " ".join([f"Rates: {rates}. Buffers: {joined(ways)}.", *_assumed(replay)])


def _assumed(replay: Replay) -> list[str]:
    """What ≈ says of the paths that have one."""
    names = {name for replayed in replay.paths for name in replayed.assumed}
    if not names:
        return []
    buffer = "a buffer of 1 BDP, but at least 40 packets"
    if replay.settings.rate:
        return [f"≈: assumed, {buffer} (--buffer gives another)."]
    rate = ["a rate as the other way's or the other networks'"] * bool(names - {*BUFFERS})
    seen = ", what was seen to wait and the largest flight of which nothing was lost"
    buffers = [buffer + seen] * bool(names & {*BUFFERS})
    return [f"≈: assumed, since the capture does not tell: {', '.join(rate + buffers)}."]


def details(replay: Replay) -> list[str]:
    """Where a reader of the terminal finds more of the paths."""
    if replay.settings.rate:
        return []
    return ["Path by path: --json or -o; or give --rate and --buffer."]


def methods(replay: Replay) -> list[str]:
    """How rates and buffers were come by, each said once."""
    seen: dict[str, list[str]] = {}
    for replayed in replay.paths:
        seen.setdefault(f"rate: {replayed.rate_method}", []).append(replayed.name)
        seen.setdefault(f"buffer: {replayed.buffer_method}", []).append(replayed.name)
    return [f"{', '.join(names)}: {method}" for method, names in seen.items()]


def legend(replay: Replay) -> str:
    """What the columns of the table mean."""
    reference = custom.short(baseline(replay.settings.startups))
    best = f" {MARKED}" if any(s.best for s in replay.summaries) else ""
    columns = (
        "All transfers of a path run together at the times of the capture; alone: the median with "
        f"each by itself. change: against {reference}, the median of the transfers' own changes; "
        f"hurt: transfers that take more than a tenth longer than under {reference}; most hurt: "
        "where the largest share of them is (on a network of fewer than "
        f"{ENOUGH} transfers only if no other has any).{best}"
    )
    return "\n".join([columns, *replay.notes, *_without_syn(replay.settings.startups)])


MARKED = (
    f"{marks.MARK}: soonest in the median and in change, of at least {marks.ENOUGH} transfers of "
    f"one size class, with no more than {marks.MOST_HURT:.0%} hurt."
)
"""What the mark says of a row."""


def _without_syn(startups: Sequence[str]) -> list[str]:
    """What a replayed transfer, on a connection that is open, cannot give a start-up."""
    if not any(name.partition(":")[0].strip() == "quick-start" for name in startups):
        return []
    return ["quick-start begins as slow start here: there is no SYN to ask routers on."]


def verdict(replay: Replay) -> list[str]:
    """What a reader who has ten seconds should take away; each line follows from its rows."""
    found = replay.summaries
    if not any(s.complete for s in found):
        return ["No transfer was completed."]
    reference = baseline(replay.settings.startups)
    if len(replay.settings.startups) < 2:
        return []
    classes = dict.fromkeys(s.size_class for s in found if s.size_class != EVERYTHING)
    groups = [[s for s in found if s.size_class == name] for name in classes]
    lines = [f"{group[0].size_class}: {_of_class(group, reference)}." for group in groups]
    everything = [s for s in found if s.size_class == EVERYTHING]
    return lines + [_harm(s, reference, len(replay.paths)) for s in everything if s.hurt]


def _of_class(group: list[ClassSummary], reference: str) -> str:
    """Who is the best of a size class, or why nobody is."""
    base = custom.short(reference)
    if group[0].transfers < marks.ENOUGH:
        number = group[0].transfers
        few = "one transfer is" if number == 1 else f"{number} transfers are"
        return f"{few} too few to name a best ({marks.ENOUGH} are enough)"
    gainers = [s for s in group if marks.gains(s.change)]
    best = [s for s in gainers if s.best]
    if best:
        return f"soonest under {', '.join(_gain(s, base) for s in best)}"
    if not gainers:
        return f"at least half of the transfers gain nothing on {base}, whatever the start-up"
    first = min(gainers, key=lambda s: s.change or 0.0)
    hurts = (first.hurt or 0.0) > marks.MOST_HURT
    why = f"more than {marks.MOST_HURT:.0%} are hurt" if hurts else "its median is not the least"
    return f"the largest gain is {_gain(first, base)}, but it is not the best: {why}"


def _gain(s: ClassSummary, base: str) -> str:
    name, hurt = custom.short(s.startup), s.hurt or 0.0
    return f"{name} ({text.percent(s.change)} against {base}, {hurt:.1%} hurt)"


def _harm(s: ClassSummary, reference: str, paths: int) -> str:
    """How many of all transfers a start-up hurts, as its row says."""
    count = round((s.hurt or 0.0) * s.compared)
    where = f", worst on {s.worst_network} ({s.worst_share:.1%} there)" if paths > 1 else ""
    return (
        f"{custom.short(s.startup)} makes {count} of {s.compared} transfers ({s.hurt:.1%}) more "
        f"than a tenth slower than {custom.short(reference)}{where}."
    )
