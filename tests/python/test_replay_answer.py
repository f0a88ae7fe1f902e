"""What completion times say: intervals that repeats widen, and recommendations."""

import numpy as np
import pytest

from flowstart.inference import Limits, Statistic
from flowstart.inference.gates import Outcome
from flowstart.replays.answer import Answer, Criteria, Times, answer, settled
from made_up_replay import facts, times

NAMES = ("slow-start", "first")
CLASS = "10 to 100 kB"


def drawn(effect: float, seed: int, transfers: int = 200) -> Times:
    """Transfers that take `effect` times as long under the variant, give or take a tenth."""
    random = np.random.default_rng(seed)
    base = random.lognormal(0, 0.5, transfers)
    mine = base * effect * random.lognormal(0, 0.1, transfers)
    return times(base.tolist(), mine.tolist())


def found(exact: Times, *repeats: Times, limits: Limits | None = None) -> Answer:
    criteria = Criteria(limits or Limits())
    return answer(facts(200), exact, NAMES, NAMES[0], criteria, repeats=repeats)


EXACT = drawn(0.9, seed=1)
REPEATS = [drawn(effect, seed) for effect, seed in ((0.6, 2), (0.9, 3), (1.4, 4))]


@pytest.mark.parametrize(
    "statistic", [Statistic.GEOMEAN_RATIO, Statistic.P50, Statistic.MEDIAN_RATIO]
)
def test_an_interval_reaches_as_far_as_its_repeats(statistic: Statistic) -> None:
    alone, widened = found(EXACT), found(EXACT, *REPEATS)
    narrow, wide = (a.row(CLASS, "first", statistic) for a in (alone, widened))
    assert narrow and narrow.low is not None and narrow.high is not None
    assert wide and wide.low is not None and wide.high is not None
    for repeat in REPEATS:
        row = found(repeat).row(CLASS, "first", statistic)
        assert row and row.estimate is not None
        assert wide.low <= row.estimate <= wide.high
    assert wide.low < narrow.low < narrow.high < wide.high
    assert wide.estimate == narrow.estimate


def test_a_share_that_is_hurt_stays_one_however_far_repeats_lie() -> None:
    row = found(drawn(0.5, seed=1), drawn(2.0, seed=2)).row(CLASS, "first", Statistic.HARMED_SHARE)
    assert row and row.low is not None and row.high is not None
    assert row.low >= 0
    assert 0.9 < row.high <= 1


def test_repeats_that_are_the_same_widen_nothing() -> None:
    assert found(EXACT, EXACT, EXACT).rows == found(EXACT).rows


def test_an_answer_says_how_many_repeats_widened_it() -> None:
    assert found(EXACT, *REPEATS).records[0]["repeats"] == 3


def test_a_gain_that_a_repeat_does_not_have_is_not_recommended() -> None:
    within = Limits(harmed=0.2)
    assert found(EXACT, limits=within).verdict.recommended == "first"
    assert found(EXACT, *REPEATS, limits=within).verdict.recommended is None


def test_what_is_recommended_gains_and_passes_every_gate() -> None:
    recommended = 0
    for seed in range(20):
        one = found(drawn(0.8 + 0.02 * seed, seed), limits=Limits(harmed=0.1)).verdict
        for judged in one.judgements:
            if judged.setting == one.recommended:
                assert judged.gain.gains
                assert {gate.outcome for gate in judged.gates} == {Outcome.PASSES}
                recommended += 1
    assert 0 < recommended < 20


def test_changes_are_against_the_baselines_times_of_another_pass_where_there_are_some() -> None:
    slower = times([2.0] * 200, [1.0] * 200)
    one = answer(facts(200), slower, NAMES, NAMES[0], base_times=times([1.0] * 200))
    row = one.row(CLASS, "first", Statistic.GEOMEAN_RATIO)
    assert row and row.estimate == 0


def test_repeats_have_settled_where_the_second_half_moves_nothing() -> None:
    known = facts(200)
    assert settled(known, EXACT, [REPEATS[0], REPEATS[2], EXACT, EXACT], NAMES, NAMES[0])
    assert not settled(known, EXACT, [EXACT, EXACT, REPEATS[0], REPEATS[2]], NAMES, NAMES[0])
