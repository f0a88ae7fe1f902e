"""Gates: what a setting may not do to any part of the traffic, each with an interval.

A part passes a gate if the upper end of the interval is within the limit, and is rejected if the
lower end is beyond it. Anything else is inconclusive.

A setting is recommended only if it passes every gate. So each upper end holds by itself: if one
part is beyond its limit, its gate passes in error with the probability of one interval, however
many gates there are (intersection-union test, Berger 1982). One rejection is enough to reject, so
the lower ends of a setting hold all at once (Bonferroni).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from flowstart.errors import RequestError
from flowstart.inference import clusters
from flowstart.inference.changes import FEW_HARMED
from flowstart.inference.clusters import Floats, beta_quantile
from flowstart.inference.data import HARM_THRESHOLD
from flowstart.inference.intervals import FEW_CLUSTERS

FEWEST_TRANSFERS = 30
"""A size class or a network with fewer transfers is not judged by itself."""
PRIOR_TRANSFERS = 45
"""A part is judged together with so many transfers of all traffic (empirical Bayes).

By themselves 30 transfers of which none is harmed do not show that fewer than 5 % are: that takes
59. What the setting does to all other transfers is known besides."""
RESAMPLES = 999
MOST_CLUSTERS = 1000
"""More clusters are put together at random into so many, which bounds memory."""
LEVEL = 0.95
"""Of each upper end, and of all lower ends of a setting together; one-sided."""
LOSS_RATIO = 1.5
TAIL = 0.01
OPTIONS = {"harmed": "max_harm", "p99": "max_p99", "loss": "max_loss"}
"""The fields of `Limits`, and what requests call them."""
NORMAL = clusters.NORMAL.inv_cdf(LEVEL)

Kind: TypeAlias = Literal["all", "size class", "network"]
Chosen: TypeAlias = NDArray[np.bool_]


class Quantity(StrEnum):
    """What has a limit."""

    HARMED = "harmed"
    """The share of transfers that take over 10 % longer than under the baseline."""
    P99 = "p99"
    """The change of the 99th percentile of completion times."""
    LOSS = "loss"
    """The share of packets that are lost."""
    RETRANSMITTED = "retransmitted"
    """The share of packets that are retransmissions."""


class Outcome(StrEnum):
    """What an interval shows of a limit."""

    PASSES = "passes"
    INCONCLUSIVE = "inconclusive"
    REJECTED = "rejected"


@dataclass(frozen=True)
class Limits:
    """The most that a setting may do in any part of the traffic."""

    harmed: float = 0.05
    """The share of transfers harmed."""
    p99: float = 0.25
    """The increase of p99: 0.25 is a quarter longer."""
    loss: float = 0.01
    """The increase of the share of packets lost, or retransmitted; if `LOSS_RATIO` times the
    baseline's is more, then that."""

    def __post_init__(self) -> None:
        for field, option in OPTIONS.items():
            value = getattr(self, field)
            if not 0 < value <= 1:
                raise RequestError(
                    f"`{100 * value:g}%` is out of range; a share above 0%, at most 100% is needed",
                    (option,),
                )

    def of_loss(self, baseline: Floats) -> Floats:
        """The largest share lost, given that under the baseline."""
        return np.maximum(baseline + self.loss, LOSS_RATIO * baseline)


@dataclass(frozen=True)
class Measured:
    """A quantity with its interval and limit."""

    quantity: Quantity
    baseline: float | None
    """The share under the baseline; None for what is a comparison with it."""
    estimate: float
    low: float
    high: float
    limit: float


@dataclass(frozen=True)
class Gate(Measured):
    """One quantity of one setting in one part of the traffic."""

    kind: Kind
    part: str
    """The name of the size class or the network."""
    transfers: int
    few: bool
    """Whether it has too few clusters to show anything."""

    @property
    def outcome(self) -> Outcome:
        """What the interval shows of the limit."""
        if self.few:
            return Outcome.INCONCLUSIVE
        if self.high <= self.limit:
            return Outcome.PASSES
        return Outcome.REJECTED if self.low > self.limit else Outcome.INCONCLUSIVE

    @property
    def excess(self) -> float:
        """How many times the limit the estimate is."""
        return self.estimate / self.limit


