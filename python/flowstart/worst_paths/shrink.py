"""Makes a finding as plain as it can be: what does not matter is dropped, numbers are rounded."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flowstart.worst_paths.case import Case

KEPT = 0.8
"""A change is taken where so much of the score beyond nothing remains."""
DIGITS = (1, 2, 3)
"""Significant digits of numbers, the fewest first."""


@dataclass(frozen=True)
class Finding:
    """A case and its score."""

    case: Case
    score: float


Scores = Callable[[Sequence[Case]], Sequence[float]]
"""The scores of cases."""


def shrunk(found: Finding, scores: Scores, nothing: float) -> Finding:
    """A finding without the ingredients that do not matter; `nothing` is the score of no fault.

    What is dropped is measured each time, one after the other, so what remains matters.
    """
    least = nothing + KEPT * (found.score - nothing)
    return _rounded(_bare(found, scores, least), scores, least)


def _bare(found: Finding, scores: Scores, least: float) -> Finding:
    """The finding after as many ingredients are dropped as keep the score."""
    while cases := list(found.case.simpler()):
        best = max(map(Finding, cases, scores(cases)), key=lambda one: one.score)
        if best.score < least:
            break
        found = best
    return found


def _rounded(found: Finding, scores: Scores, least: float) -> Finding:
    """The finding with numbers of as few digits as keep the score."""
    for name in list(found.case.numbers()):
        cases = [found.case.rounded(name, digits) for digits in DIGITS]
        good = (one for one in map(Finding, cases, scores(cases)) if one.score >= least)
        found = next(good, found)
    return found
