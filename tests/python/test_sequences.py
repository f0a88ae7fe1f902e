"""Confidence sequences hold at every look, on made-up tables of clusters."""

import math
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from flowstart.inference.clusters import NORMAL
from flowstart.inference.sequences import Monitored, reach

Floats = NDArray[np.float64]

LOOKS = 30
ERROR = 0.025
"""Of each end."""
CLUSTERS = 40


def looks(
    tables: int, by_cluster: bool, effect: float, seed: int
) -> Iterator[tuple[Floats, Floats]]:
    """The estimates of all tables and their variances, look by look.

    Each cluster has another level and effect, and at each look more transfers in both sets, or
    in the one that it is assigned to. Variances are those of sums over clusters.
    """
    random = np.random.default_rng(seed)
    shape = tables, CLUSTERS, 2
    level = random.normal(0, 0.3, shape[:2])
    effects = random.normal(effect, 0.05, shape[:2])
    popular = np.arange(1, CLUSTERS + 1) ** -0.5 * 20
    assigned = np.ones(shape)
    if by_cluster:
        assigned[..., 1] = random.permuted(np.tile(np.arange(CLUSTERS) % 2, (tables, 1)), axis=1)
        assigned[..., 0] = 1 - assigned[..., 1]
    mean = np.stack([level, level + effects], axis=-1)
    counts, sums = np.zeros(shape), np.zeros(shape)
    for _ in range(LOOKS):
        more = random.poisson(popular[:, None], shape) * assigned
        counts += more
        # Log times have heavier tails than a normal distribution.
        sums += more * mean + np.sqrt(more) * 0.5 * random.standard_t(5, shape)
        total = counts.sum(axis=1)
        means = sums.sum(axis=1) / total
        scores = (sums - counts * means[:, None]) / total[:, None]
        squares = (scores[..., 1] - scores[..., 0]) ** 2
        variances = squares.sum(axis=1) * CLUSTERS / (CLUSTERS - 1)
        yield means[:, 1] - means[:, 0], variances


def coverage(tables: int, by_cluster: bool, effect: float = 0.0) -> tuple[float, float, float]:
    """The share of tables whose interval holds at the last look, and at all of them.

    Last, the share in which an interval of one look, repeated, holds at all of them.
    """
    always, once = np.ones(tables, dtype=bool), np.ones(tables, dtype=bool)
    for estimates, variances in looks(tables, by_cluster, effect, seed=1):
        halves = np.array([Monitored(0.0, v, 0.1, CLUSTERS - 1).half(ERROR) for v in variances])
        holds = np.abs(estimates - effect) <= halves
        always &= holds
        once &= np.abs(estimates - effect) <= NORMAL.inv_cdf(1 - ERROR) * np.sqrt(variances)
    return float(holds.mean()), float(always.mean()), float(once.mean())


@pytest.mark.parametrize("by_cluster", [False, True])
@pytest.mark.parametrize(
    "tables", [300, pytest.param(2000, marks=pytest.mark.slow)], ids=["few", "2000"]
)
def test_intervals_hold_and_no_look_is_a_false_alarm(tables: int, by_cluster: bool) -> None:
    last, always, once = coverage(tables, by_cluster)
    assert last >= 0.94
    assert 1 - always <= 0.05
    # What makes it necessary: the looks of an ordinary interval.
    assert 1 - once > 1 - always
    if not by_cluster:
        assert 1 - once > 0.1


def test_an_interval_holds_a_true_effect() -> None:
    last, always, _ = coverage(300, by_cluster=False, effect=-0.1)
    assert (last >= 0.94, always >= 0.95) == (True, True)


def test_the_boundary_is_that_of_the_mixture() -> None:
    # Waudby-Smith et al., theorem 2.2, with t = 100, sigma = 1, rho = 0.1 and alpha = 0.05.
    time, rho, alpha = 100.0, 0.1, 0.05
    square = time * rho**2 + 1
    written = math.sqrt(2 * square / (time * rho) ** 2 * math.log(math.sqrt(square) / alpha))
    assert reach(1 / time, rho, alpha / 2) / math.sqrt(time) == pytest.approx(written)


def test_without_a_variance_nothing_is_stated() -> None:
    assert math.isinf(Monitored(0.1, 0.0, 0.1, 10).half(ERROR))
    assert math.isinf(Monitored(0.1, math.inf, 0.1, 10).half(ERROR))


def test_so_much_more_information_shows_a_difference_with_80_percent_power() -> None:
    one = Monitored(0.0, 0.01, 0.1, 50)
    more = one.more(ERROR, 0.05)
    shown = np.random.default_rng(1).normal(0.05, math.sqrt(0.01 / more), 20_000)
    assert (shown > one.half(ERROR, more)).mean() == pytest.approx(0.8, abs=0.01)
    assert one.more(ERROR, 10.0) == 1
