"""What a replay says of its size classes: summaries, marks and sentences."""

import pytest

from flowstart.inference import Limits
from flowstart.replays import overview, tables
from flowstart.replays.answer import Criteria
from flowstart.replays.result import Replay
from flowstart.replays.summary import EVERYTHING, ClassSummary, percentile
from made_up_replay import replayed


def of_class(replay: Replay) -> list[ClassSummary]:
    return [s for s in replay.summaries if s.size_class != EVERYTHING]


def test_the_variant_that_is_recommended_is_marked() -> None:
    replay = replayed([1.0] * 60, [0.5] * 60)
    assert [s.best for s in of_class(replay)] == [False, True]
    [headline] = overview.verdict(replay)
    assert headline.startswith("Recommendation: first. It is 50.0 % faster (")


def test_with_fewer_than_ten_connections_nothing_is_recommended() -> None:
    replay = replayed([1.0] * 9, [0.5] * 9)
    assert not any(s.best for s in replay.summaries)
    assert replay.verdict.headline == (
        "No setting is recommended: there is too little traffic: 9.0 independent connections; 10 "
        "are needed."
    )


def test_a_variant_that_hurts_more_than_is_allowed_is_not_marked() -> None:
    base, hurting = [1.0] * 200, [0.5] * 185 + [2.0] * 15
    assert [s.best for s in of_class(replayed(base, hurting))] == [False, False]
    allowed = replayed(base, hurting, criteria=Criteria(Limits(harmed=0.15, p99=1)))
    assert [s.best for s in of_class(allowed)] == [False, True]


def test_where_the_soonest_hurts_too_many_the_next_that_gains_is_marked() -> None:
    replay = replayed([1.0] * 60, [0.5] * 50 + [2.0] * 10, [0.9] * 60)
    assert [s.best for s in of_class(replay)] == [False, False, True]


def test_a_mark_stands_in_the_row_of_the_variant() -> None:
    grid = tables.changes(replayed([1.0] * 60, [0.9] * 60, [0.5] * 60).summaries)
    marked = {grid.rows[number][0] for number in grid.marked}
    assert marked == {"second"}


def test_a_transfer_that_never_ends_is_hurt_and_not_complete() -> None:
    _, first = of_class(replayed([1.0] * 40, [0.5] * 39 + [None]))
    assert (first.transfers, first.complete) == (40, 39)
    assert first.harmed == 1 / 40


def test_a_change_is_that_of_the_transfers_themselves_and_not_of_their_median() -> None:
    base = [1.0] * 15 + [4.0] * 15
    _, first = of_class(replayed(base, [0.5] * 15 + [4.0] * 15))
    assert first.change == pytest.approx(0.5**0.5 - 1)


def test_the_baseline_is_not_compared_with_itself() -> None:
    slow, _ = of_class(replayed([1.0] * 30, [0.5] * 30))
    assert (slow.change, slow.harmed, slow.geomean_ratio, slow.p95) == (None, None, None, None)


def test_where_only_transfers_of_a_small_network_are_hurt_that_is_named() -> None:
    networks = ["small"] * 3 + ["large"] * 12
    _, first = of_class(replayed([1.0] * 15, [2.0] + [1.0] * 14, networks=networks))
    assert (first.worst_network, first.worst_share) == ("small", 1 / 3)


def test_among_networks_with_hurt_transfers_one_of_enough_transfers_is_named() -> None:
    networks = ["small"] * 3 + ["large"] * 12
    _, first = of_class(replayed([1.0] * 15, [2.0] * 4 + [1.0] * 11, networks=networks))
    assert (first.worst_network, first.worst_share) == ("large", 1 / 12)


def test_where_nobody_is_hurt_no_network_is_named() -> None:
    _, first = of_class(replayed([1.0] * 15, [1.0] * 15))
    assert (first.worst_network, first.worst_share) == (None, None)


def test_with_one_variant_there_is_nothing_to_conclude() -> None:
    assert overview.verdict(replayed([1.0] * 30)) == []


def test_without_a_completed_transfer_the_only_sentence_says_so() -> None:
    replay = replayed([None] * 3, [None] * 3)
    assert overview.verdict(replay) == ["No transfer was completed."]
    assert replay.all_failed


def test_percentiles_are_by_nearest_rank() -> None:
    assert percentile([], 50) is None
    assert percentile([3.0, 1.0, 2.0], 50) == 2.0
    assert percentile([float(n) for n in range(101)], 95) == 95.0
