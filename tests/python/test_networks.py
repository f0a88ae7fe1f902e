"""Networks judged together: how often a setting passes, whatever their number, and in error."""

import numpy as np
import pytest

from flowstart.inference.pooled import DIGITS, Beyond, Differences, HarmedShares, beyond

LIMIT = ALLOWED = 0.05
TRANSFERS = 100
SAMPLES = 40
SIXTY = pytest.param(60, marks=pytest.mark.slow)
"""Fewer and more networks are in `make test`."""


def judged(harm: np.ndarray, random: np.random.Generator, transfers: int = TRANSFERS) -> Beyond:
    """Networks with equal traffic, harmed in these shares."""
    hits = random.binomial(transfers, harm).astype(np.float64)
    worth = np.full(len(harm), float(transfers))
    return beyond(HarmedShares(hits, worth, LIMIT), np.full(len(harm), 1 / len(harm)), ALLOWED, 1)


def passing(harm: np.ndarray, transfers: int = TRANSFERS) -> float:
    """How often they pass."""
    random = np.random.default_rng(7)
    found = [judged(harm, random, transfers).high(0.05) <= ALLOWED for _ in range(SAMPLES)]
    return float(np.mean(found))


def mixture(count: int, share: float, harm: float, others: float = 0.005) -> np.ndarray:
    """Networks of which a share is harmed, at least one."""
    found = np.full(count, others)
    found[: max(round(share * count), 1)] = harm
    return found


@pytest.mark.parametrize("networks", [6, 20, SIXTY, 200])
def test_networks_with_little_harm_pass_whatever_their_number(networks: int) -> None:
    assert passing(np.full(networks, 0.01)) >= 0.8


def test_more_networks_of_one_mixture_do_not_pass_less_often() -> None:
    few, many = (passing(mixture(n, 0.02, 0.049, 0.005), 150) for n in (50, 200))
    assert many >= few >= 0.9


@pytest.mark.parametrize("networks", [20, SIXTY, 200])
@pytest.mark.parametrize(("share", "harm"), [(0.1, 0.1), (0.1, 0.3), (0.2, 0.1)])
def test_a_class_of_networks_that_is_harmed_hardly_ever_passes(
    networks: int, share: float, harm: float
) -> None:
    assert passing(mixture(networks, share, harm)) <= 0.05


@pytest.mark.parametrize("networks", [4, 6, 15])
def test_one_large_network_that_is_harmed_hardly_ever_passes(networks: int) -> None:
    assert passing(mixture(networks, 0.0, 0.1)) <= 0.05


def test_a_tenth_of_the_networks_with_a_third_harmed_is_rejected() -> None:
    random = np.random.default_rng(7)
    found = judged(mixture(60, 0.1, 0.3), random)
    assert found.low(0.05 / 24) > ALLOWED
    assert (found.probabilities[:6] > 0.5).all()
    assert found.estimate == pytest.approx(0.1, abs=0.02)


def test_upper_ends_hold_where_shares_are_drawn_from_a_beta_distribution() -> None:
    random = np.random.default_rng(7)
    held = []
    for _ in range(SAMPLES):
        harm = random.beta(0.03 * 40, 0.97 * 40, 60)
        share = np.mean(harm > LIMIT).round(DIGITS)
        held.append(judged(harm, random).high(0.05) >= share)
    assert np.mean(held) >= 0.9


@pytest.mark.parametrize("harmed", [1, 2, 3])
def test_a_share_that_equals_the_limit_keeps_it_on_every_processor(harmed: int) -> None:
    count = harmed * 20
    hits = np.zeros(count)
    hits[:harmed] = 1e4
    found = beyond(HarmedShares(hits, np.full(count, 2e4), LIMIT), np.full(count, 1 / count), 1, 1)
    assert found.high(0.05) == harmed / count


def test_a_network_without_errors_of_its_own_is_judged_by_the_others() -> None:
    estimates = np.r_[np.full(19, -0.5), 9.0]
    errors = np.r_[np.full(19, 0.1), np.inf]
    found = beyond(Differences(estimates, errors), np.full(20, 0.05), ALLOWED, 1)
    assert found.high(0.05) <= ALLOWED
    alone = beyond(Differences(np.zeros(2), np.full(2, np.inf)), np.full(2, 0.5), ALLOWED, 1)
    assert (alone.low(0.05), alone.high(0.05)) == (0.0, 1.0)


def test_the_share_of_traffic_counts_and_not_that_of_networks() -> None:
    hits, worth = np.array([40.0, *[0.0] * 19]), np.full(20, 100.0)
    heavy, light = np.full(20, 0.02), np.full(20, 0.99 / 19)
    heavy[0], light[0] = 0.62, 0.01
    family = HarmedShares(hits, worth, LIMIT)
    assert beyond(family, heavy, ALLOWED, 1).low(0.05) == pytest.approx(0.62)
    assert beyond(family, light, ALLOWED, 1).high(0.05) == pytest.approx(0.01, abs=0.001)


def test_the_same_seed_gives_the_same_shares() -> None:
    family = HarmedShares(np.array([3.0, 1.0, 0.0]), np.full(3, 50.0), LIMIT)
    first, again = (beyond(family, np.full(3, 1 / 3), ALLOWED, 5) for _ in range(2))
    assert first.shares.tolist() == again.shares.tolist()
