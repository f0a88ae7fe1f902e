"""Both sets next to each other: what differs in all traffic and in each size class.

No transfer has a time under both settings, so sets are compared as a whole. The effect is the
ratio of geometric means: what a replay predicts, as its ratios of paired times have this mean too,
and a median would have no such identity. Each quantity is a difference of means over transfers,
and its variance that of sums over clusters (delta method; Liang and Zeger 1986): client networks,
which may have transfers in both sets, or connections where networks are few.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from flowstart.inference import clusters
from flowstart.inference.clusters import ClusterPart, Column, Sums
from flowstart.inference.data import HARM_THRESHOLD
from flowstart.inference.gates import FEWEST_TRANSFERS, LOSS_RATIO, TAIL, Limits, TrafficPart
from flowstart.inference.intervals import FEW_CLUSTERS
from flowstart.inference.sequences import Monitored
from flowstart.rollouts.measurements import Floats, Numbers, Transfers

EFFECTS = HARM_THRESHOLD
"""The standard deviation of the mixture for effects on log times: that of one that matters. It
decides where intervals are narrow, not whether they hold."""
QUANTILES = (0.5, 0.75, 0.9, 0.95)
"""Where the distributions of both sets are compared for harm, as shares of the control."""
TAIL_POWERS = (-4, -2, -1, 0, 1, 2, 4)
"""The p99 of both sets are compared at these powers of the limit."""
FEWEST_EVENTS = 3.0
"""A share of packets is no less uncertain than that of so many (the rule of three: Hanley and
Lippman-Hand 1983)."""


@dataclass(frozen=True)
class Tail:
    """The change of p99."""

    change: float
    steps: Mapping[float, Monitored]
    """By change, how much more of the treatment is beyond the control's p99 with this change than
    of the control beyond p99; rising."""

    def low(self, error: float) -> float:
        """Just above the largest step that p99 has changed by more than; −1 without one."""
        steps = [step for step, excess in self.steps.items() if excess.low(error) > 0]
        return math.nextafter(max(steps), math.inf) if steps else -1.0

    def high(self, error: float) -> float:
        """The smallest step that p99 has changed by less than; infinite where there is none."""
        steps = (step for step, excess in self.steps.items() if excess.high(error) <= 0)
        return min(steps, default=math.inf)


@dataclass(frozen=True)
class Retransmissions:
    """The share of packets retransmitted in both sets."""

    control: float
    treatment: float
    limit: float
    beyond: Monitored
    """The treatment's share less the limit."""


@dataclass(frozen=True)
class PartDifference:
    """A part of the traffic in both sets."""

    part: TrafficPart
    transfers: tuple[int, int]
    """Of the control and the treatment."""
    clusters: float
    """The effective number of clusters, of the set with fewer."""
    effect: Monitored
    """The difference of mean log times: log of the ratio of geometric means."""
    harmed: tuple[Monitored, ...]
    """By quantile, how much of the treatment is beyond what the control leaves behind it, if each
    transfer took `HARM_THRESHOLD` longer."""
    tail: Tail
    retransmissions: Retransmissions | None

    @property
    def few(self) -> bool:
        """Whether it has too few clusters to show anything."""
        return self.clusters < FEW_CLUSTERS


def clusters_of(transfers: Transfers) -> tuple[Numbers, str]:
    """What each transfer belongs to of what is independent, and its name."""
    control, treatment = (
        transfers.networks[chosen] for chosen in (~transfers.treated, transfers.treated)
    )
    enough = min(map(clusters.effective, (control, treatment))) >= FEW_CLUSTERS
    if enough or not np.isin(control, treatment).any():
        return transfers.networks, "client network"
    return transfers.connections, "connection"


def differences(
    transfers: Transfers,
    residuals: Floats,
    cluster_of: Numbers,
    parts: Sequence[TrafficPart],
    limits: Limits,
) -> list[PartDifference]:
    """The differences in each part with enough transfers in both sets; the first in any case."""
    order = np.argsort(cluster_of, kind="stable")
    numbers = np.unique(cluster_of[order], return_inverse=True)[1].astype(np.int64)
    prepared = [
        measured
        for number, part in enumerate(parts)
        if (measured := _Part.of(transfers, residuals, part, order, numbers, limits))
        and (number == 0 or min(measured.counts) >= FEWEST_TRANSFERS)
    ]
    sums = Sums(tuple(part for measured in prepared for part in measured.sums))
    forms = np.zeros((sums.width, sum(len(measured.slopes) for measured in prepared)))
    row = column = 0
    for measured in prepared:
        for slope in measured.slopes:
            forms[[row, row + len(measured.slopes)], column] = -slope, 1.0
            row, column = row + 1, column + 1
        row += len(measured.slopes)
    estimates = iter(zip(sums.means() @ forms, *sums.spread_of(forms), strict=True))
    return [measured.difference(estimates, limits) for measured in prepared]


@dataclass(frozen=True)
class _Set:
    """What one set has of a part, its transfers by cluster."""

    chosen: Numbers
    p99_s: float
    columns: tuple[Column, ...]
    """Residuals, whether they and times are beyond each threshold, and packets retransmitted."""
    packets: tuple[float, float] | None
    """Retransmitted and sent."""


