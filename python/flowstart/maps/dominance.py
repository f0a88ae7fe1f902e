"""Which startup leaves no reason to choose another: faster, at no more cost to anybody.

It is judged for each case: a path, size and stack, over all companies that the sweep puts beside
it and all seeds.
"""

from dataclasses import dataclass

import numpy as np

from flowstart.maps.outcomes import Flags, Floats, Numbers, Outcomes
from flowstart.maps.weighing import grouped_means

FASTER = 0.05
"""Who dominates takes less time by more than this share of the other's,"""
RETRANSMITTED = 0.002
"""repeats at most this much more of its packets, as a share of them,"""
HARM = 0.02
"""and harms each kind of competing flows at most this much more."""
BLOCK = 2048
"""Cases that are compared at once."""


@dataclass(frozen=True)
class Cases:
    """What every startup came to in every case, cases × startups."""

    first: Numbers
    """The place of each case's first cell."""
    times: Floats
    """Geometric means over the case's companies, in seconds; `inf` where one was not completed.
    Each kind of competing flows counts the same, whatever the number of its seeds."""
    retransmitted: Floats
    """Means over its companies."""
    harm: dict[str, Floats]
    """Means by kind of competing flows; NaN where a case has none of that kind."""

    @classmethod
    def of(cls, outcomes: Outcomes) -> "Cases":
        """The cases of all cells."""
        numbers, first, cases = np.unique(
            outcomes.numbers("case"), return_index=True, return_inverse=True
        )
        weights, competing = outcomes.weights, outcomes.cells["competing"].to_numpy()
        beside = {kind: competing == kind for kind in harmed(outcomes)}
        count = len(numbers)
        return cls(
            first,
            np.exp(grouped_means(np.log(outcomes.times), weights, cases, count)),
            grouped_means(outcomes.retransmitted, weights, cases, count),
            {
                kind: grouped_means(outcomes.harm[own], weights[own], cases[own], count)
                for kind, own in beside.items()
            },
        )


def harmed(outcomes: Outcomes) -> list[str]:
    """The kinds of competing flows of which harm is known, in the sweep's order."""
    known = ~np.isnan(outcomes.harm).all(axis=1)
    return list(dict.fromkeys(outcomes.cells["competing"].to_numpy()[known]))


@dataclass(frozen=True)
class Dominance:
    """Who dominates whom."""

    pairs: Floats
    """The share of cases in which the startup of the row dominates that of the column."""
    dominated: Flags
    """Whether some other dominates it, cases × startups."""
    first: Numbers
    """The place of each case's first cell."""

    @classmethod
    def of(cls, cases: Cases) -> "Dominance":
        """Over all cases."""
        count, startups = cases.times.shape
        pairs = np.zeros((startups, startups))
        dominated = np.zeros((count, startups), dtype=np.bool_)
        for begin in range(0, count, BLOCK):
            block = slice(begin, begin + BLOCK)
            for other in range(startups):
                beats = _beats(cases, block, other)
                pairs[other] += beats.sum(axis=0)
                dominated[block] |= beats
        return cls(pairs / max(count, 1), dominated, cases.first)

    def shares(self, cells: Flags) -> Floats:
        """How large a share of the cases that begin in `cells` each startup is dominated in."""
        own = cells[self.first]
        if not own.any():
            return np.full(self.dominated.shape[1], np.nan)
        found: Floats = self.dominated[own].mean(axis=0)
        return found


def _beats(cases: Cases, block: slice, other: int) -> Flags:
    """Where `other` dominates each startup."""
    time, more = cases.times[block], cases.retransmitted[block]
    found = time[:, [other]] < (1 - FASTER) * time
    found &= more[:, [other]] <= more + RETRANSMITTED
    for harm in cases.harm.values():
        own, its = harm[block], harm[block][:, [other]]
        # What is not known of either is no difference; known of one only, it may be one.
        found &= (its <= own + HARM) | (np.isnan(its) & np.isnan(own))
    return np.asarray(found)
