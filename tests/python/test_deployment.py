"""From a recommendation to its use: knobs, the size of a test, thresholds."""

import numpy as np
import pytest
from numpy.typing import NDArray

from flowstart import text
from flowstart.deployment.experiment import Population, plan
from flowstart.deployment.guardrails import Packets
from flowstart.deployment.notes import VariantOptions, notes
from flowstart.deployment.stacks import offer
from flowstart.errors import RequestError
from flowstart.inference import TransferGroup, intervals
from flowstart.model import catalog

CLUSTER = 4
"""Transfers of a connection, in the made-up tests."""


@pytest.mark.parametrize("kind", ["startup", "cc"])
def test_every_algorithm_has_a_knob_or_says_that_none_is_known(kind: catalog.Kind) -> None:
    assert kind in ("startup", "cc")
    for algorithm in catalog.list_algorithms(kind):
        found = offer(kind, algorithm.name)
        assert found, algorithm.name
        assert found.lines, algorithm.name
        for knob in found.knobs:
            assert knob.stack
            assert knob.write
            assert knob.source


def test_parameters_do_not_hide_a_knob_and_ones_own_have_none() -> None:
    assert offer("startup", "hystart:low_window=16") == offer("startup", "hystart")
    assert offer("startup", "./mine.py:Mine") is None


def draw(
    rng: np.random.Generator, connections: int, effect: float
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Times of one arm, of connections whose transfers share a speed."""
    shared = rng.normal(0, 0.5, connections)
    clusters = np.repeat(np.arange(connections), CLUSTER)
    return effect * np.exp(shared[clusters] + rng.normal(0, 0.5, len(clusters))), clusters


def replayed(connections: int = 2000, effect: float = 0.8) -> TransferGroup:
    old, clusters = draw(np.random.default_rng(1), connections, 1.0)
    noise = np.exp(np.random.default_rng(2).normal(0, 0.05, len(old)))
    return TransferGroup.of("1 MB", np.column_stack([old, effect * old * noise]), clusters)


def population(group: TransferGroup, lasts_s: float = 3600.0) -> Population:
    """A group whose connections are networks of one client each."""
    old, new = group.times.T
    return Population(old, new, group.clusters, group.clusters, group.clusters, lasts_s)


def units(group: TransferGroup, power: float = 0.8) -> int:
    """The networks that show the gain."""
    found = plan(population(group), power=power)
    assert found
    return found.needs[0].size.units


def test_a_smaller_effect_and_more_power_need_a_larger_test() -> None:
    usual = units(replayed())
    assert units(replayed(effect=0.9)) > 3 * usual
    assert units(replayed(), power=0.95) > 1.3 * usual


def test_transfers_that_depend_on_each_other_need_a_larger_test() -> None:
    together = replayed(connections=400)
    apart = TransferGroup.of("1 MB", together.times, np.arange(len(together.times)))
    assert CLUSTER * units(together) > 1.3 * units(apart)


def test_without_an_effect_there_is_no_size() -> None:
    group = replayed(effect=1.0)
    same = TransferGroup.of("1 MB", np.column_stack([group.times[:, 0]] * 2), group.clusters)
    assert plan(population(same)) is None


def test_a_size_is_given_in_transfers_clients_and_days() -> None:
    group = replayed()
    connections = group.clusters
    old, new = group.times.T
    networks, clients = connections // 20, connections // 5
    month = Population(old, new, networks, connections, clients, 30 * 86_400.0)
    found = plan(month)
    assert found
    by_network, by_connection = (need.size for need in found.needs if need.quantity == "gain")
    captures = by_network.units / 100
    assert by_network.transfers == pytest.approx(8000 * captures, rel=0.02)
    assert by_network.clients == pytest.approx(400 * captures, rel=0.02)
    assert by_network.days == pytest.approx(60 * captures, rel=0.02)
    assert by_connection.transfers == pytest.approx(CLUSTER * by_connection.units, rel=0.02)
    assert f"{by_network.units} networks, {by_network.clients} clients, " in by_network.text
    assert by_network.text.startswith("By network (route): ")


def test_a_test_lasts_for_a_full_day_at_least() -> None:
    found = plan(population(replayed(), lasts_s=10.0))
    assert found
    assert {need.size.days for need in found.needs} == {1.0}
    assert "one full day at least" in found.sizes[0].text


def test_loss_is_watched_in_the_class_that_decides_where_packets_are_known() -> None:
    old, new = replayed().times.T
    count = len(old)
    sent, none = np.full(count, 20.0), np.zeros(count)
    lost = np.where(np.arange(count) % 10 == 0, 1.0, 0.0)
    networks = np.arange(count) // 16
    found = plan(
        Population(
            old,
            new,
            networks,
            networks,
            networks,
            3600.0,
            packets=Packets(sent, none, lost),
            decides=np.arange(count) % 2 == 0,
            size_class="10 to 100 kB",
        )
    )
    assert found
    loss = found.guardrails[-1]
    assert loss.name == "share of packets retransmitted in transfers of 10 to 100 kB"
    assert (loss.mean, loss.at_limit) == (0.0, 0.01)
    assert loss.count.sum() == 20 * count / 2


def test_a_capture_with_few_networks_has_a_test_by_connection_alone() -> None:
    old, new = replayed().times.T
    connections = replayed().clusters
    found = plan(Population(old, new, connections % 3, connections, None, 3600.0))
    assert found
    assert {size.unit for size in found.sizes} == {"connection"}
    assert "the capture has too few networks" in found.lines[1]
    assert "Cluster standard errors by connection" in "\n".join(found.lines)


@pytest.mark.parametrize("power", [0.0, 1.0, 2.0])
def test_a_power_that_is_no_probability_is_refused(power: float) -> None:
    with pytest.raises(RequestError, match=r"power = .*: more than 0 and less than 1 is needed"):
        plan(population(replayed()), power=power)


def test_notes_tell_knobs_test_and_thresholds_from_the_same_rows() -> None:
    group, names = replayed(), ["slow-start", "jump-iw30"]
    rows = intervals([group], names, "slow-start")
    variant = VariantOptions("jump-iw30", "hystart", cc="cubic", iw="30", pacing=True)
    found = notes(group.name, variant, rows, plan(population(group)))
    told = "\n".join(found.lines)
    assert "Linux: initcwnd 30 on the default routes of both families" in told
    assert "/sys/module/tcp_cubic/parameters/hystart" in told
    geomean = next(row for row in rows if row.statistic == "geomean_ratio")
    assert found.test
    assert found.test.effect == pytest.approx(geomean.estimate)
    assert f"a change of {text.percent(geomean.estimate)} in the geometric mean" in told
    assert found.test.sizes[0].text in told
    change, *harm = found.rollback
    assert change.startswith("a change of the geometric mean above 0 % (predicted: ")
    assert harm == [f"a larger {one.name} than in the other arm" for one in found.test.guardrails]


def test_ones_own_startup_has_no_knob_and_says_so() -> None:
    group, names = replayed(), ["slow-start", "mine"]
    rows = intervals([group], names, "slow-start")
    found = notes(group.name, VariantOptions("mine", "./mine.py:Mine"), rows)
    assert "nothing is known of stacks that offer it" in "\n".join(found.lines)
    assert "A/B test: no effect to size it by." in "\n".join(found.lines)
