"""What the report of a replay lists, and what its tables are made of."""

import pathlib

import polars as pl
import pytest

from flowstart import text
from flowstart.captures.reading import read_capture
from flowstart.render.columns import CLASSES
from flowstart.replays import report
from flowstart.replays.answer import ONCE
from flowstart.replays.execute import study
from flowstart.replays.result import Replay
from flowstart.replays.settings import Settings
from flowstart.replays.summary import percentile

SMALL = pathlib.Path(__file__).parent.parent / "data" / "captures" / "small.pcap"
STARTUPS = ("slow-start", "jump-start")


@pytest.fixture(scope="module")
def replayed() -> Replay:
    return study(read_capture(SMALL), Settings(STARTUPS, direction="both"), ONCE)


def test_every_median_is_that_of_the_rows_that_it_names(replayed: Replay) -> None:
    found = report.rows(replayed)
    assert found
    assert found.total == found.frame.height == replayed.frame.height
    grid = report.traced_times(replayed)
    alone = next(column for column in grid.columns if column.title == "alone p50")
    assert alone.where
    place = grid.columns.index(alone)
    for line, source in zip(grid.rows, grid.sources, strict=True):
        for at, where in ((1, source.where), (place, {**source.where, **alone.where})):
            meant = [pl.col(name) == value for name, value in where.items()]
            mine = found.frame.filter("complete", *meant)["fct_s"]
            assert line[at] == text.seconds(percentile(mine.to_list(), 50))


def test_changes_are_against_the_baseline_rows(replayed: Replay) -> None:
    grid = report.traced_changes(replayed)
    assert grid.rows
    assert {str(source.where["variant"]) for source in grid.sources} == {"jump-start"}
    assert all(source.against == {"variant": "slow-start"} for source in grid.sources)
    assert all(column.of and column.compares for column in grid.columns[1:])


def test_size_classes_of_rows_are_those_of_the_tables(replayed: Replay) -> None:
    found = report.rows(replayed)
    assert found
    for name, least, below in CLASSES:
        mine = found.frame.filter(pl.col("size_class") == name)["size_bytes"]
        assert all(size >= least and (below is None or size < below) for size in mine)


def test_of_too_many_rows_whole_transfers_are_listed(
    replayed: Replay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "MOST_ROWS", replayed.frame.height // 2)
    found = report.rows(replayed)
    assert found
    assert 0 < found.frame.height <= replayed.frame.height // 2 + 4
    assert set(found.frame["transfer"].value_counts()["count"]) == {2 * len(STARTUPS)}
    assert "one in 2" in found.left_out
    assert f"have all {replayed.frame.height:,}." in found.left_out


def test_the_command_of_a_row_names_its_variant(replayed: Replay) -> None:
    found = report.rows(replayed)
    assert found
    assert found.command
    assert "--startup" not in found.command.words
    assert found.command.options["variant"]["jump-start"] == "--startup jump-start"
