"""Gates of networks, judged together: the share of traffic in networks beyond each limit.

Each network shows each quantity with a standard error; `pooled` infers from all of them how many
are beyond the limit. So a network that exceeds it by chance among many does not decide, and a
class of networks that is harmed does.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from flowstart.inference.clusters import Floats
from flowstart.inference.gates import (
    TAIL,
    Chosen,
    Exceeding,
    Gate,
    GateQuantity,
    Limits,
    Numbers,
    Runs,
    run_both,
)
from flowstart.inference.harm import Levels, PartHarm
from flowstart.inference.intervals import FEW_CLUSTERS
from flowstart.inference.pooled import Differences, Distribution, HarmedShares, beyond

MOST_TRAFFIC = 0.05
"""The largest share of traffic that may be in networks beyond a limit."""
NAMED = 0.5
"""A network is named where the probability that it is beyond the limit is at least this."""
DRAWS = 100
"""Resamples of each network, of which only a standard error is taken."""
LONGEST = 100.0
"""A p99 that grows or shrinks by more times counts as one that does so by as much."""
KEPT = 50
"""The slowest times of a network that are looked at for its p99, at least."""
P99_ERROR = 0.01
"""The smallest standard error of a change of p99: repeats differ by 1 % in their round trips."""


@dataclass(frozen=True)
class Networks:
    """The network of each transfer."""

    names: tuple[str, ...]
    of: Numbers
    """Its place among the names."""


def network_gates(
    base: Runs,
    variant: Runs,
    networks: Networks,
    cluster_of: Numbers,
    limits: Limits,
    at: Levels,
    *,
    seed: int = 1,
) -> list[Gate]:
    """The share of traffic in networks beyond each limit; empty where there is one network."""
    known = run_both(base, variant)
    seen, places = np.unique(networks.of[known], return_inverse=True)
    if len(seen) < 2:
        return []
    names = tuple(networks.names[number] for number in seen)
    both = base.of(known), variant.of(known)
    together = _Together.of(both, names, places, cluster_of[known], limits)
    return list(together.gates(at, seed))


@dataclass(frozen=True)
class _Together:
    """All networks under both settings, the transfers of each next to each other."""

    runs: tuple[Runs, Runs]
    names: tuple[str, ...]
    places: Numbers
    """The network of each transfer, rising."""
    clusters: Numbers
    """The cluster of each transfer, numbered from 0 on by network."""
    owner: Numbers
    """The network of each cluster."""
    limits: Limits

    @classmethod
    def of(
        cls,
        runs: tuple[Runs, Runs],
        names: tuple[str, ...],
        places: Numbers,
        cluster_of: Numbers,
        limits: Limits,
    ) -> Self:
        """From transfers in any order. A cluster in two networks is one in each."""
        order = np.lexsort((cluster_of, places))
        places, cluster_of = places[order], cluster_of[order]
        new = (np.diff(places, prepend=-1) != 0) | (np.diff(cluster_of, prepend=-1) != 0)
        numbers = np.cumsum(new) - 1
        base, variant = (Runs(*(v[:, order] for v in vars(side).values())) for side in runs)
        return cls((base, variant), names, places, numbers, places[new], limits)

    def gates(self, at: Levels, seed: int) -> Iterator[Gate]:
        """The gate of each quantity."""
        base, variant = self.runs
        harmed = variant.harmed(base)
        whole = PartHarm.of(harmed, self.clusters, at)
        harm = PartHarm.of(harmed, self.clusters, at, self.places)
        worth = harm.pooled_worth(whole)
        # A limit of all transfers is no limit.
        limit = min(self.limits.harmed, 1 - 1e-6)
        names, count = self.names, np.bincount(self.places)
        shares_harmed = HarmedShares(harm.share * worth, worth, limit)
        yield gate_of_networks(
            GateQuantity.HARMED, shares_harmed, harm.share, names, count, at, seed
        )
        lost = (GateQuantity.LOSS, GateQuantity.RETRANSMITTED)
        values, errors = self._with_errors(lost, seed)
        sent = np.bincount(self.places, base.sent.mean(axis=0))
        least = np.array([np.full(len(sent), P99_ERROR), *[0.5 / np.sqrt(np.maximum(sent, 1))] * 2])
        errors = np.where(self._few, np.inf, np.maximum(errors, least))
        rise = (1 + self.limits.p99) * np.exp(values[0]) - 1
        shares = [np.bincount(self.places, variant.packets(q).mean(axis=0)) for q in lost]
        estimates = [rise, *(share / np.maximum(sent, 1) for share in shares)]
        for quantity, value, error, estimate in zip(
            (GateQuantity.P99, *lost), values, errors, estimates, strict=True
        ):
            family = Differences(value, error)
            yield gate_of_networks(quantity, family, estimate, names, count, at, seed)

    @property
    def _few(self) -> Chosen:
        """Networks with so few clusters that they show nothing by themselves."""
        sizes = np.bincount(self.clusters)
        kish = np.bincount(self.owner, sizes) ** 2 / np.bincount(self.owner, sizes**2)
        return np.asarray(kish < FEW_CLUSTERS)

    def _with_errors(self, lost: Sequence[GateQuantity], seed: int) -> tuple[Floats, Floats]:
        """The differences of p99 and loss from their limits in the sample, and their errors.

        Clusters are drawn with replacement: each so many times as a Poisson variable has it.
        """
        tails = [_Slowest.of(side, self.places, self.clusters) for side in self.runs]
        packets = [[self._packets(side, quantity) for side in self.runs] for quantity in lost]
        random, number = np.random.default_rng(seed), len(self.owner)

        def differences(weights: Floats) -> Floats:
            return np.array(
                [self._p99(tails, weights), *(self._loss(both, weights) for both in packets)]
            )

        sample = differences(np.ones(number))
        total, squares = np.zeros_like(sample), np.zeros_like(sample)
        for _ in range(DRAWS):
            deviation = differences(random.poisson(1.0, number).astype(np.float64)) - sample
            total, squares = total + deviation, squares + deviation**2
        return sample, np.sqrt(np.maximum(squares / DRAWS - (total / DRAWS) ** 2, 0.0))

    def _packets(self, runs: Runs, quantity: GateQuantity) -> tuple[Floats, Floats]:
        """Packets of each cluster: those that a quantity counts, and those sent."""
        counted = np.bincount(self.clusters, runs.packets(quantity).sum(axis=0))
        sent = np.bincount(self.clusters, runs.sent.sum(axis=0))
        return counted.astype(np.float64), sent.astype(np.float64)

    def _loss(self, both: Sequence[tuple[Floats, Floats]], weights: Floats) -> Floats:
        """How far each network's loss is beyond its limit.

        It is a difference of arcsine roots, which independent packets spread alike whatever their
        share.
        """
        before, after = (
            np.bincount(self.owner, weights * counted)
            / np.maximum(np.bincount(self.owner, weights * sent), 1)
            for counted, sent in both
        )
        limits = np.minimum(self.limits.of_loss(before), 1.0)
        return np.asarray(np.arcsin(np.sqrt(np.minimum(after, 1.0))) - np.arcsin(np.sqrt(limits)))

    def _p99(self, tails: Sequence["_Slowest"], weights: Floats) -> Floats:
        """By how much, in logarithms, each network's p99 rises beyond its limit."""
        base, variant = (tail.p99(weights) for tail in tails)
        with np.errstate(invalid="ignore"):  # where neither is ever done
            ratios = np.nan_to_num(variant / base, nan=1.0, posinf=LONGEST)
        return np.asarray(np.log(ratios.clip(1 / LONGEST, LONGEST) / (1 + self.limits.p99)))


