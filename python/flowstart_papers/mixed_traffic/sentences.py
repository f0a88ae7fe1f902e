"""What mixtures say, in sentences with their own numbers."""

from collections.abc import Callable, Iterable
from typing import TypeAlias

from flowstart.render.text import listed
from flowstart_papers.mixed_traffic.camps import Change, Mixture

Pick: TypeAlias = Callable[[Mixture], Change | None]


def median_of_slow_start(each: Mixture) -> Change | None:
    """What the median of those who stayed did."""
    return each.stayed.median if each.stayed else None


def late_of_slow_start(each: Mixture) -> Change | None:
    """What the 90th percentile of those who stayed did."""
    return each.stayed.late if each.stayed else None


def median_of_switched(each: Mixture) -> Change | None:
    """What the median of those who switched did."""
    return each.switched.median if each.switched else None


def sorted_out(mixtures: Iterable[Mixture], pick: Pick, word: str = "with") -> str:
    """`longer with a (+9 %); shorter with b (-5 %); undecided with the rest`, by intervals."""
    found = [(each.startup, change) for each in mixtures if (change := pick(each))]
    found.sort(key=lambda pair: -abs(pair[1].percent))
    longer = [f"{name} ({change.percent:+.0f} %)" for name, change in found if change.low > 0]
    shorter = [f"{name} ({change.percent:+.0f} %)" for name, change in found if change.high < 0]
    decided = len(longer) + len(shorter)
    groups = {"longer": listed(longer), "shorter": listed(shorter)}
    parts = [f"{what} {word} {group}" for what, group in groups.items() if group != "none"]
    if decided < len(found):
        parts.append(f"undecided {word} {'the others' if decided else 'all'}")
    return "; ".join(parts)


def longer_somewhere(mixtures: Iterable[Mixture], pick: Pick) -> list[str]:
    """The startups with which something takes longer in one of these, with 95 % confidence."""
    changes = [(each.startup, pick(each)) for each in mixtures]
    return list(dict.fromkeys(name for name, change in changes if change and change.low > 0))


def words(change: Change | None) -> str:
    """`+12 % (8 to 15 %)`."""
    if change is None:
        return "no flows"
    return f"{change.percent:+.0f} % ({change.low:.0f} to {change.high:.0f} %)"