@dataclass(frozen=True)
class _Part:
    """A part of the traffic with the components of both sets."""

    part: TrafficPart
    sets: tuple[_Set, _Set]
    sums: tuple[ClusterPart, ClusterPart]
    slope: float
    """By how much the limit of retransmissions grows with the control's."""

    @classmethod
    def of(
        cls,
        transfers: Transfers,
        residuals: Floats,
        part: TrafficPart,
        order: Numbers,
        numbers: Numbers,
        limits: Limits,
    ) -> "_Part | None":
        """None where a set has no transfer of it, or the control none that is done."""
        inside, treated = part.chosen[order], transfers.treated[order]
        places = [np.flatnonzero(inside & ~treated), np.flatnonzero(inside & treated)]
        chosen = [order[position] for position in places]
        if not chosen[1].size or not np.isfinite(residuals[chosen[0]]).any():
            return None
        base = residuals[chosen[0]]
        harm = np.array([_quantile(base, share) for share in QUANTILES])
        p99_s = _quantile(transfers.times_s[chosen[0]], 1 - TAIL)
        steps = np.array([p99_s * (1 + step) for step in _steps(limits)])
        tails = np.full(len(steps), p99_s), steps
        sets = [
            _set(transfers, residuals, arm, harm + shift, tail)
            for arm, shift, tail in zip(chosen, (0.0, np.log1p(HARM_THRESHOLD)), tails, strict=True)
        ]
        sums = (
            ClusterPart(arm.columns, numbers[position])
            for arm, position in zip(sets, places, strict=True)
        )
        repeated, sent = sets[0].packets or (0.0, 1.0)
        slope = LOSS_RATIO if (LOSS_RATIO - 1) * repeated / sent > limits.loss else 1.0
        return cls(part, (sets[0], sets[1]), (next(sums), next(sums)), slope)

    @property
    def counts(self) -> tuple[int, int]:
        """The transfers of both sets."""
        return len(self.sets[0].chosen), len(self.sets[1].chosen)

    @property
    def slopes(self) -> list[float]:
        """By component, what the control counts for in the difference."""
        return [1.0] * (len(self.sets[0].columns) - 1) + [self.slope]

    def difference(
        self, estimates: Iterator[tuple[float, float, float]], limits: Limits
    ) -> PartDifference:
        """What differs, from estimate, variance and freedom of each component's difference."""
        effective = min(clusters.effective(part.clusters) for part in self.sums)

        def monitored(scale: float, least: float = 0.0) -> Monitored:
            estimate, variance, freedom = next(estimates)
            known = max(min(effective - 1, freedom), 1.0)
            return Monitored(float(estimate), max(float(variance), least), scale, float(known))

        effect = monitored(EFFECTS)
        if np.isnan(self.sets[1].columns[0]).all():  # the treatment is never done
            effect = replace(effect, estimate=math.inf, variance=math.inf)
        single = sum(1 / count**2 for count in self.counts)
        return PartDifference(
            self.part,
            self.counts,
            effective,
            effect,
            tuple(monitored(limits.harmed, single) for _ in QUANTILES),
            Tail(
                self.sets[1].p99_s / self.sets[0].p99_s - 1,
                {step: monitored(TAIL, single) for step in _steps(limits)},
            ),
            self._retransmissions(monitored, limits),
        )

    def _retransmissions(
        self, monitored: Callable[[float, float], Monitored], limits: Limits
    ) -> Retransmissions | None:
        packets = [arm.packets or (0.0, 1.0) for arm in self.sets]
        least = sum(max(repeated, FEWEST_EVENTS) / sent**2 for repeated, sent in packets)
        spread = monitored(limits.loss, least)
        if not all(arm.packets for arm in self.sets):
            return None
        control, treatment = (repeated / sent for repeated, sent in packets)
        limit = float(limits.of_loss(np.array(control)))
        return Retransmissions(
            control, treatment, limit, replace(spread, estimate=treatment - limit)
        )


def _steps(limits: Limits) -> list[float]:
    """The changes of p99 at which both sets are compared; one is the limit."""
    return [(1 + limits.p99) ** power - 1 for power in TAIL_POWERS]


def _quantile(values: Floats, share: float) -> float:
    """By nearest rank; infinite where it is not done."""
    return float(np.partition(values, rank := round(share * (len(values) - 1)))[rank])


def _set(
    transfers: Transfers, residuals: Floats, chosen: Numbers, harm: Floats, tail: Floats
) -> _Set:
    """The components of one set's transfers in a part, by the thresholds of harm and p99."""
    mine, times = residuals[chosen], transfers.times_s[chosen]
    columns: list[Column] = [np.where(np.isfinite(mine), mine, np.nan)]
    columns += [(mine > threshold).astype(np.int8) for threshold in harm]
    columns += [(times > threshold).astype(np.int8) for threshold in tail]
    sent, repeated = transfers.sent[chosen], transfers.retransmitted[chosen]
    known = ~np.isnan(sent + repeated)
    packets = None
    if known.any() and (total := float(sent[known].sum())) > 0:
        packets = float(repeated[known].sum()), total
        share, mean = packets[0] / total, total / known.sum()
        columns.append(np.where(known, (repeated - share * sent) / mean, np.nan))
    else:
        columns.append(np.full(len(chosen), np.nan))
    return _Set(chosen, _quantile(times, 1 - TAIL), tuple(columns), packets)
