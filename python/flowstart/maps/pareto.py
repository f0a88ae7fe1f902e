"""Who is on the front: no other start-up is as good in everything and better in something."""

from dataclasses import dataclass

import numpy as np

from flowstart.maps.dominance import harmed
from flowstart.maps.outcomes import Flags, Floats, Outcomes


@dataclass(frozen=True)
class Front:
    """What start-ups cost on average over a sweep; less is better in everything."""

    regret: Floats
    """Geometric means."""
    retransmitted: Floats
    """Mean shares of packets."""
    harm: dict[str, Floats]
    """Means by kind of company."""
    on_front: Flags

    @classmethod
    def of(cls, outcomes: Outcomes) -> "Front":
        """Of all cells."""
        regret = np.exp(np.log(outcomes.regret).mean(axis=0))
        retransmitted = outcomes.retransmitted.mean(axis=0, dtype=np.float64)
        company = outcomes.cells["company"].to_numpy()
        harm = {kind: _known_mean(outcomes.harm[company == kind]) for kind in harmed(outcomes)}
        return cls(regret, retransmitted, harm, front([regret, retransmitted, *harm.values()]))


def front(costs: list[Floats]) -> Flags:
    """Which columns of `costs` no other is at most as large as in all rows, and smaller in one."""
    table = np.nan_to_num(np.vstack(costs), nan=np.inf)
    no_more = (table[:, :, None] <= table[:, None, :]).all(axis=0)
    less = (table[:, :, None] < table[:, None, :]).any(axis=0)
    return np.asarray(~(no_more & less).any(axis=0))


def _known_mean(harm: "np.typing.NDArray[np.float32]") -> Floats:
    known = ~np.isnan(harm)
    counts = known.sum(axis=0)
    sums = np.where(known, harm, 0).sum(axis=0, dtype=np.float64)
    return np.where(counts, sums / np.maximum(counts, 1), np.nan)
