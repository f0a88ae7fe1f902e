"""The verdict over repeats of a path: its intervals, its gates, and when it is settled."""

import numpy as np
import pytest
from numpy.typing import NDArray

from flowstart.inference import Status
from flowstart.inference.gates import GateQuantity, Outcome
from flowstart.inference.repeats import Decision, Repeats, decide, looks

Floats = NDArray[np.float64]
NAMES = ("old", "new", "other")


def drawn(*effects: float, count: int = 80, spread: float = 0.1, seed: int = 1) -> Floats:
    """Times of the baseline, and of variants that take `effects` of them, give or take."""
    rng = np.random.default_rng(seed)
    old = np.exp(rng.normal(0, 0.3, count))
    return np.column_stack(
        [old, *(old * effect * np.exp(rng.normal(0, spread, count)) for effect in effects)]
    )


def decision(
    times: Floats,
    *,
    lost: tuple[float, ...] = (0.0, 0.0, 0.0),
    slowest: Floats | None = None,
    is_drawn: bool = True,
    look_count: int = 1,
) -> Decision:
    """The verdict on times with so many of a hundred packets lost under each variant."""
    width = times.shape[1]
    shares = np.broadcast_to(np.array(lost[:width]), times.shape)
    packets = np.stack([np.full(times.shape, 100.0), shares, shares])
    repeats = Repeats("1 MB", times, times if slowest is None else slowest, packets, is_drawn)
    return decide(repeats, NAMES[:width], "old", look_count)


def status(found: Decision, name: str = "new") -> Status:
    judged = found.verdict.of(name)
    assert judged
    return judged.status


def test_a_significant_gain_is_recommended_although_some_repeats_are_slower() -> None:
    times = drawn(0.7, count=200)
    times[:2, 1] = 1.05 * times[:2, 0]
    found = decision(times)
    assert found.choice() == "new"
    assert found.is_settled


def test_more_repeats_do_not_make_a_gain_rarer() -> None:
    times = drawn(0.8, count=1000)
    assert decision(times[:80]).choice() == decision(times).choice() == "new"


def test_an_estimate_is_the_geometric_mean_of_the_ratios() -> None:
    times = drawn(0.7)
    expected = np.exp(np.log(times[:, 1] / times[:, 0]).mean()) - 1
    assert decision(times).rows["new"].estimate == pytest.approx(expected)


def test_a_gain_within_the_margin_keeps_the_baseline() -> None:
    found = decision(drawn(0.995, spread=0.001))
    assert status(found) == Status.EQUAL
    assert found.choice() == "old"


def test_of_variants_that_tie_the_one_with_fewer_losses_is_chosen() -> None:
    times = drawn(0.7, 0.702, spread=0.001)
    assert decision(times, lost=(1.0, 1.0, 1.0)).choice() == "new"
    assert decision(times, lost=(2.0, 2.0, 1.0)).choice() == "other"


def test_what_ties_with_the_baseline_and_loses_less_is_chosen() -> None:
    times = drawn(1.0, spread=0.001)
    assert decision(times, lost=(4.0, 1.0)).choice() == "new"
    assert decision(times, lost=(4.0, 3.0)).choice() == "old"


def test_fewer_losses_do_not_recommend_what_is_slower() -> None:
    assert decision(drawn(1.84), lost=(20.0, 0.0)).choice() == "old"


def test_losses_beyond_the_limit_reject_a_gain() -> None:
    found = decision(drawn(0.7), lost=(1.0, 5.0))
    assert status(found) == Status.REJECTED
    assert found.choice() == "old"


def test_a_slower_worst_tenth_rejects_a_gain_of_the_mean() -> None:
    times = drawn(0.7, count=200)
    slow = np.argsort(times[:, 0])[-50:]
    times[slow, 1] = 2 * times[slow, 0]
    found = decision(times)
    gate = found.gate("new", GateQuantity.P90)
    assert found.rows["new"].gains
    assert gate
    assert gate.outcome == Outcome.REJECTED
    assert found.choice() == "old"


def test_many_slower_repeats_reject_a_gain_of_the_mean() -> None:
    times = drawn(0.5, count=200)
    fast = np.argsort(times[:, 0])[:40]  # so that the worst tenth has none
    times[fast, 1] = 1.2 * times[fast, 0]
    found = decision(times)
    harmed = found.gate("new", GateQuantity.HARMED)
    assert harmed
    assert harmed.estimate == pytest.approx(0.2)
    assert status(found) == Status.REJECTED


def test_a_slower_slowest_flow_rejects_a_gain_of_the_mean() -> None:
    times = drawn(0.9)
    slowest = np.column_stack([times[:, 0], 1.2 * times[:, 0]])
    found = decision(times, slowest=slowest)
    assert [gate.quantity for gate in found.verdict.judgements[0].vetoes] == [
        GateQuantity.SLOWEST_FLOW
    ]
    assert found.choice() == "old"


def test_a_variant_that_does_not_complete_in_each_repeat_has_no_interval() -> None:
    times = drawn(0.7)
    times[3, 1] = np.inf
    found = decision(times)
    assert found.rows["new"].reason == "not completed in 1 of 80 repeats"
    assert found.choice() == "old"


def test_few_repeats_have_no_interval() -> None:
    found = decision(drawn(0.7, count=9))
    assert not found.rows["new"].enough
    assert found.choice() == "old"


def test_a_verdict_that_hangs_on_more_repeats_is_not_settled() -> None:
    assert not decision(drawn(0.99, spread=0.06)).is_settled
    assert decision(drawn(1.5)).is_settled


def test_looks_double_and_share_the_error() -> None:
    assert looks(320) == (40, 80, 160, 320)
    assert looks(100) == (40, 80, 100)
    assert looks(10) == (10,)
    one, four = (decision(drawn(0.7), look_count=count).rows["new"] for count in (1, 4))
    assert one.low and one.high and four.low and four.high
    assert four.high - four.low > one.high - one.low


def test_without_chance_the_change_is_exact_and_its_range_is_that_of_most_repeats() -> None:
    times = np.column_stack([np.ones(41), np.linspace(0.8, 0.9, 41)])
    times[0, 1] = 0.85
    row = decision(times, is_drawn=False).rows["new"]
    assert row.estimate == pytest.approx(-0.15)
    assert row.low and row.low > -0.2
    assert row.low == pytest.approx(-0.2, abs=0.006)
    assert row.high == pytest.approx(-0.1, abs=0.006)


def test_a_gain_that_hangs_on_the_exact_delay_is_inconclusive() -> None:
    times = np.column_stack([np.ones(41), np.ones(41)])
    times[:10, 1] = 0.9
    found = decision(times, is_drawn=False)
    assert status(found) == Status.INCONCLUSIVE
    assert found.choice() == "old"