@dataclass(frozen=True)
class Runs:
    """Transfers in one or more runs of the same traffic, under one setting: runs × transfers.

    Repeats with slightly different times average out what happens to a transfer by chance. They
    are no further transfers: a cluster has all runs of its transfers.
    """

    times: Floats
    sent: Floats
    lost: Floats
    retransmitted: Floats

    def of(self, chosen: Chosen) -> Self:
        """Those of some transfers."""
        return type(self)(*(getattr(self, field.name)[:, chosen] for field in fields(self)))


@dataclass(frozen=True)
class Part:
    """A part of the traffic that is judged by itself."""

    kind: Kind
    name: str
    chosen: Chosen
    """Which transfers belong to it."""


def gates(
    base: Runs,
    variant: Runs,
    parts: Sequence[Part],
    cluster_of: NDArray[np.int64],
    limits: Limits,
    *,
    seed: int = 1,
    resamples: int = RESAMPLES,
) -> list[Gate]:
    """All gates of a setting; the first part is all traffic."""
    known = np.asarray(~np.isnan(base.times + variant.times).any(axis=0))
    if not known.any():
        return []
    whole, *others = (replace(part, chosen=part.chosen & known) for part in parts)
    judged = [whole, *(p for p in others if p.chosen.sum() >= FEWEST_TRANSFERS)]
    alpha = (1 - LEVEL) / (len(judged) * len(Quantity))
    harm = _Harm.of(base.of(known), variant.of(known), cluster_of[known])
    found = []
    for part in judged:
        inside = _Inside(base.of(part.chosen), variant.of(part.chosen), cluster_of[part.chosen])
        few, count = inside.few, int(part.chosen.sum())
        prior, random = None if part is whole else harm, np.random.default_rng(seed)
        for one in inside.measured(prior, limits, alpha, random, resamples):
            found.append(
                Gate(**vars(one), kind=part.kind, part=part.name, transfers=count, few=few)
            )
    return found


@dataclass(frozen=True)
class _Harm:
    """The share of transfers harmed, and how many independent transfers it is worth."""

    share: float
    worth: float
    transfers: int

    few: bool
    """Whether too few clusters are harmed to have a variance."""

    @classmethod
    def of(cls, base: Runs, variant: Runs, cluster_of: NDArray[np.int64]) -> Self:
        """That of a part.

        Its worth is what its variance over clusters shows (Korn and Graubard 1998), less as that
        is itself uncertain; with few clusters harmed, no more than the number of clusters.
        """
        harmed = (variant.times > (1 + HARM_THRESHOLD) * base.times).mean(axis=0)
        share, transfers = float(harmed.mean()), len(harmed)
        _, numbers = np.unique(cluster_of, return_inverse=True)
        squares = np.bincount(numbers, harmed - share) ** 2
        if np.count_nonzero(np.bincount(numbers, harmed)) < FEW_HARMED or not squares.any():
            return cls(share, clusters.effective(cluster_of), transfers, few=True)
        binomial, seen = share * (1 - share) / transfers, squares.sum() / transfers**2
        tail = (squares**2).sum() / squares.sum() ** 2 - 1 / len(squares)
        freedom = min(2 / max(tail, 1e-9), len(squares) - 1)
        reach = clusters.student(NORMAL, freedom) / NORMAL
        return cls(share, transfers * min(binomial / seen, 1.0) / reach**2, transfers, few=False)

    def ends(self, whole: Self | None, alpha: float) -> tuple[float, float]:
        """The ends of its interval: the lower one by itself, the upper with all traffic.

        The posterior of a binomial share: of Jeffreys' prior, or of one worth `PRIOR_TRANSFERS` of
        all traffic.
        """
        worth = self.worth
        if whole and self.few:
            worth = self.transfers * whole.worth / whole.transfers
        hits = self.share * worth
        low = beta_quantile(alpha, hits + 0.5, worth - hits + 0.5)
        expected, prior = (whole.share * PRIOR_TRANSFERS, PRIOR_TRANSFERS) if whole else (0.0, 1.0)
        expected = max(expected, 0.5)
        high = beta_quantile(LEVEL, hits + expected, worth - hits + max(prior - expected, 0.5))
        return min(low, self.share), max(high, self.share)


