"""Gates: what a setting may not do to any part of the traffic, each with an interval.

A part passes a gate if the upper end of the interval is within the limit, and is rejected if the
lower end is beyond it. Anything else is inconclusive.

A setting is recommended only if it passes every gate. So each upper end holds by itself: if one
part is beyond its limit, its gate passes in error with the probability of one interval, however
many gates there are (intersection-union test, Berger 1982). One rejection is enough to reject, so
the lower ends of a setting hold all at once (Bonferroni).

All traffic and each size class have gates here; `networks` has those of all networks together.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from flowstart.errors import RequestError
from flowstart.inference import clusters
from flowstart.inference.clusters import Floats
from flowstart.inference.data import HARM_THRESHOLD, finite
from flowstart.inference.harm import Levels, PartHarm
from flowstart.inference.intervals import FEW_CLUSTERS

FEWEST_TRANSFERS = 30
"""A size class with fewer transfers is not judged by itself."""
RESAMPLES = 999
MOST_CLUSTERS = 1000
"""More clusters are put together at random into so many, which bounds memory."""
KINDS = 4
"""The kinds of gates that a part has: harm, a percentile, losses, retransmissions."""
LEVEL = 0.95
"""Of each upper end, and of all lower ends of a setting together; one-sided."""
LOSS_RATIO = 1.5
TAIL = 0.01
OPTIONS = {"harmed": "max_harm", "p99": "max_p99", "loss": "max_loss"}
"""The fields of `Limits`, and what requests call them."""

Kind: TypeAlias = Literal["all", "size class", "networks", "repeats"]
Chosen: TypeAlias = NDArray[np.bool_]
Numbers: TypeAlias = NDArray[np.int64]


class GateQuantity(StrEnum):
    """What has a limit."""

    HARMED = "harmed"
    """The share of transfers that take over 10 % longer than under the baseline."""
    P99 = "p99"
    """The change of the 99th percentile of completion times."""
    P90 = "p90"
    """The change of their 90th percentile, over repeats of one path."""
    SLOWEST_FLOW = "slowest flow"
    """The change of the completion time of the slowest flow, over repeats of one path."""
    LOSS = "loss"
    """The share of packets that are lost."""
    RETRANSMITTED = "retransmitted"
    """The share of packets that are retransmissions."""


CHANGES = (GateQuantity.P99, GateQuantity.P90, GateQuantity.SLOWEST_FLOW)
"""Those that are changes against the baseline; the others are shares."""


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

    @classmethod
    def of(cls, question: object) -> Self:
        """Those of a question's fields; the usual ones where it has none."""
        values = {field: getattr(question, name) for field, name in OPTIONS.items()}
        return cls(**{field: value for field, value in values.items() if value is not None})

    def of_loss(self, baseline: Floats) -> Floats:
        """The largest share lost, given that under the baseline."""
        return np.maximum(baseline + self.loss, LOSS_RATIO * baseline)


@dataclass(frozen=True)
class Tail:
    """A percentile of completion times that has a limit."""

    quantity: GateQuantity
    above: float
    """The share of transfers above it."""
    limit: float
    """The largest increase."""


@dataclass(frozen=True)
class Measured:
    """A quantity with its interval and limit."""

    quantity: GateQuantity
    baseline: float | None
    """The share under the baseline; None for what is a comparison with it."""
    estimate: float
    low: float
    high: float
    limit: float


@dataclass(frozen=True)
class Exceeding:
    """A network that is probably beyond a limit."""

    network: str
    traffic: float
    """Its share of all transfers judged."""
    estimate: float
    """The quantity in it."""
    probability: float
    """That its true value is beyond the limit."""


