"""Intervals of a whole table that hold all at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flowstart.errors import RequestError
from flowstart.inference import clusters
from flowstart.inference.changes import Change, Components, Spread, measure
from flowstart.inference.clusters import Floats, Sums
from flowstart.inference.data import LEVEL, OF_TRANSFERS, Row, Statistic, TransferGroup

FEW_CLUSTERS = 10
"""With fewer clusters than these (of equal size) no interval is stated: what they do not show
cannot be guessed at from what they show."""
NO_DIFFERENCE = "no transfer differs"
"""Why a row without an interval is a difference of zero."""


@dataclass(frozen=True)
class Contrast:
    """One variant beside another in one group."""

    group: int
    variant: int
    base: int


def intervals(
    groups: Sequence[TransferGroup],
    variants: Sequence[str],
    baseline: str,
    *,
    statistics: Sequence[Statistic] = OF_TRANSFERS,
    level: float = LEVEL,
    seed: int = 1,
) -> list[Row]:
    """Every statistic of every variant but the baseline in every group, with its interval.

    In a share `level` of such tables all intervals hold the truth. Rows stand by group, variant
    and statistic. The same input and seed give the same rows. Raises RequestError where a name
    or a shape does not fit.
    """
    if baseline not in variants:
        raise RequestError(f"baseline `{baseline}`: it is none of {', '.join(variants)}")
    base = list(variants).index(baseline)
    contrasts = [
        Contrast(group, variant, base)
        for group in range(len(groups))
        for variant in range(len(variants))
        if variant != base
    ]
    return contrasted(groups, variants, contrasts, statistics=statistics, level=level, seed=seed)


def estimates(
    groups: Sequence[TransferGroup],
    variants: Sequence[str],
    baseline: str,
    statistics: Sequence[Statistic] = OF_TRANSFERS,
) -> dict[tuple[str, str, Statistic], float]:
    """Every statistic by group, variant and itself, without intervals; none where none is known."""
    _check(groups, variants, statistics, LEVEL)
    base = list(variants).index(baseline)
    estimates = {}
    for group in groups:
        components = Components(group, np.arange(len(group.times)))
        for index, variant in enumerate(variants):
            for statistic in statistics if index != base else ():
                change, _ = measure(components, index, base, statistic)
                if change is not None and not np.isnan(change.estimate):
                    estimates[group.name, variant, statistic] = change.estimate
    return estimates


def contrasted(
    groups: Sequence[TransferGroup],
    variants: Sequence[str],
    contrasts: Sequence[Contrast],
    *,
    statistics: Sequence[Statistic],
    level: float,
    seed: int,
) -> list[Row]:
    """The rows of any contrasts, whose intervals hold all at once; as `intervals` otherwise."""
    _check(groups, variants, statistics, level)
    if not groups:
        return []
    return _Table(_numbered(groups), variants, seed).rows(contrasts, statistics, level)


def _check(
    groups: Sequence[TransferGroup],
    variants: Sequence[str],
    statistics: Sequence[Statistic],
    level: float,
) -> None:
    if not 0 < level < 1:
        raise RequestError("more than 0 and less than 1 is needed", ("level",), f"{level:g}")
    for statistic in statistics:
        if statistic not in OF_TRANSFERS:
            raise RequestError(
                f"one of {', '.join(OF_TRANSFERS)} is needed", ("statistic",), statistic
            )
    for group in groups:
        if group.times.shape[1] != len(variants):
            raise RequestError(
                f"{group.name}: {group.times.shape[1]} columns of times for "
                f"{len(variants)} variants; one each is needed"
            )


def _numbered(groups: Sequence[TransferGroup]) -> list[TransferGroup]:
    """The groups with clusters that are numbered from 0 on, their transfers by cluster."""
    numbered = []
    numbers = clusters.numbered([group.clusters for group in groups])
    for group, number in zip(groups, numbers, strict=True):
        order = np.argsort(number, kind="stable")
        numbered.append(TransferGroup(group.name, group.times[order], number[order]))
    return numbered


@dataclass(frozen=True)
class _Measured:
    """A row before its interval is known."""

    contrast: Contrast
    statistic: Statistic
    change: Change | None
    """None where no transfer was run both ways."""
    places: tuple[int, ...]
    """Its components' among those of all groups."""
    same: bool
    """Whether no transfer differs."""

    @property
    def varies(self) -> bool:
        """Whether it takes part in what must hold at once."""
        return self.change is not None and not (
            self.same and self.statistic != Statistic.HARMED_SHARE
        )


