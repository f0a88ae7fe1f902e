"""In which order startups stand: in tables, legends and panels alike."""

from collections.abc import Sequence
from math import exp, inf, log
from statistics import fmean

from flowstart.comparison.summary import Summary

MANY = 8
"""With more startups than these, the order in which they were named is no help."""


def ordered(found: Sequence[Summary], startups: Sequence[str]) -> list[str]:
    """The startups as they were named; many of them by their average slowdown.

    One that did not finish everything is no match for those that did.
    """
    if len(startups) <= MANY:
        return list(startups)

    def rank(name: str) -> tuple[bool, float]:
        mine = [s for s in found if s.startup == name]
        unfinished = not mine or any(s.complete < s.flows for s in mine)
        return unfinished, average_slowdown(mine)

    return sorted(startups, key=rank)


def average_slowdown(found: Sequence[Summary]) -> float:
    """The geometric mean over sizes of a startup's slowdown; infinite where none is known."""
    known = [s.slowdown for s in found if s.slowdown is not None]
    return exp(fmean(map(log, known))) if known else inf
