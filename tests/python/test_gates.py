"""Gates: intervals of what a setting does to parts of the traffic, and what they show."""

import numpy as np
import pytest

from flowstart.errors import RequestError
from flowstart.inference.clusters import beta_quantile
from flowstart.inference.gates import Gate, Limits, Outcome, Part, Quantity, Runs, gates

GROUP = 40


def runs(times: np.ndarray, lost: np.ndarray | None = None) -> Runs:
    """One run of transfers of twenty packets each."""
    sent, none = np.full(len(times), 20.0), np.zeros(len(times))
    lost = none if lost is None else lost
    return Runs(*(values[None, :] for values in (times, sent, lost, lost)))


def judged(
    new: np.ndarray,
    lost: np.ndarray | None = None,
    limits: Limits | None = None,
) -> dict[tuple[str, Quantity], Gate]:
    """The gates of transfers that took a second each, in networks of `GROUP`."""
    count = len(new)
    network = np.arange(count) // GROUP
    parts = [Part("all", "all", np.ones(count, dtype=np.bool_))]
    parts += [Part("network", f"network {n}", network == n) for n in range(count // GROUP)]
    found = gates(
        runs(np.ones(count)), runs(new, lost), parts, np.arange(count), limits or Limits()
    )
    return {(gate.part, gate.quantity): gate for gate in found}


def test_quantiles_of_the_beta_distribution_are_those_in_closed_form() -> None:
    assert beta_quantile(0.95, 1, 59) == pytest.approx(1 - 0.05 ** (1 / 59), rel=1e-4)
    assert beta_quantile(0.05, 7, 1) == pytest.approx(0.05 ** (1 / 7), rel=1e-4)
    assert beta_quantile(0.975, 0.5, 0.5) == pytest.approx(np.sin(0.975 * np.pi / 2) ** 2)


def test_a_network_in_which_nothing_is_harmed_passes_together_with_the_others() -> None:
    found = judged(np.full(400, 0.8))
    assert {gate.outcome for gate in found.values()} == {Outcome.PASSES}


def test_one_network_that_is_harmed_is_rejected_though_all_traffic_passes() -> None:
    new = np.full(800, 0.8)
    new[:20] = 1.5
    found = judged(new)
    assert found["all", Quantity.HARMED].outcome == Outcome.PASSES
    assert found["network 0", Quantity.HARMED].outcome == Outcome.REJECTED
    assert found["network 1", Quantity.HARMED].outcome == Outcome.PASSES


def test_a_share_near_its_limit_is_inconclusive() -> None:
    new = np.full(400, 0.8)
    new[:4] = 1.5
    assert judged(new)["network 0", Quantity.HARMED].outcome == Outcome.INCONCLUSIVE


def test_loss_may_be_a_point_more_or_half_as_much_again() -> None:
    limits = Limits(loss=0.01)
    assert limits.of_loss(np.array([0.0, 0.01, 0.04])) == pytest.approx([0.01, 0.02, 0.06])
    found = judged(np.full(400, 0.8), np.full(400, 10.0))
    gate = found["all", Quantity.LOSS]
    assert (gate.estimate, gate.baseline, gate.limit) == (0.5, 0.0, 0.01)
    assert gate.outcome == found["all", Quantity.RETRANSMITTED].outcome == Outcome.REJECTED


def test_the_interval_of_a_share_begins_at_0_or_above() -> None:
    times, lost = np.ones(400), np.where(np.arange(400) == 0, 20.0, 0.0)
    all_ = [Part("all", "all", np.ones(400, dtype=np.bool_))]
    found = gates(runs(times, 20 * lost), runs(times, 20 * lost), all_, np.arange(400), Limits())
    assert [gate.low for gate in found if gate.quantity == Quantity.LOSS] == [0.0]


def test_a_slower_tail_is_not_hidden_by_a_faster_median() -> None:
    new = np.full(400, 0.5)
    new[::25] = 3.0
    found = judged(new, limits=Limits(harmed=1.0))
    assert found["all", Quantity.P99].estimate == pytest.approx(2.0)
    assert found["all", Quantity.P99].outcome == Outcome.REJECTED


def test_a_network_of_few_connections_shows_nothing() -> None:
    new, count = np.full(400, 0.8), 400
    parts = [Part("all", "all", np.ones(count, dtype=np.bool_))]
    parts.append(Part("network", "few", np.arange(count) < GROUP))
    clusters = np.where(np.arange(count) < GROUP, np.arange(count) % 5, np.arange(count))
    found = gates(runs(np.ones(count)), runs(new), parts, clusters, Limits())
    assert {gate.outcome for gate in found if gate.part == "few"} == {Outcome.INCONCLUSIVE}
    assert {gate.outcome for gate in found if gate.part == "all"} == {Outcome.PASSES}


def test_parts_of_fewer_than_thirty_transfers_are_not_judged_by_themselves() -> None:
    chosen = np.arange(400) < 29
    parts = [Part("all", "all", np.ones(400, dtype=np.bool_)), Part("network", "few", chosen)]
    found = gates(runs(np.ones(400)), runs(np.ones(400)), parts, np.arange(400), Limits())
    assert {gate.part for gate in found} == {"all"}


@pytest.mark.parametrize("share", [0.02, 0.05, 0.1])
def test_upper_ends_of_all_traffic_hold_in_95_of_100_samples(share: float) -> None:
    random, held, samples = np.random.default_rng(1), 0, 400
    for _ in range(samples):
        # Transfers of a connection are harmed together, half of the time.
        connections = np.repeat(random.random(100), 4)
        own = random.random(400)
        together = np.repeat(random.random(100) < 0.5, 4)
        harmed = np.where(together, connections, own) < share
        new = np.where(harmed, 1.5, 0.8)
        parts = [Part("all", "all", np.ones(400, dtype=np.bool_))]
        clusters = np.repeat(np.arange(100), 4)
        [gate, *_] = gates(runs(np.ones(400)), runs(new), parts, clusters, Limits(), resamples=9)
        held += gate.high >= share
    assert held / samples >= 0.92


@pytest.mark.parametrize("option", ["max_harm", "max_p99", "max_loss"])
def test_a_limit_that_is_none_is_refused(option: str) -> None:
    field = {"max_harm": "harmed", "max_p99": "p99", "max_loss": "loss"}[option]
    with pytest.raises(RequestError, match=rf"^{option}: `0%` is out of range"):
        Limits(**{field: 0.0})