class _Table:
    """The rows of a table while they are made."""

    def __init__(self, groups: Sequence[TransferGroup], variants: Sequence[str], seed: int) -> None:
        self.variants, self.seed = variants, seed
        shuffle = np.random.default_rng([seed, 1])
        self.components = [Components(g, shuffle.permutation(len(g.times))) for g in groups]
        self.effective = [clusters.effective(group.clusters) for group in groups]

    def rows(
        self, contrasts: Sequence[Contrast], statistics: Sequence[Statistic], level: float
    ) -> list[Row]:
        """The rows of contrasts, with the reach that they need together."""
        changes = [
            (c, s, *measure(self.components[c.group], c.variant, c.base, s))
            for c in contrasts
            for s in statistics
        ]
        parts = tuple(c.part() for c in self.components)
        starts = np.cumsum([0, *(len(part.columns) for part in parts)])
        measured = [
            _Measured(
                contrast,
                statistic,
                change,
                tuple(int(starts[contrast.group]) + c for c in change.columns) if change else (),
                same,
            )
            for contrast, statistic, change, same in changes
        ]
        covariance, freedom = Sums(parts).spread()
        reach = self._reach([m for m in measured if m.varies], covariance, level)
        return [self._row(m, covariance, freedom, reach) for m in measured]

    def _reach(self, measured: Sequence[_Measured], covariance: Floats, level: float) -> float:
        """How many standard deviations every interval must reach so that all hold at once.

        Slopes are taken over the reach that independent rows would need.
        """
        apart = clusters.independent(len(measured), level)
        forms = np.zeros((len(measured), len(covariance)))
        for row, m in enumerate(measured):
            assert m.change
            forms[row, list(m.places)] = m.change.slopes(self._spread(m, covariance, apart))
        return clusters.simultaneous(forms @ covariance @ forms.T, level, self.seed)

    def _spread(
        self, m: _Measured, covariance: Floats, normal: float, freedom: Floats | None = None
    ) -> Spread:
        """How far a row's components may be off; its reach is normal where `freedom` is None."""
        places = list(m.places)
        number = self.effective[m.contrast.group]
        reach = normal
        if freedom is not None:
            reach = clusters.student(normal, min(number - 1, *freedom[places]))
        return Spread(covariance[np.ix_(places, places)], normal, reach, number)

    def _row(self, m: _Measured, covariance: Floats, freedom: Floats, reach: float) -> Row:
        group = self.components[m.contrast.group].group.name
        number = self.effective[m.contrast.group]
        key = (group, self.variants[m.contrast.variant], m.statistic)
        if m.change is None:
            return Row(*key, None, None, None, 0, number, "no transfer was run under both")
        estimate = None if np.isnan(m.change.estimate) else m.change.estimate
        rest = (m.change.transfers, number)
        if number < FEW_CLUSTERS:
            few = f"effective sample size: {number:.1f} clusters; {FEW_CLUSTERS} are needed"
            return Row(*key, estimate, None, None, *rest, few)
        if not m.varies:
            return Row(*key, estimate, None, None, *rest, NO_DIFFERENCE)
        ends = m.change.interval(self._spread(m, covariance, reach, freedom))
        if ends is None:
            return Row(*key, estimate, None, None, *rest, _beyond(m.change))
        return Row(*key, estimate, *ends, *rest)


def _beyond(change: Change) -> str:
    """Why the data ends before the interval does."""
    p = change.statistic.quantile or 0.5
    beyond = change.transfers - 1 - round(p * (change.transfers - 1))
    return f"{beyond} of {change.transfers} transfers beyond it are too few"