@dataclass(frozen=True)
class _Inside:
    """A part under both settings."""

    base: Runs
    variant: Runs
    cluster_of: NDArray[np.int64]

    @property
    def few(self) -> bool:
        """Whether it has too few clusters to show anything."""
        return clusters.effective(self.cluster_of) < FEW_CLUSTERS

    def measured(
        self,
        whole: _Harm | None,
        limits: Limits,
        alpha: float,
        random: np.random.Generator,
        resamples: int,
    ) -> Iterator[Measured]:
        """Every quantity."""
        _, numbers = np.unique(self.cluster_of, return_inverse=True)
        harm = _Harm.of(self.base, self.variant, numbers)
        ends = harm.ends(whole, alpha)
        yield Measured(Quantity.HARMED, None, harm.share, *ends, limits.harmed)
        count = int(numbers.max()) + 1
        if count > MOST_CLUSTERS:
            numbers, count = random.integers(MOST_CLUSTERS, size=count)[numbers], MOST_CLUSTERS
        drawn = random.multinomial(count, np.full(count, 1 / count), size=resamples)
        # The sample itself stands first.
        weights = np.vstack([np.ones(count), drawn])
        old, new = (_tail(runs, numbers, weights) for runs in (self.base, self.variant))
        with np.errstate(invalid="ignore"):  # where neither is ever done
            changes = new / old - 1
        yield _of_draws(Quantity.P99, None, changes, np.full_like(changes, limits.p99), alpha)
        for quantity in (Quantity.LOSS, Quantity.RETRANSMITTED):
            before, after = (
                _share(runs, quantity, numbers, weights) for runs in (self.base, self.variant)
            )
            yield _of_draws(quantity, float(before[0]), after, limits.of_loss(before), alpha)


def _of_draws(
    quantity: Quantity, baseline: float | None, values: Floats, limits: Floats, alpha: float
) -> Measured:
    """A quantity from its resamples: the interval is that of how far it is beyond its limit."""
    limit = float(limits[0])
    with np.errstate(invalid="ignore"):
        beyond = np.nan_to_num(values - limits, nan=-limit, posinf=np.inf)
    least = -1.0 if baseline is None else 0.0
    low = max(limit + float(np.quantile(beyond[1:], alpha, method="lower")), least)
    high = limit + float(np.quantile(beyond[1:], LEVEL, method="higher"))
    estimate = float(np.nan_to_num(values[0], posinf=np.inf))
    return Measured(quantity, baseline, estimate, min(low, estimate), max(high, estimate), limit)


def _share(runs: Runs, quantity: Quantity, numbers: NDArray[np.int64], weights: Floats) -> Floats:
    """The share of packets lost or retransmitted in each resample."""
    of = runs.lost if quantity == Quantity.LOSS else runs.retransmitted
    part, all_ = (
        weights @ np.bincount(numbers, what.sum(axis=0), weights.shape[1])
        for what in (of, runs.sent)
    )
    return np.asarray(part / np.maximum(all_, 1))


def _tail(runs: Runs, numbers: NDArray[np.int64], weights: Floats) -> Floats:
    """The 99th percentile of times in each resample.

    Only the slowest tenth can hold it; of few transfers all are looked at.
    """
    times = runs.times.ravel()
    owner = np.tile(numbers, len(runs.times))
    kept = min(len(times), max(len(times) // 10, 200))
    order = np.argsort(-times, kind="stable")[:kept]
    total = weights @ np.bincount(owner, minlength=weights.shape[1])
    found = np.empty(len(weights))
    for first in range(0, len(weights), 100):
        some = slice(first, first + 100)
        above = np.cumsum(weights[some][:, owner[order]], axis=1)
        place = (above < TAIL * total[some, None]).sum(axis=1)
        found[some] = times[order[np.minimum(place, kept - 1)]]
    return found
