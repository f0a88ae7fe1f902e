"""From a recommendation to its use: knobs, the size of a test, thresholds."""

import numpy as np
import pytest
from numpy.typing import NDArray

from flowstart.deployment.experiment import size
from flowstart.deployment.knobs import offer
from flowstart.deployment.notes import Variant, notes
from flowstart.errors import RequestError
from flowstart.inference import Group, intervals, recommend
from flowstart.model import catalog
from flowstart.render import text

CLUSTER = 4
"""Transfers of a connection, in the made-up tests."""


@pytest.mark.parametrize("kind", ["startup", "avoidance"])
def test_every_algorithm_has_a_knob_or_says_that_none_is_known(kind: catalog.Kind) -> None:
    assert kind in ("startup", "avoidance")
    for algorithm in catalog.algorithms(kind):
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


def replayed(connections: int = 2000, effect: float = 0.8) -> Group:
    old, clusters = draw(np.random.default_rng(1), connections, 1.0)
    noise = np.exp(np.random.default_rng(2).normal(0, 0.05, len(old)))
    return Group.of("1 MB", np.column_stack([old, effect * old * noise]), clusters)


def log_median(times: NDArray[np.float64]) -> tuple[float, float]:
    """The log of an arm's median and its variance, by leaving out a tenth of connections each."""
    by = times.reshape(-1, CLUSTER)
    parts = [np.median(np.delete(by, slice(i, None, 10), axis=0)) for i in range(10)]
    return float(np.log(np.median(times))), float(np.var(np.log(parts)) * 9)


def test_a_test_of_the_size_that_is_named_finds_the_effect_in_80_of_100() -> None:
    wanted = size(replayed(), 1, 0)
    assert wanted
    rng = np.random.default_rng(7)
    # The variance of many arms of this size, which an arm's own estimate would blur.
    connections = round(wanted.transfers / CLUSTER)
    medians = {
        effect: [np.log(np.median(draw(rng, connections, effect)[0])) for _ in range(2000)]
        for effect in (1.0, 0.8)
    }
    difference = np.subtract(medians[0.8], medians[1.0])
    found = np.mean(difference / np.std(difference) < -1.96)
    assert 0.72 <= found <= 0.88
    assert wanted.clusters == pytest.approx(connections, abs=1)


def test_a_smaller_effect_and_more_power_need_a_larger_test() -> None:
    usual, small = size(replayed(), 1, 0), size(replayed(effect=0.9), 1, 0)
    surer = size(replayed(), 1, 0, power=0.95)
    assert usual
    assert small
    assert surer
    assert small.transfers > 3 * usual.transfers
    assert surer.transfers > 1.3 * usual.transfers


def test_transfers_that_depend_on_each_other_need_a_larger_test() -> None:
    together = replayed()
    apart = Group.of("1 MB", together.times, np.arange(len(together.times)))
    first, second = size(together, 1, 0), size(apart, 1, 0)
    assert first
    assert second
    assert first.transfers > 1.3 * second.transfers


def test_without_an_effect_there_is_no_size() -> None:
    group = replayed(effect=1.0)
    same = Group.of("1 MB", np.column_stack([group.times[:, 0]] * 2), group.clusters)
    assert size(same, 1, 0) is None


@pytest.mark.parametrize("power", [0.0, 1.0, 2.0])
def test_a_power_that_is_no_probability_is_refused(power: float) -> None:
    with pytest.raises(RequestError, match=r"power = .*: more than 0 and less than 1 is needed"):
        size(replayed(), 1, 0, power=power)


def test_notes_tell_knobs_test_and_thresholds_from_the_same_rows() -> None:
    group, names = replayed(), ["slow-start", "jump-iw30"]
    rows = intervals([group], names, "slow-start")
    (chosen,) = recommend([group], names, "slow-start", rows)
    assert chosen.best == ("jump-iw30",)
    variant = Variant("jump-iw30", "hystart", avoidance="cubic", iw="30", pacing=True)
    found = notes(chosen, variant, rows, group, (1, 0))
    told = "\n".join(found.lines)
    assert "ip route change default via GATEWAY dev DEVICE initcwnd 30" in told
    assert "/sys/module/tcp_cubic/parameters/hystart" in told
    p50 = next(row for row in rows if row.statistic == "p50")
    assert found.test
    assert found.test.effect == p50.estimate
    assert found.test.text in told
    assert f"in each arm show a change of {text.percent(p50.estimate)} in p50" in told
    first = found.rollback[0]
    assert (first.measure, first.above) == ("the change of the geometric mean", 0.0)


def test_ones_own_startup_has_no_knob_and_says_so() -> None:
    group, names = replayed(), ["slow-start", "mine"]
    rows = intervals([group], names, "slow-start")
    (chosen,) = recommend([group], names, "slow-start", rows)
    found = notes(chosen, Variant("mine", "./mine.py:Mine"), rows)
    assert "nothing is known of stacks that offer it" in "\n".join(found.lines)
    assert "A/B test: no effect to size it by." in "\n".join(found.lines)
