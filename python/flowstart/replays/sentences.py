"""A replay in words: what stands above and below its tables."""

from flowstart.captures import server_log
from flowstart.model import custom
from flowstart.render import marks
from flowstart.replays.paths import BUFFERS, joined
from flowstart.replays.result import Replay
from flowstart.replays.scenario import usual_stack
from flowstart.replays.summary import ENOUGH

LIMITS = (
    "Connections are replayed as conversations: a turn begins once the one before it has arrived.",
    "Receivers that stopped reading and applications that wrote in small pieces are not replayed.",
)
"""What a replay does not show."""
GIVEN = "as given"
SPACING = "estimated from the spacing of data and acknowledgements"


def headline(replay: Replay) -> str:
    """One line on what was replayed."""
    count = sum(replayed.transfers for replayed in replay.paths)
    left = "; ".join(f"{number} left out, {why}" for why, number in replay.left_out.items())
    out = f" ({left})" if left else ""
    stack = usual_stack(replay.settings).get("preset", "rfc")
    paths = "one path" if len(replay.paths) == 1 else f"{len(replay.paths)} paths"
    more = [f"{replay.settings.cross_traffic:.0%} cross traffic"] * bool(
        replay.settings.cross_traffic
    )
    more += [f"{name} {value}" for name, value in replay.settings.impairments.items()]
    tested = f", {replay.facts.height} of them under test" * (count != replay.facts.height)
    parts = [f"{count} transfers{out} over {paths}{tested}", *more, f"stack {stack}"]
    return f"{replay.capture.file}: {', '.join(parts)}, seed {replay.settings.seed}"


def sources(replay: Replay) -> str:
    """Where rates and buffers come from, in a line; `methods` has the details."""
    s = replay.settings
    log = server_log.is_log(replay.capture)
    rates = GIVEN if s.rate else _of_log(replay) if log else SPACING
    buffers = "assumed" if s.rate or log else "from the longest wait where packets were lost"
    ways = [GIVEN if s.buffer else buffers, GIVEN if s.buffer or s.reverse_buffer else buffers]
    return " ".join([f"Rates: {rates}. Buffers: {joined(ways)}.", *_assumed(replay)])


def _of_log(replay: Replay) -> str:
    """Where the rates of a log come from."""
    fitted = any(replayed.rate_range for replayed in replay.paths)
    return "fitted to the log's durations by simulation" if fitted else "from the log's rates"


def _assumed(replay: Replay) -> list[str]:
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


def details(replay: Replay) -> list[str]:
    """Where a reader of the terminal finds more of the paths, and what a log has not."""
    log = server_log.is_log(replay.capture)
    notes = [f"The log: {'; '.join(replay.capture.notes)}."] if log else []
    if replay.settings.rate:
        return notes
    return ["Path by path: --json or -o; or give --rate and --buffer.", *notes]


def methods(replay: Replay) -> list[str]:
    """How rates and buffers were come by, each said once."""
    seen: dict[str, list[str]] = {}
    for replayed in replay.paths:
        seen.setdefault(f"rate: {replayed.rate_method}", []).append(replayed.name)
        seen.setdefault(f"buffer: {replayed.buffer_method}", []).append(replayed.name)
    return [f"{', '.join(names)}: {method}" for method, names in seen.items()]


def legend(replay: Replay) -> str:
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
    marked = [f"{marks.MARK}: recommended."] * any(s.best for s in replay.summaries)
    return "\n".join([" ".join([columns, *marked]), *replay.notes, *without_syn(replay)])


def without_syn(replay: Replay) -> list[str]:
    """What a replayed transfer, on a connection that is open, cannot give a startup."""
    startups = [str(variant.begins) for variant in replay.settings.compared]
    if not any(name.partition(":")[0].strip() == "quick-start" for name in startups):
        return []
    return ["quick-start begins as slow start here: there is no SYN to ask routers on."]


def verdict(replay: Replay) -> list[str]:
    """What to choose, and why."""
    if not any(s.complete for s in replay.summaries):
        return ["No transfer was completed."]
    if not replay.verdict.judgements:
        return []
    return [replay.verdict.headline]
