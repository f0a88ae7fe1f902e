"""Who is on the front: no other startup is as good in everything and better in something."""

from dataclasses import dataclass

import numpy as np

from flowstart.maps.dominance import harmed
from flowstart.maps.outcomes import Flags, Floats, Outcomes, Shares
from flowstart.maps.weighing import geometric_means, means


@dataclass(frozen=True)
class Front:
    """What startups cost on average over a sweep; less is better in everything."""

    regret: Floats
    """Geometric means."""
    retransmitted: Floats
    """Mean shares of packets."""
    harm: dict[str, Floats]
    """Means by kind of competing flows."""
    on_front: Flags

    @classmethod
    def of(cls, outcomes: Outcomes) -> "Front":
        """Of all cells."""
        weights = outcomes.weights
        regret = geometric_means(outcomes.regret, weights)
        retransmitted = means(outcomes.retransmitted, weights)
        competing = outcomes.cells["competing"].to_numpy()
        harm = {
            kind: _known_mean(outcomes.harm[competing == kind], weights[competing == kind])
            for kind in harmed(outcomes)
        }
        return cls(regret, retransmitted, harm, front([regret, retransmitted, *harm.values()]))


def front(costs: list[Floats]) -> Flags:
    """Which columns of `costs` no other is at most as large as in all rows, and smaller in one."""
    table = np.nan_to_num(np.vstack(costs), nan=np.inf)
    no_more = (table[:, :, None] <= table[:, None, :]).all(axis=0)
    less = (table[:, :, None] < table[:, None, :]).any(axis=0)
    return np.asarray(~(no_more & less).any(axis=0))


def _known_mean(harm: Shares, weights: Floats) -> Floats:
    """The mean of each column over the cells in which it is known; NaN without any."""
    own = np.where(np.isnan(harm), 0.0, weights[:, None])
    total = own.sum(axis=0)
    sums = (np.nan_to_num(harm) * own).sum(axis=0)
    known = np.where(total > 0, total, np.nan)
    return np.asarray(sums / known)
