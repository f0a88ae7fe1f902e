"""Gates of networks, judged together: the share of traffic in networks beyond each limit.

Each network shows each quantity with a standard error; `pooled` infers from all of them how many
are beyond the limit. So a network that exceeds it by chance among many does not decide, and a
class of networks that is harmed does.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np

from flowstart.inference.clusters import Floats
from flowstart.inference.gates import (
    TAIL,
    Exceeding,
    Gate,
    Limits,
    Numbers,
    Quantity,
    Runs,
    run_both,
)
from flowstart.inference.harm import Harm, Levels
from flowstart.inference.intervals import FEW_CLUSTERS
from flowstart.inference.pooled import Differences, Distribution, Shares, beyond

MOST_TRAFFIC = 0.05
"""The largest share of traffic that may be in networks beyond a limit."""
NAMED = 0.5
"""A network is named where the probability that it is beyond the limit is at least this."""
DRAWS = 200
"""Resamples of each network, of which only a standard error is taken."""
LONGEST = 100.0
"""A p99 that grows or shrinks by more times counts as one that does so by as much."""
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
        base, variant = (Runs(*(v[:, order] for v in vars(one).values())) for one in runs)
        return cls((base, variant), names, places, numbers, places[new], limits)

    def gates(self, at: Levels, seed: int) -> Iterator[Gate]:
        """The gate of each quantity."""
        base, variant = self.runs
        harmed = variant.harmed(base)
        whole = Harm.of(harmed, self.clusters, at)
        harm = Harm.of(harmed, self.clusters, at, self.places)
        worth = harm.pooled_worth(whole)
        # A limit of all transfers is no limit.
        limit = min(self.limits.harmed, 1 - 1e-6)
        yield self._gate(
            Quantity.HARMED, Shares(harm.share * worth, worth, limit), harm.share, at, seed
        )
        drawn = np.random.default_rng(seed).poisson(1.0, (DRAWS, len(self.owner)))
        # The sample itself stands first.
        weights = np.vstack([np.ones(len(self.owner)), drawn]).astype(np.float64)
        ratios = np.nan_to_num(self._p99(weights), nan=1.0).clip(1 / LONGEST, LONGEST)
        values = np.log(ratios / (1 + self.limits.p99))
        yield self._gate(
            Quantity.P99, self._differences(values, P99_ERROR), ratios[0] - 1, at, seed
        )
        sent = np.bincount(self.places, base.sent.mean(axis=0))
        for quantity in (Quantity.LOSS, Quantity.RETRANSMITTED):
            before, after = (self._lost(one, quantity, weights) for one in self.runs)
            limits = np.minimum(self.limits.of_loss(before), 1.0)
            # Of arcsine roots, which independent packets spread alike whatever their share.
            values = np.arcsin(np.sqrt(after)) - np.arcsin(np.sqrt(limits))
            least = 0.5 / np.sqrt(np.maximum(sent, 1))
            yield self._gate(quantity, self._differences(values, least), after[0], at, seed)

    def _gate(
        self, quantity: Quantity, family: Distribution, estimates: Floats, at: Levels, seed: int
    ) -> Gate:
        count = np.bincount(self.places)
        traffic = count / len(self.places)
        found = beyond(family, traffic, MOST_TRAFFIC, seed)
        named = np.flatnonzero(found.probabilities >= NAMED)
        exceeding = [
            Exceeding(
                self.names[n], float(traffic[n]), float(estimates[n]), float(found.probabilities[n])
            )
            for n in named[np.argsort(-traffic[named], kind="stable")]
        ]
        return Gate(
            quantity=quantity,
            baseline=None,
            estimate=found.estimate,
            low=found.low(at.low),
            high=found.high(1 - at.high),
            limit=MOST_TRAFFIC,
            kind="networks",
            part="networks",
            transfers=len(self.places),
            networks=tuple(exceeding),
        )

    def _differences(self, values: Floats, least: Floats | float) -> Differences:
        """Networks' values in the sample, with the errors that resamples show.

        With few clusters a network shows nothing by itself.
        """
        sizes = np.bincount(self.clusters)
        kish = np.bincount(self.owner, sizes) ** 2 / np.bincount(self.owner, sizes**2)
        errors = np.maximum(values[1:].std(axis=0), least)
        return Differences(values[0], np.where(kish < FEW_CLUSTERS, np.inf, errors))

    def _lost(self, runs: Runs, quantity: Quantity, weights: Floats) -> Floats:
        """The share of packets lost or retransmitted in each resample and network."""
        starts = np.searchsorted(self.owner, np.arange(len(self.names)))
        part, all_ = (
            np.add.reduceat(weights * np.bincount(self.clusters, of.sum(axis=0)), starts, axis=1)
            for of in (runs.packets(quantity), runs.sent)
        )
        return np.asarray(part / np.maximum(all_, 1))

    def _p99(self, weights: Floats) -> Floats:
        """The ratio of both settings' p99 in each resample and network."""
        base, variant = (_Slowest.of(one, self.places, self.clusters) for one in self.runs)
        with np.errstate(invalid="ignore"):  # where neither is ever done
            return np.array([variant.p99(row) / base.p99(row) for row in weights])


@dataclass(frozen=True)
class _Slowest:
    """Times of each network, the slowest first."""

    times: Floats
    clusters: Numbers
    networks: Numbers
    starts: Numbers
    counts: Numbers

    @classmethod
    def of(cls, runs: Runs, places: Numbers, clusters: Numbers) -> Self:
        """Those of all runs together."""
        times, networks = runs.times.ravel(), np.tile(places, len(runs.times))
        order = np.lexsort((-times, networks))
        counts = np.bincount(networks)
        starts = np.cumsum(counts) - counts
        owners = np.tile(clusters, len(runs.times))[order]
        return cls(times[order], owners, networks[order], starts, counts)

    def p99(self, weights: Floats) -> Floats:
        """Each network's p99 where clusters are drawn so many times."""
        drawn = weights[self.clusters]
        above = np.cumsum(drawn)
        above -= (above[self.starts] - drawn[self.starts])[self.networks]
        total = np.add.reduceat(drawn, self.starts)
        places = np.add.reduceat(above < TAIL * total[self.networks], self.starts, dtype=np.int64)
        return self.times[self.starts + np.minimum(places, self.counts - 1)]
