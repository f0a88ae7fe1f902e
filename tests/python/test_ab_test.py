"""The power of an A/B test of the size that a plan names, by an analysis of its own.

Networks are drawn from the population, their transfers are assigned, and the difference of means
is the slope of a regression with standard errors clustered by network.
"""

import dataclasses
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from flowstart.deployment.experiment import Population, TestPlan, plan

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]
TESTS = 400
"""Simulated tests of each size: their power has a standard error of 0.020."""
HARMED = 0.05
"""The share of transfers harmed where harm is at its limit."""


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
    return of(base_s, 0.8 * base_s * np.exp(rng.normal(0, 0.05, 3000)), networks)


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


Outcome = Callable[[np.random.Generator, Numbers, NDArray[np.bool_]], Floats]
"""What is compared of drawn transfers, given which of them are in the other arm."""


def significant(values: Floats, treated: NDArray[np.bool_], networks: Numbers) -> float:
    """The difference of the arms' means, in standard errors clustered by network."""
    share = treated.mean()
    slope = values[treated].mean() - values[~treated].mean()
    residuals = values - np.where(treated, values[treated].mean(), values[~treated].mean())
    scores = np.bincount(networks, residuals * (treated - share))
    clusters = len(scores)
    variance = clusters / (clusters - 2) * (scores**2).sum()
    variance /= (len(values) * share * (1 - share)) ** 2
    return float(slope / np.sqrt(variance))


def power(found: Population, unit: str, units: int, outcome: Outcome, reach: float) -> float:
    """The share of tests that find the other arm's mean above `reach`, or below a negative one."""
    rng = np.random.default_rng(99)
    members = [np.flatnonzero(found.networks == number) for number in np.unique(found.networks)]
    sizes = np.array([len(mine) for mine in members])
    starts, order = np.cumsum(sizes) - sizes, np.concatenate(members)
    networks = 2 * units if unit == "network" else round(2 * units / sizes.mean())
    shown = 0
    for _ in range(TESTS):
        drawn = rng.integers(len(members), size=networks)
        clusters = np.repeat(np.arange(networks), sizes[drawn])
        begins = np.cumsum(sizes[drawn]) - sizes[drawn]
        inside = np.arange(len(clusters)) - begins[clusters]
        chosen = order[starts[drawn][clusters] + inside]
        coins = rng.random(networks) < 0.5
        treated = coins[clusters] if unit == "network" else rng.random(len(clusters)) < 0.5
        values = outcome(rng, chosen, treated)
        statistic = significant(values, treated, clusters)
        shown += statistic > reach if reach > 0 else statistic < reach
    return shown / TESTS


def planned(made: Callable[[np.random.Generator], Population]) -> tuple[Population, TestPlan]:
    found = made(np.random.default_rng(5))
    plan_of = plan(found)
    assert plan_of
    return found, plan_of


def needs(plan_of: TestPlan, quantity: str) -> list[tuple[str, int]]:
    """The size that a quantity needs, by unit."""
    return [(n.size.unit, n.size.units) for n in plan_of.needs if n.quantity == quantity]


@pytest.mark.slow
@pytest.mark.parametrize("made", POPULATIONS)
def test_a_test_of_the_size_that_is_named_finds_the_effect_in_80_of_100(
    made: Callable[[np.random.Generator], Population],
) -> None:
    found, plan_of = planned(made)

    def logs(_: np.random.Generator, chosen: Numbers, treated: NDArray[np.bool_]) -> Floats:
        return np.log(np.where(treated, found.variant_s[chosen], found.base_s[chosen]))

    for unit, units in needs(plan_of, "gain"):
        assert 0.75 <= power(found, unit, units, logs, -1.96) <= 0.9, unit


@pytest.mark.slow
@pytest.mark.parametrize("made", POPULATIONS)
def test_a_test_of_that_size_finds_harm_at_the_limit_in_75_to_90_of_100(
    made: Callable[[np.random.Generator], Population],
) -> None:
    found, plan_of = planned(made)
    ratios = found.variant_s / found.base_s
    harmed = ratios[ratios > 1.1]
    factor = np.exp(np.log(harmed).mean()) if harmed.size else 1.5
    threshold = plan_of.guardrails[0].threshold_s
    assert threshold

    def slow(rng: np.random.Generator, chosen: Numbers, treated: NDArray[np.bool_]) -> Floats:
        late = treated & (rng.random(len(chosen)) < HARMED)
        times = found.base_s[chosen] * np.where(late, factor, 1.0)
        return (times > threshold).astype(np.float64)

    for unit, units in needs(plan_of, "harmed"):
        assert 0.75 <= power(found, unit, units, slow, 1.645) <= 0.9, unit


@pytest.mark.parametrize("made", POPULATIONS)
def test_the_size_is_that_of_what_needs_most(
    made: Callable[[np.random.Generator], Population],
) -> None:
    _, plan_of = planned(made)
    for size in plan_of.sizes:
        units = [n.size.units for n in plan_of.needs if n.size.unit == size.unit]
        assert size.units == max(units) > min(units)
        assert size.days >= 1


def test_harm_that_takes_a_month_to_see_has_no_rule() -> None:
    usual = smooth(np.random.default_rng(5))
    found = plan(dataclasses.replace(usual, lasts_s=30 * 86_400.0))
    assert found
    assert {one.quantity for one in found.guardrails} == {"p99"}
    [unseen] = found.unseen
    assert f"Not visible in 28 days: {unseen}." in "\n".join(found.lines)
