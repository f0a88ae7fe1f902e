"""Harm by network, of networks that have transfers in both sets."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from flowstart.inference.data import HARM_THRESHOLD
from flowstart.inference.gates import GateQuantity, Limits, Outcome
from flowstart.inference.harm import Levels
from flowstart.inference.intervals import FEW_CLUSTERS
from flowstart.inference.networks import MOST_TRAFFIC, gate_of_networks
from flowstart.inference.pooled import Differences
from flowstart.inference.sequences import Monitored, reach
from flowstart.rollouts.difference import FEWEST_EVENTS
from flowstart.rollouts.judgement import Judged
from flowstart.rollouts.measurements import Chosen, Floats, Numbers, Transfers

HARM = float(np.log1p(HARM_THRESHOLD))


@dataclass(frozen=True)
class _Means:
    """Means of a value in each network and set, with variances over connections."""

    means: Floats
    variances: Floats
    weights: Floats
    few: Chosen
    """Where connections are too few to show anything."""

    @classmethod
    def of(
        cls, values: Floats, weights: Floats, cells: Numbers, connections: Numbers, number: int
    ) -> "_Means":
        """Of values over weights (1, or packets), by cell."""
        total = np.maximum(np.bincount(cells, weights, number), 1e-300)
        means = np.bincount(cells, values, number) / total
        _, first, owned = np.unique(connections, return_index=True, return_inverse=True)
        owner = cells[first]
        sums = np.bincount(owned, values - means[cells] * weights)
        sizes = np.bincount(owned, weights)
        count = np.maximum(np.bincount(owner, minlength=number), 1)
        squares = np.bincount(owner, sums**2, number) * count / np.maximum(count - 1, 1)
        kish = total**2 / np.maximum(np.bincount(owner, sizes**2, number), 1e-300)
        return cls(means, squares / total**2, total, kish < FEW_CLUSTERS)

    def of_packets(self) -> "_Means":
        """Shares of packets, no less uncertain than those of a few events."""
        least = np.maximum(self.means * self.weights, FEWEST_EVENTS) / self.weights**2
        return replace(self, variances=np.maximum(self.variances, least))


def network_gates(
    transfers: Transfers, residuals: Floats, limits: Limits, at: Levels
) -> Iterator[Judged]:
    """The share of traffic in networks beyond the limits; none without two in both sets."""
    counts = [
        np.bincount(transfers.networks[chosen], minlength=len(transfers.names))
        for chosen in (~transfers.treated, transfers.treated)
    ]
    shared = np.flatnonzero((counts[0] > 0) & (counts[1] > 0))
    if len(shared) < 2:
        return
    index = np.full(len(transfers.names), -1)
    index[shared] = np.arange(len(shared))
    inside = index[transfers.networks] >= 0
    names, count = [transfers.names[n] for n in shared], (counts[0] + counts[1])[shared]
    cells = 2 * index[transfers.networks] + transfers.treated

    def means(values: Floats, weights: Floats, chosen: Chosen) -> _Means:
        some = chosen & inside
        connections = transfers.connections[some]
        return _Means.of(values[some], weights[some], cells[some], connections, 2 * len(shared))

    done = np.isfinite(residuals)
    times = means(residuals, np.ones(len(residuals)), done)
    effects = times.means[1::2] - times.means[::2]
    rest = names, count, at
    yield _gate(GateQuantity.HARMED, effects - HARM, np.expm1(effects), times, HARM, rest)
    known = ~np.isnan(transfers.sent + transfers.retransmitted)
    if known.any():
        lost = means(transfers.retransmitted, transfers.sent, known).of_packets()
        control, treatment = lost.means[::2], lost.means[1::2]
        beyond = treatment - limits.of_loss(control)
        yield _gate(GateQuantity.RETRANSMITTED, beyond, treatment, lost, limits.loss, rest)


def _gate(
    quantity: GateQuantity,
    beyond: Floats,
    shown: Floats,
    means: _Means,
    scale: float,
    rest: tuple[list[str], Numbers, Levels],
) -> Judged:
    """A gate from how far each network is beyond its limit.

    Errors are as much larger as a confidence sequence reaches further than an interval of one look.
    """
    names, count, at = rest
    variances = means.variances[::2] + means.variances[1::2]
    few = means.few[::2] | means.few[1::2]
    known = ~few & (variances > 0)
    further = np.array([reach(v, scale, 1 - at.high) for v in variances[known]]) / at.normal
    errors = np.full(len(variances), np.inf)
    errors[known] = np.sqrt(variances[known]) * further
    gate = gate_of_networks(quantity, Differences(beyond, errors), shown, names, count, at, seed=1)
    if gate.outcome != Outcome.INCONCLUSIVE:
        return Judged(gate, 1.0)
    return Judged(gate, _more(beyond, variances, known, scale, count, at))


def _more(
    beyond: Floats, variances: Floats, known: Chosen, scale: float, count: Numbers, at: Levels
) -> float:
    """How many times the transfers show in networks with most traffic that they keep the limit.

    Each of them needs its interval within the limit, at the distance of the mean network.
    """
    if not known.any():
        return 2.0
    distance = max(-float(np.average(beyond[known], weights=count[known])), scale / 2)
    order = np.flatnonzero(known)[np.argsort(variances[known])]
    share = np.cumsum(count[order]) / count[known].sum()
    at_most = order[np.searchsorted(share, 1 - MOST_TRAFFIC)]
    network = Monitored(0.0, float(variances[at_most]), scale, np.inf)
    return max(network.more(1 - at.high, distance), 1.0)
