"""Rows of a replay, and completion times by transfer."""

import gc

import numpy as np
import polars as pl
import pytest

from flowstart.replays import summary
from flowstart.replays.answer import EVERYTHING, Times, classes
from flowstart.replays.summary import Rows
from made_up_replay import facts, times

PARTS = [pl.DataFrame({"transfer": [3 * n, 3 * n + 1, 3 * n + 2]}) for n in range(10)]


@pytest.fixture
def spilled(monkeypatch: pytest.MonkeyPatch) -> Rows:
    """Thirty rows where no more than seven are kept in memory."""
    monkeypatch.setattr(summary, "IN_MEMORY", 7)
    rows = Rows()
    for part in PARTS:
        rows.add(part)
    return rows


def test_rows_in_files_come_back_in_the_order_in_which_they_came(spilled: Rows) -> None:
    assert spilled.scan().collect()["transfer"].to_list() == list(range(30))
    assert spilled.height == 30


def test_no_more_rows_are_kept_in_memory_than_are_allowed(spilled: Rows) -> None:
    assert sum(part.height for part in spilled._recent) <= 7
    assert len(spilled._files) == 3


def test_rows_may_be_added_after_they_were_read(spilled: Rows) -> None:
    spilled.scan().collect()
    spilled.add(pl.DataFrame({"transfer": [30]}))
    assert spilled.scan().collect()["transfer"].to_list() == list(range(31))


def test_the_files_go_with_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summary, "IN_MEMORY", 0)
    rows = Rows()
    rows.add(PARTS[0])
    folder = rows._files[0].parent
    assert folder.is_dir()
    del rows
    gc.collect()
    assert not folder.exists()


def test_few_rows_need_no_files() -> None:
    rows = Rows()
    rows.add(PARTS[0])
    assert rows._files == []
    assert rows.scan().collect().equals(PARTS[0])


def test_without_a_part_there_are_no_rows() -> None:
    assert Rows().scan().collect().is_empty()


def part(*pairs: tuple[int, float | None]) -> pl.DataFrame:
    """Completion times of some transfers under one variant."""
    numbers, seconds = zip(*pairs, strict=True)
    columns = {"variant": ["a"] * len(pairs), "transfer": numbers, "fct_s": seconds}
    return pl.DataFrame(columns, schema_overrides={"fct_s": pl.Float64})


def of(found: Times, *transfers: int) -> list[float]:
    return [float(time) for time in found.of("a", np.array(transfers))]


def test_a_time_stands_with_its_transfer_whatever_the_order_of_rows_and_parts() -> None:
    found = Times()
    found.add(part((5, 0.5), (1, 0.1)))
    found.add(part((3, 0.3), (2, 0.2)))
    assert of(found, 1, 2, 3, 5) == [0.1, 0.2, 0.3, 0.5]
    assert of(found, 5, 1) == [0.5, 0.1]


def test_a_transfer_that_was_never_done_takes_for_ever() -> None:
    found = Times()
    found.add(part((0, None), (1, 0.1)))
    assert of(found, 0, 1) == [np.inf, 0.1]


def test_a_transfer_that_was_not_run_has_no_time() -> None:
    found = Times()
    found.add(part((2, 0.2), (4, 0.4)))
    assert np.isnan(of(found, 1, 3, 5)).all()


def test_a_variant_that_was_not_run_has_no_times() -> None:
    assert np.isnan(times([1.0, 2.0]).of("second", np.array([0, 1]))).all()


def test_a_class_begins_with_its_size_and_ends_before_the_next() -> None:
    sizes = [9_999, 10_000, 99_999, 100_000, 10_000_000]
    found = classes(facts(5).with_columns(size_bytes=pl.Series(sizes)))
    assert {name: numbers.tolist() for name, numbers, _ in found} == {
        "below 10 kB": [0],
        "10 to 100 kB": [1, 2],
        "100 kB to 1 MB": [3],
        "above 10 MB": [4],
        EVERYTHING: [0, 1, 2, 3, 4],
    }


def test_transfers_of_a_class_keep_their_connections() -> None:
    found = classes(facts(3, connections=[7, 7, 9]))
    assert [connections.tolist() for _, _, connections in found] == [[7, 7, 9]] * 2
