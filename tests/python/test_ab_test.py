"""The power of an A/B test of the size that a plan names, by an analysis of its own."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from flowstart.deployment import Population, plan

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]
TESTS = 1500
"""Simulated tests of each size: their power has a standard error of 0.010."""


def rtt_logs(rng: np.random.Generator, sizes: Numbers, gain: Floats | float) -> Population:
    """A server's log: each network has one round trip, its times are multiples of that."""
    networks = np.repeat(np.arange(len(sizes)), sizes)
    rtt_s = np.exp(rng.uniform(np.log(0.01), np.log(0.3), len(sizes)))[networks]
    rounds = rng.choice([1.0, 2.0, 3.0, 4.0, 7.0], len(networks), p=[0.4, 0.2, 0.2, 0.1, 0.1])
    base_s = rtt_s * rounds
    return of(base_s, base_s * (1 - gain * (rounds > 1)), networks)


def of(base_s: Floats, variant_s: Floats, networks: Numbers) -> Population:
    transfers = np.arange(len(networks))
    return Population(base_s, variant_s, networks, transfers, transfers, 3600.0)


def smooth(rng: np.random.Generator) -> Population:
    """Log-normal times, and no two transfers alike."""
    networks = np.arange(3000) // 10
    base_s = np.exp(rng.normal(0, 1, 3000))
    return of(base_s, 0.8 * base_s * np.exp(rng.normal(0, 0.1, 3000)), networks)


def by_rtt(rng: np.random.Generator) -> Population:
    """Few networks far apart, where the median lies in a gap between their times."""
    return rtt_logs(rng, np.full(40, 25), 0.3)


def uneven(rng: np.random.Generator) -> Population:
    """A few networks have most of the transfers."""
    return rtt_logs(rng, np.ceil(300 / np.arange(1, 121)).astype(np.int64), 0.3)


def uneven_gain(rng: np.random.Generator) -> Population:
    """Some networks gain much, others lose."""
    sizes = np.full(80, 12)
    gain = np.repeat(rng.choice([0.5, 0.2, -0.1], 80), sizes)
    return rtt_logs(rng, sizes, gain)


def two_worlds(rng: np.random.Generator) -> Population:
    """Most times are a round trip; a tenth of the transfers take a hundred times as long."""
    networks = np.arange(2000) // 8
    base_s = np.where(rng.random(2000) < 0.1, 5.0, 0.05) * np.exp(rng.normal(0, 0.2, 2000))
    return of(base_s, np.where(base_s > 1, 0.6 * base_s, 0.9 * base_s), networks)


POPULATIONS = (smooth, by_rtt, uneven, uneven_gain, two_worlds)


def arm(rng: np.random.Generator, count: Floats, total: Floats, units: int) -> tuple[float, float]:
    """The mean log time of an arm of so many clusters, and its cluster-robust variance."""
    drawn = rng.integers(len(count), size=units)
    mean = total[drawn].sum() / count[drawn].sum()
    residuals = total[drawn] - mean * count[drawn]
    return mean, units / (units - 1) * (residuals**2).sum() / count[drawn].sum() ** 2


def power(found: Population, clusters: Numbers, units: int) -> float:
    """The share of tests that find the variant to be faster, with so many clusters an arm."""
    rng = np.random.default_rng(99)
    members = [clusters == number for number in np.unique(clusters)]
    count = np.array([mine.sum() for mine in members], dtype=np.float64)
    base, variant = (
        np.array([np.log(times[mine]).sum() for mine in members])
        for times in (found.base_s, found.variant_s)
    )
    shown = 0
    for _ in range(TESTS):
        old, old_variance = arm(rng, count, base, units)
        new, new_variance = arm(rng, count, variant, units)
        shown += int((old - new) / np.sqrt(old_variance + new_variance) > 1.96)
    return shown / TESTS


@pytest.mark.parametrize("made", POPULATIONS)
def test_a_test_of_the_size_that_is_named_finds_the_effect_in_80_of_100(
    made: Callable[[np.random.Generator], Population],
) -> None:
    found = made(np.random.default_rng(5))
    planned = plan(found)
    assert planned
    for size, clusters in zip(planned.sizes, (found.networks, found.connections), strict=True):
        assert 0.75 <= power(found, clusters, size.units) <= 0.85, size