def gate_of_networks(
    quantity: GateQuantity,
    family: Distribution,
    estimates: Floats,
    names: Sequence[str],
    count: Numbers,
    at: Levels,
    seed: int,
) -> Gate:
    """The gate of a quantity: the share of traffic in networks beyond its limit.

    `estimates` has the quantity in each network, `count` the transfers of each.
    """
    traffic = count / count.sum()
    share = beyond(family, traffic, MOST_TRAFFIC, seed)
    named = np.flatnonzero(share.probabilities >= NAMED)
    exceeding = [
        Exceeding(names[n], float(traffic[n]), float(estimates[n]), float(share.probabilities[n]))
        for n in named[np.argsort(-traffic[named], kind="stable")]
    ]
    return Gate(
        quantity=quantity,
        baseline=None,
        estimate=share.estimate,
        low=share.low(at.low),
        high=share.high(1 - at.high),
        limit=MOST_TRAFFIC,
        kind="networks",
        part="networks",
        transfers=int(count.sum()),
        networks=tuple(exceeding),
    )


@dataclass(frozen=True)
class _Slowest:
    """Times of each network, the slowest first; only those that can be its p99."""

    times: Floats
    clusters: Numbers
    networks: Numbers
    starts: Numbers
    counts: Numbers
    """How many of a network are kept."""
    cluster_sizes: Numbers
    """How many times each cluster has."""
    owner: Numbers
    """The network of each cluster."""

    @classmethod
    def of(cls, runs: Runs, places: Numbers, clusters: Numbers) -> Self:
        """Those of all runs together: the slowest tenth, and at least `KEPT`."""
        times, networks = runs.times.ravel(), np.tile(places, len(runs.times))
        owners = np.tile(clusters, len(runs.times))
        order = np.lexsort((-times, networks))
        counts = np.bincount(networks)
        rank = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
        kept = order[rank < np.maximum(counts // 10, KEPT)[networks[order]]]
        counts = np.bincount(networks[kept])
        _, first = np.unique(clusters, return_index=True)
        return cls(
            times[kept],
            owners[kept],
            networks[kept],
            np.cumsum(counts) - counts,
            counts,
            np.bincount(owners),
            places[first],
        )

    def p99(self, weights: Floats) -> Floats:
        """Each network's p99 where clusters are drawn so many times."""
        drawn = weights[self.clusters]
        above = np.cumsum(drawn)
        above -= (above[self.starts] - drawn[self.starts])[self.networks]
        total = np.bincount(self.owner, weights * self.cluster_sizes)
        places = np.bincount(self.networks, above < TAIL * total[self.networks])
        positions = self.starts + np.minimum(places.astype(np.int64), self.counts - 1)
        return np.asarray(self.times[positions])
