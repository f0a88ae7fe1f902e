"""What stands under a table of startups: what their marks mean, and what they had to work with.

Comparisons on a path and replays of a capture say the same things here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flowstart.model import custom
from flowstart.model.catalog import CERTAINTIES, listed

RECONSTRUCTED = "†"
"""Stands after the name of an algorithm that is in parts a reconstruction."""
HELPED = "*"
"""Stands after the name of one that needs more than its sender has."""
IDLE = ("fast-start", "careful-resume", "stateful-tcp")
"""Startups that are slow start without cached state.

Others that use a memory do without: `quicly-jumpstart` has a preset in its place.
"""


@dataclass(frozen=True)
class Setting:
    """What the rows of a table have in common, as far as footnotes tell of it."""

    startups: Sequence[str]
    cached_cwnd: Sequence[str | None]
    """The windows that flows under test remember, None for nothing."""
    memory_option: str
    """What gives them one."""
    interfaces: Sequence[str | None]
    """What flows under test are told of their interface's rate, None where the path has a line."""
    queues: Mapping[str, str]
    """The disciplines of the queues under each startup."""
    drawn: Sequence[str]
    """What is drawn at random."""
    seeds: int
    """How many seeds were run."""
    seed_option: str
    """What runs more."""
    spared: int = 0
    """How many more seeds were asked for, which could not differ."""
    missing: str = ""
    """Why runs are missing and how many, where any are."""


def footnotes(setting: Setting) -> list[str]:
    """A sentence or two for everything that a reader of the table has to know."""
    return [
        *_missing(setting.missing),
        *_marks(setting.startups),
        *_remembered(setting),
        *_interface(setting),
        *_queues(setting.queues),
        *_seeds(setting),
    ]


def cautions(setting: Setting, *, repeated: bool) -> list[str]:
    """The notes that a short summary has too: missing runs, and what depends on the seed.

    `repeated` is whether intervals from perturbed repeats show what another seed may give.
    """
    seeds = [] if repeated and not setting.spared else _seeds(setting)
    return [*_missing(setting.missing), *seeds]


def marked(startup: str) -> str:
    """A startup's name with its marks."""
    entry = listed(startup)
    if not entry:
        return custom.short(startup)
    helped = HELPED if entry.needs_help else ""
    return f"{startup}{helped}{RECONSTRUCTED if entry.reconstructed else ''}"


def _missing(missing: str) -> list[str]:
    """What it means for the rows that runs are missing."""
    if not missing:
        return []
    what = "rows with fewer seeds than requested show their number; changes count seeds that both"
    return [f"{missing}: {what} startups have, and sizes with missing runs have no mark."]


def uses_memory(startup: str) -> bool:
    """Whether a startup uses what an earlier connection left behind."""
    entry = listed(startup)
    return entry is not None and "cache" in entry.needs


def _marks(startups: Sequence[str]) -> list[str]:
    """What the marks after the names say of these startups."""
    entries = [a for a in map(listed, startups) if a]
    helped = dict.fromkeys((a.name, ", ".join(a.needs)) for a in entries if a.needs_help)
    lines = []
    if helped:
        who = ", ".join(f"{name} ({needs})" for name, needs in helped)
        lines.append(f"{HELPED} needs more than its sender has: {who}.")
    if any(a.reconstructed for a in entries):
        lines.append(f"{RECONSTRUCTED} {CERTAINTIES['reconstructed']}.")
    return lines


def _remembered(setting: Setting) -> list[str]:
    """What those that use a memory had."""
    users = [s for s in setting.startups if uses_memory(s)]
    if not users or not setting.cached_cwnd:
        return []
    windows = dict.fromkeys(filter(None, setting.cached_cwnd))
    if windows:
        others = ", by some flows nothing" if None in setting.cached_cwnd else ""
        return [f"cached state of an earlier connection: a cwnd of {', '.join(windows)}{others}."]
    names = dict.fromkeys(a.name for a in map(listed, users) if a)
    idle = ", ".join(name for name in names if name in IDLE)
    so = f"; slow start without it: {idle}" if idle else ""
    return [f"no cached state of an earlier connection ({setting.memory_option}){so}."]


def _interface(setting: Setting) -> list[str]:
    """What those that begin at the rate of their interface take that for."""
    without = [s for s in setting.startups if "interface_rate=" not in s.replace(" ", "")]
    uses = [a.name for a in map(listed, without) if a and "interface" in a.needs]
    rates = dict.fromkeys(filter(None, setting.interfaces))
    if not uses or not rates:
        return []
    who = ", ".join(dict.fromkeys(uses))
    return [
        f"interface of the sender, as {who} needs: {', '.join(rates)} (`nic_rate` makes it a link)."
    ]


def _queues(queues: Mapping[str, str]) -> list[str]:
    """What the queues did, unless all were the same under all startups."""
    if "xcp" not in queues.get("xcp", "xcp"):
        return [f"queues: {queues['xcp']}; no router answers xcp, which is slow start so."]
    under: dict[str, list[str]] = {}
    for startup, queue in queues.items():
        under.setdefault(queue, []).append(custom.short(startup))
    if len(under) < 2:
        return []
    usual, *others = sorted(under, key=lambda queue: -len(under[queue]))
    told = "; ".join(f"{queue} under {', '.join(under[queue])}" for queue in others)
    return [f"queues: {usual}; {told}."]


def _seeds(setting: Setting) -> list[str]:
    """Whether another seed would say something else."""
    if setting.spared:
        asked = setting.seeds + setting.spared
        once = f"it was run once, not {asked} times"
        return [f"nothing here is drawn at random, so every seed gives the same: {once}."]
    if not setting.drawn or setting.seeds > 1:
        return []
    what, more = ", ".join(setting.drawn), setting.seed_option
    return [f"drawn at random: {what}. Another seed may give another answer: {more}."]
