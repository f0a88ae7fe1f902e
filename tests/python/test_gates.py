"""Gates: intervals of what a setting does to parts of the traffic, and what they show."""

import numpy as np
import pytest

from flowstart.errors import RequestError
from flowstart.inference.clusters import beta_quantile
from flowstart.inference.gates import (
    Gate,
    GateQuantity,
    Limits,
    Outcome,
    Runs,
    TrafficPart,
    gates,
    levels,
)
from flowstart.inference.networks import Networks, network_gates

GROUP = 40
AT = levels(2)


def runs(times: np.ndarray, lost: np.ndarray | None = None) -> Runs:
    """One run of transfers of twenty packets each."""
    sent, none = np.full(len(times), 20.0), np.zeros(len(times))
    lost = none if lost is None else lost
    return Runs(*(values[None, :] for values in (times, sent, lost, lost)))


def judged(
    new: np.ndarray,
    lost: np.ndarray | None = None,
    limits: Limits | None = None,
    clusters: np.ndarray | None = None,
) -> dict[tuple[str, GateQuantity], Gate]:
    """The gates of transfers that took a second each, in networks of `GROUP`."""
    count = len(new)
    base, variant, limits = runs(np.ones(count)), runs(new, lost), limits or Limits()
    clusters = np.arange(count) if clusters is None else clusters
    networks = Networks(
        tuple(f"network {n}" for n in range(count // GROUP)), np.arange(count) // GROUP
    )
    found = gates(base, variant, [everything(count)], clusters, limits, AT)
    found += network_gates(base, variant, networks, clusters, limits, AT)
    return {(gate.part, gate.quantity): gate for gate in found}


def everything(count: int) -> TrafficPart:
    return TrafficPart("all", "all", np.ones(count, dtype=np.bool_))


def test_quantiles_of_the_beta_distribution_are_those_in_closed_form() -> None:
    assert beta_quantile(0.95, 1, 59) == pytest.approx(1 - 0.05 ** (1 / 59), rel=1e-4)
    assert beta_quantile(0.05, 7, 1) == pytest.approx(0.05 ** (1 / 7), rel=1e-4)
    assert beta_quantile(0.975, 0.5, 0.5) == pytest.approx(np.sin(0.975 * np.pi / 2) ** 2)


def test_networks_in_which_nothing_is_harmed_pass_together() -> None:
    found = judged(np.full(400, 0.8))
    assert {gate.outcome for gate in found.values()} == {Outcome.PASSES}


def test_a_tenth_of_the_traffic_that_is_harmed_is_rejected_though_all_traffic_passes() -> None:
    new = np.full(800, 0.8)
    new[:20] = new[40:60] = 1.5
    found = judged(new, limits=Limits(harmed=0.1))
    assert found["all", GateQuantity.HARMED].outcome == Outcome.PASSES
    gate = found["networks", GateQuantity.HARMED]
    assert gate.outcome == Outcome.REJECTED
    assert gate.estimate == pytest.approx(0.1, abs=0.01)
    assert [one.network for one in gate.networks] == ["network 0", "network 1"]
    assert [one.traffic for one in gate.networks] == [0.05, 0.05]


def test_a_network_with_little_traffic_is_named_and_does_not_decide() -> None:
    new = np.full(1600, 0.8)
    new[:20] = 1.5
    gate = judged(new)["networks", GateQuantity.HARMED]
    assert gate.outcome == Outcome.PASSES
    assert [(one.network, one.estimate) for one in gate.networks] == [("network 0", 0.5)]


def test_a_share_near_its_limit_is_inconclusive() -> None:
    new = np.full(400, 0.8)
    new[:4] = 1.5
    assert judged(new)["networks", GateQuantity.HARMED].outcome == Outcome.INCONCLUSIVE


def test_the_only_network_is_judged_as_all_traffic_alone() -> None:
    assert {part for part, _ in judged(np.full(GROUP, 0.8))} == {"all"}


def test_loss_may_be_a_point_more_or_half_as_much_again() -> None:
    limits = Limits(loss=0.01)
    assert limits.of_loss(np.array([0.0, 0.01, 0.04])) == pytest.approx([0.01, 0.02, 0.06])
    found = judged(np.full(400, 0.8), np.full(400, 10.0))
    gate = found["all", GateQuantity.LOSS]
    assert (gate.estimate, gate.baseline, gate.limit) == (0.5, 0.0, 0.01)
    assert gate.outcome == found["all", GateQuantity.RETRANSMITTED].outcome == Outcome.REJECTED


def test_the_interval_of_a_share_begins_at_0_or_above() -> None:
    times, lost = np.ones(400), np.where(np.arange(400) == 0, 20.0, 0.0)
    found = gates(
        runs(times, 20 * lost),
        runs(times, 20 * lost),
        [everything(400)],
        np.arange(400),
        Limits(),
        AT,
    )
    assert [gate.low for gate in found if gate.quantity == GateQuantity.LOSS] == [0.0]


def test_a_slower_tail_is_not_hidden_by_a_faster_median() -> None:
    new = np.full(400, 0.5)
    new[::25] = 3.0
    found = judged(new, limits=Limits(harmed=1.0))
    assert found["all", GateQuantity.P99].estimate == pytest.approx(2.0)
    assert found["all", GateQuantity.P99].outcome == Outcome.REJECTED


def test_networks_of_few_connections_do_not_show_their_tails() -> None:
    clusters = np.arange(400) // 10
    found = judged(np.full(400, 0.8), clusters=clusters)
    assert found["networks", GateQuantity.P99].outcome == Outcome.INCONCLUSIVE
    assert found["all", GateQuantity.P99].outcome == Outcome.PASSES


def test_size_classes_of_fewer_than_thirty_transfers_are_not_judged_by_themselves() -> None:
    parts = [everything(400), TrafficPart("size class", "few", np.arange(400) < 29)]
    found = gates(runs(np.ones(400)), runs(np.ones(400)), parts, np.arange(400), Limits(), AT)
    assert {gate.part for gate in found} == {"all"}


def test_gates_of_several_verdicts_are_stricter() -> None:
    new = np.full(400, 0.8)
    new[:8] = 1.5
    base, variant, parts = runs(np.ones(400)), runs(new), [everything(400)]
    one, many = (
        gates(base, variant, parts, np.arange(400), Limits(), levels(2, verdicts))[0]
        for verdicts in (1, 8)
    )
    assert one.high < many.high
    assert one.low > many.low


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
        clusters = np.repeat(np.arange(100), 4)
        [gate, *_] = gates(
            runs(np.ones(400)), runs(new), [everything(400)], clusters, Limits(), AT, resamples=9
        )
        held += gate.high >= share
    assert held / samples >= 0.92


@pytest.mark.parametrize("option", ["max_harm", "max_p99", "max_loss"])
def test_a_limit_that_is_none_is_refused(option: str) -> None:
    field = {"max_harm": "harmed", "max_p99": "p99", "max_loss": "loss"}[option]
    with pytest.raises(RequestError, match=rf"^{option}: `0%` is out of range"):
        Limits(**{field: 0.0})