@dataclass(frozen=True)
class Gate(Measured):
    """One quantity of one setting in one part of the traffic.

    Of networks together it is the share of traffic in those beyond the quantity's limit.
    """

    kind: Kind
    part: str
    """The name of the part."""
    transfers: int
    few: bool = False
    """Whether it has too few clusters to show anything."""
    networks: tuple[Exceeding, ...] = ()
    """Those beyond the limit where networks are judged together, most traffic first."""

    @property
    def outcome(self) -> Outcome:
        """What the interval shows of the limit."""
        if self.few:
            return Outcome.INCONCLUSIVE
        if self.high <= self.limit:
            return Outcome.PASSES
        return Outcome.REJECTED if self.low > self.limit else Outcome.INCONCLUSIVE

    @property
    def is_change(self) -> bool:
        """Whether it is a change against the baseline, and no share."""
        return self.quantity in CHANGES and self.kind != "networks"

    @property
    def excess(self) -> float:
        """How many times the limit the estimate is."""
        return self.estimate / self.limit

    @property
    def document(self) -> dict[str, Any]:
        """It as JSON types."""
        return {
            "kind": self.kind,
            "part": self.part,
            "quantity": str(self.quantity),
            "baseline": self.baseline,
            "estimate": finite(self.estimate),
            "low": finite(self.low),
            "high": finite(self.high),
            "limit": finite(self.limit),
            "transfers": self.transfers,
            "outcome": str(self.outcome),
            "networks": [dict(vars(network)) for network in self.networks],
        }


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

    def harmed(self, base: Self) -> Floats:
        """In what share of the runs each transfer is harmed against a baseline."""
        return np.asarray((self.times > (1 + HARM_THRESHOLD) * base.times).mean(axis=0))

    def packets(self, quantity: GateQuantity) -> Floats:
        """The packets that a quantity counts, which are a share of those sent."""
        return self.lost if quantity == GateQuantity.LOSS else self.retransmitted


@dataclass(frozen=True)
class TrafficPart:
    """A part of the traffic that is judged by itself."""

    kind: Kind
    name: str
    chosen: Chosen
    """Which transfers belong to it."""


def levels(parts: int, verdicts: int = 1) -> Levels:
    """The levels of a setting's gates in so many parts.

    With several `verdicts`, such as one for each group of networks, those of all hold at once.
    """
    error = (1 - LEVEL) / verdicts
    return Levels(error / (parts * KINDS), 1 - error)


def gates(
    base: Runs,
    variant: Runs,
    parts: Sequence[TrafficPart],
    cluster_of: Numbers,
    limits: Limits,
    at: Levels,
    *,
    seed: int = 1,
    resamples: int = RESAMPLES,
) -> list[Gate]:
    """All gates of a setting in parts of the traffic; the first part is all of it."""
    known = run_both(base, variant)
    if not known.any():
        return []
    whole, *others = (replace(part, chosen=part.chosen & known) for part in parts)
    judged = [whole, *(p for p in others if p.chosen.sum() >= FEWEST_TRANSFERS)]
    harm = PartHarm.of(variant.of(known).harmed(base.of(known)), cluster_of[known], at)
    gates, tail = [], Tail(GateQuantity.P99, TAIL, limits.p99)
    for part in judged:
        inside = _Inside(base.of(part.chosen), variant.of(part.chosen), cluster_of[part.chosen])
        few, count = inside.few, int(part.chosen.sum())
        prior, random = None if part is whole else harm, np.random.default_rng(seed)
        for measurement in inside.measured(prior, limits, tail, at, random, resamples):
            gates.append(
                Gate(**vars(measurement), kind=part.kind, part=part.name, transfers=count, few=few)
            )
    return gates


def repeat_gates(
    base: Runs, variant: Runs, tail: Tail, limits: Limits, at: Levels, *, seed: int = 1
) -> list[Gate]:
    """The gates of a setting over independent repeats of one path."""
    known = run_both(base, variant)
    if not known.any():
        return []
    count = int(known.sum())
    inside = _Inside(base.of(known), variant.of(known), np.arange(count))
    random = np.random.default_rng(seed)
    measured = inside.measured(None, limits, tail, at, random, RESAMPLES)
    return [
        Gate(**vars(measurement), kind="repeats", part="repeats", transfers=count, few=inside.few)
        for measurement in measured
    ]


