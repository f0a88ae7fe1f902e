"""Which rows are marked as the best, and what sentences say of them."""

import pathlib
from collections.abc import Sequence
from typing import Any

import polars as pl

from flowstart.captures.contents import Capture
from flowstart.captures.reading import capture
from flowstart.render import marks
from flowstart.replays import sentences
from flowstart.replays.result import Replay
from flowstart.replays.settings import Settings
from flowstart.replays.summary import EVERYTHING, ClassSummary

CAPTURES = pathlib.Path(__file__).parent.parent / "data" / "captures"


def test_the_soonest_is_marked_and_who_ties_with_it_and_gains_too() -> None:
    assert marks.soonest([2.0, 1.0, 1.0005], [0, -0.5, -0.49975]) == [False, True, True]


def test_the_baseline_may_be_the_best() -> None:
    assert marks.soonest([1.0, 2.0], [0, 1.0]) == [True, False]


def test_who_ties_with_the_soonest_is_marked_with_it_even_if_that_is_the_baseline() -> None:
    assert marks.soonest([1.0, 1.0004, 2.0], [0, 0.0004, 1.0]) == [True, True, False]


def test_who_loses_by_its_change_is_not_marked_however_soon_it_is() -> None:
    assert marks.soonest([2.0, 1.0], [0, 0.034]) == [False, False]


def test_without_a_difference_or_an_end_nobody_is_marked() -> None:
    assert marks.soonest([1.0, 1.0005], [0, 0.0005]) == [False, False]
    assert marks.soonest([None, None], [None, None]) == [False, False]


def replayed(
    *times: Sequence[float | None], size: int = 20_000, networks: Sequence[str] = ()
) -> Replay:
    """A replay of which nothing is known but how long transfers took: by slow start, then others.

    None is a transfer that never ended. All come over one network unless `networks` has theirs.
    """
    names = ["slow-start", "first", "second"][: len(times)]
    rows: list[dict[str, Any]] = [
        {
            "startup": name,
            "mode": "together",
            "transfer": number,
            "network": networks[number] if networks else "10.0.0.0/24",
            "size_bytes": size,
            "complete": time is not None,
            "fct_s": time,
            "slowdown": time,
            "packets_sent": 10,
            "packets_dropped": 0,
            "timeouts": 0,
        }
        for name, column in zip(names, times, strict=True)
        for number, time in enumerate(column)
    ]
    empty = Capture(("none",), pl.DataFrame(), pl.DataFrame(), [], {}, warnings=[], notes=[])
    return Replay(empty, Settings(tuple(names)), paths=[], left_out={}, rows=rows)


def of_class(replay: Replay) -> list[ClassSummary]:
    return [s for s in replay.summaries if s.size_class != EVERYTHING]


def verdict(replay: Replay) -> str:
    return "\n".join(sentences.verdict(replay))


def test_a_start_up_that_gains_and_hurts_nobody_is_marked() -> None:
    replay = replayed([1.0] * 30, [0.5] * 30)
    assert [s.best for s in of_class(replay)] == [False, True]
    assert "10 to 100 kB: soonest under first (−50.0 % against slow-start, 0.0% hurt)." in verdict(
        replay
    )


def test_thirty_transfers_are_needed_for_a_mark() -> None:
    replay = replayed([1.0] * 29, [0.5] * 29)
    assert not any(s.best for s in replay.summaries)
    assert "29 transfers are too few to name a best (30 are enough)" in verdict(replay)


def test_a_start_up_that_hurts_more_than_one_in_twenty_is_not_marked_and_neither_is_the_next() -> (
    None
):
    base = [1.0] * 40
    hurting = replayed(base, [0.5] * 37 + [2.0] * 3, [0.9] * 40)
    assert not any(s.best for s in hurting.summaries)
    assert "but it is not the best: more than 5% are hurt" in verdict(hurting)
    assert "first makes 3 of 40 transfers (7.5%) more than a tenth slower" in verdict(hurting)
    sparing = replayed(base, [0.5] * 38 + [2.0] * 2, [0.9] * 40)
    assert [s.best for s in of_class(sparing)] == [False, True, False]


def test_a_transfer_that_never_ends_is_hurt() -> None:
    replay = replayed([1.0] * 40, [0.5] * 39 + [None])
    _, first = of_class(replay)
    assert (first.compared, first.hurt, first.complete) == (40, 1 / 40, 39)
    assert not first.best


def test_where_only_transfers_of_a_small_network_are_hurt_that_is_named() -> None:
    networks = ["small"] * 3 + ["large"] * 12
    _, first = of_class(replayed([1.0] * 15, [2.0] + [1.0] * 14, networks=networks))
    assert (first.worst_network, first.worst_share) == ("small", 1 / 3)


def test_among_networks_with_hurt_transfers_one_of_enough_transfers_is_named() -> None:
    networks = ["small"] * 3 + ["large"] * 12
    base = [1.0] * 15
    _, first = of_class(replayed(base, [2.0] * 4 + [1.0] * 11, networks=networks))
    assert (first.worst_network, first.worst_share) == ("large", 1 / 12)


def test_where_nobody_is_hurt_no_network_is_named() -> None:
    _, first = of_class(replayed([1.0] * 15, [1.0] * 15))
    assert (first.worst_network, first.worst_share) == (None, None)


def test_the_least_median_without_the_largest_gain_is_not_marked() -> None:
    # The median transfer is the shortest of the long ones, of which the first gains one.
    base = [1.0] * 20 + [10.0] * 21
    replay = replayed(base, [0.99] * 20 + [4.0] + [9.9] * 20, [1.0] * 20 + [5.0] * 21, size=2000)
    assert not any(s.best for s in replay.summaries)
    assert "second (−50.0 % against slow-start, 0.0% hurt), but it is not the best: its median" in (
        verdict(replay)
    )


def test_a_lesser_median_is_no_gain_where_most_transfers_have_none() -> None:
    # The medians are those of different transfers.
    base = [1.0] * 14 + [2.0] * 16
    replay = replayed(base, [1.0] * 14 + [1.5] + [2.0] * 15)
    slow, first = of_class(replay)
    assert slow.fct_median_s is not None and first.fct_median_s is not None
    assert (first.fct_median_s < slow.fct_median_s, first.change) == (True, 0)
    assert verdict(replay) == (
        "10 to 100 kB: at least half of the transfers gain nothing on slow-start, whatever the "
        "start-up."
    )


def test_all_sizes_together_are_never_marked() -> None:
    replay = replayed([1.0] * 30, [0.5] * 30)
    assert not any(s.best for s in replay.summaries if s.size_class == EVERYTHING)
    assert "ll sizes" not in verdict(replay)


def test_no_mark_contradicts_its_row() -> None:
    names = ("slow-start", "hystart", "jump-start", "xcp")
    from flowstart.replays.execute import study as replay

    found = replay(capture(CAPTURES / "small.pcap"), Settings(names))
    for s in found.summaries:
        if s.best:
            assert s.change is not None
            assert not marks.loses(s.change)
            assert s.transfers >= marks.ENOUGH
            assert (s.hurt or 0.0) <= marks.MOST_HURT


def test_with_one_start_up_there_is_nothing_to_conclude() -> None:
    assert sentences.verdict(replayed([1.0] * 30)) == []


def test_without_a_completed_transfer_the_only_sentence_says_so() -> None:
    replay = replayed([None] * 3, [None] * 3)
    assert sentences.verdict(replay) == ["No transfer was completed."]
    assert replay.all_failed
