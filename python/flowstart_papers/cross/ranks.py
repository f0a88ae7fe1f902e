"""How far two kinds of scenarios rank the startups alike."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from flowstart.inference.bootstrap import CONFIDENCE
from flowstart_papers.cross.scenarios import Scenario
from flowstart_papers.cross.startups import StartUp
from flowstart_papers.cross.table import CrossTable

DRAWS = 400
TIE = 0.005
"""Logarithms of ratios that differ by less share a rank."""

Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Agreement:
    """Spearman's rank correlation over the startups that are in both."""

    value: float
    low: float
    high: float
    """Where it lies with 95 % confidence, by the scenarios' seeds."""

    def __str__(self) -> str:
        value, low, high = (f"{each:.2f}".replace("-", "−") for each in
                            (self.value, self.low, self.high))  # fmt: skip
        return value if low == high else f"{value} ({low} to {high})"


def agreement(table: CrossTable, one: Sequence[Scenario], other: Sequence[Scenario]) -> Agreement:
    """Whether who is soon in the one kind of scenarios is soon in the other."""
    both = [each for each in table.startups if table.ratio(one, each) and table.ratio(other, each)]
    exact = _correlation(*(_means(table, each, both)[0] for each in (one, other)))
    pairs = zip(*(_means(table, each, both, DRAWS) for each in (one, other)), strict=True)
    spare = (100 - CONFIDENCE) / 2
    low, high = np.percentile([_correlation(*pair) for pair in pairs], [spare, 100 - spare])
    return Agreement(exact, float(low), float(high))


def between(table: CrossTable, one: str, other: str) -> Agreement:
    """How far two papers' grounds agree."""
    return agreement(
        table,
        [each for each in table.scenarios if each.paper == one],
        [each for each in table.scenarios if each.paper == other],
    )


def _means(
    table: CrossTable,
    scenarios: Sequence[Scenario],
    startups: Sequence[StartUp],
    draws: int = 0,
) -> Values:
    """Mean logarithms by startup, as they are or for so many draws of the seeds.

    All startups see the same draws of a scenario, wherever the scenario counts.
    """
    found = []
    for scenario in scenarios:
        seeds = np.arange(scenario.seeds)[np.newaxis]
        if draws:
            drawn = np.random.default_rng(list(scenario.key.encode()))
            seeds = drawn.integers(scenario.seeds, size=(draws, scenario.seeds))
        entries = (table.entry(scenario, each) for each in startups)
        nothing = (math.nan,) * scenario.seeds
        logs = np.array([entry.ratio.logs[0] if entry else nothing for entry in entries])
        found.append(logs[:, seeds].mean(axis=2).T)
    means: Values = np.nanmean(found, axis=0)
    return means


def _correlation(one: Values, other: Values) -> float:
    ranks = [_ranks(values) for values in (one, other)]
    if any(np.ptp(each) == 0 for each in ranks):
        return 0.0
    return float(np.asarray(np.corrcoef(ranks))[0, 1])


def _ranks(values: Values) -> Values:
    """Ties share the mean of their ranks."""
    steps = np.round(values / TIE)
    _, place, count = np.unique(steps, return_inverse=True, return_counts=True)
    ends = np.cumsum(count)
    means: Values = ends - (count - 1) / 2
    return means[place]