def run_both(base: Runs, variant: Runs) -> Chosen:
    """Which transfers were run under both settings."""
    return np.asarray(~np.isnan(base.times + variant.times).any(axis=0))


@dataclass(frozen=True)
class _Inside:
    """A part under both settings."""

    base: Runs
    variant: Runs
    cluster_of: Numbers

    @property
    def few(self) -> bool:
        """Whether it has too few clusters to show anything."""
        return clusters.effective(self.cluster_of) < FEW_CLUSTERS

    def measured(
        self,
        whole: PartHarm | None,
        limits: Limits,
        tail: Tail,
        at: Levels,
        random: np.random.Generator,
        resamples: int,
    ) -> Iterator[Measured]:
        """Every quantity."""
        _, numbers = np.unique(self.cluster_of, return_inverse=True)
        harm = PartHarm.of(self.variant.harmed(self.base), numbers, at)
        ends = harm.ends(whole, at)
        yield Measured(GateQuantity.HARMED, None, float(harm.share[0]), *ends, limits.harmed)
        count = int(numbers.max()) + 1
        if count > MOST_CLUSTERS:
            numbers, count = random.integers(MOST_CLUSTERS, size=count)[numbers], MOST_CLUSTERS
        drawn = random.multinomial(count, np.full(count, 1 / count), size=resamples)
        # The sample itself stands first.
        weights = np.vstack([np.ones(count), drawn])
        both = (self.base, self.variant)
        old, new = (_tail(runs, numbers, weights, tail.above) for runs in both)
        with np.errstate(invalid="ignore"):  # where neither is ever done
            changes = new / old - 1
        yield _of_draws(tail.quantity, None, changes, np.full_like(changes, tail.limit), at)
        for quantity in (GateQuantity.LOSS, GateQuantity.RETRANSMITTED):
            before, after = (_share(runs, quantity, numbers, weights) for runs in both)
            yield _of_draws(quantity, float(before[0]), after, limits.of_loss(before), at)


def _of_draws(
    quantity: GateQuantity, baseline: float | None, values: Floats, limits: Floats, at: Levels
) -> Measured:
    """A quantity from its resamples: the interval is that of how far it is beyond its limit."""
    limit = float(limits[0])
    with np.errstate(invalid="ignore"):
        beyond = np.nan_to_num(values - limits, nan=-limit, posinf=np.inf)
    least = -1.0 if baseline is None else 0.0
    low = max(limit + float(np.quantile(beyond[1:], at.low, method="lower")), least)
    high = limit + float(np.quantile(beyond[1:], at.high, method="higher"))
    estimate = float(np.nan_to_num(values[0], posinf=np.inf))
    return Measured(quantity, baseline, estimate, min(low, estimate), max(high, estimate), limit)


def _share(runs: Runs, quantity: GateQuantity, numbers: Numbers, weights: Floats) -> Floats:
    """The share of packets lost or retransmitted in each resample."""
    part, all_ = (
        weights @ np.bincount(numbers, what.sum(axis=0), weights.shape[1])
        for what in (runs.packets(quantity), runs.sent)
    )
    return np.asarray(part / np.maximum(all_, 1))


def _tail(runs: Runs, numbers: Numbers, weights: Floats, above: float) -> Floats:
    """The percentile of times with a share above it in each resample.

    Only the slowest tenth can hold the 99th; of few transfers all are looked at.
    """
    times = runs.times.ravel()
    owner = np.tile(numbers, len(runs.times))
    kept = min(len(times), max(math.ceil(10 * above * len(times)), 200))
    order = np.argsort(-times, kind="stable")[:kept]
    total = weights @ np.bincount(owner, minlength=weights.shape[1])
    percentiles = np.empty(len(weights))
    for first in range(0, len(weights), 100):
        some = slice(first, first + 100)
        reached = np.cumsum(weights[some][:, owner[order]], axis=1)
        rank = (reached < above * total[some, None]).sum(axis=1)
        percentiles[some] = times[order[np.minimum(rank, kept - 1)]]
    return percentiles
