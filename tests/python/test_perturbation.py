"""Repeats of a scenario, and how far an answer goes over them."""

from collections.abc import Callable
from typing import Any

import pytest

import flowstart as fs


def gain(path: fs.NetworkPath, size: str, **more: Any) -> tuple[float, float, float]:
    result = fs.compare(path, startups=["slow-start", "hystart"], sizes=[size], **more)
    assert result.intervals
    (decision,) = result.intervals.decisions.values()
    row = decision.rows["hystart"]
    assert row.estimate is not None
    assert row.low is not None
    assert row.high is not None
    assert row.estimate == pytest.approx(result.summaries[1].change)
    return row.low, row.estimate, row.high


def test_a_gain_that_hangs_on_one_round_trip_time_is_shown_as_one() -> None:
    path = fs.NetworkPath(rate="50Mbps", rtt="81ms")
    low, exact, high = gain(path, "10MB", stack="linux")
    assert exact == pytest.approx(-0.036, abs=0.002)  # and nothing at 80 or 82 ms
    assert low <= exact
    assert high == pytest.approx(0, abs=0.005)


def test_the_table_stays_that_of_the_exact_path(path: fs.NetworkPath) -> None:
    startups = ["slow-start", "jump-start"]
    plain = fs.compare(path, startups=startups, sizes=["100kB"], uncertainty=False)
    beside = fs.compare(path, startups=startups, sizes=["100kB"])
    assert beside.records == plain.records
    titles = [column.title for column in beside.table.columns]
    assert titles[titles.index("change") + 1 :][0] == "sensitivity"
    assert "sensitivity" not in [column.title for column in plain.table.columns]


def test_marks_and_sentences_follow_from_the_intervals(path: fs.NetworkPath) -> None:
    result = fs.compare(path, startups=["slow-start", "jump-start", "hystart"], sizes=["100kB"])
    assert result.intervals
    assert [s.best for s in result.summaries] == [False, True, False]
    (decision,) = result.intervals.decisions.values()
    assert decision.choice() == "jump-start"
    words = "\n".join(result.verdict)
    assert "100 kB: jump-start.\nRecommended: jump-start is " in words
    assert "No difference: hystart is as fast." in words
    assert "95 % of 40 repeats with perturbed delays" in words
    assert "◀: fastest within every limit" in result.legend


def test_intervals_do_not_depend_on_the_number_of_workers(path: fs.NetworkPath) -> None:
    def records(workers: int) -> list[dict[str, Any]]:
        result = fs.compare(
            path,
            startups=["slow-start", "jump-start"],
            sizes=["30kB"],
            uncertainty=True,
            workers=workers,
        )
        assert result.intervals
        return result.intervals.records

    assert records(1) == records(2)


def test_intervals_are_in_the_json_the_files_and_the_command(
    cli: Callable[..., Any], tmp_path: Any
) -> None:
    import json

    words = "compare --rate 5Mbps --rtt 64ms --startup slow-start,jump-start --size 30kB"
    answer = cli(*words.split(), "--json", "-o", str(tmp_path / "out"))
    document = json.loads(answer.out)
    (row,) = document["intervals"]
    assert row["variant"] == "jump-start"
    assert row["low"] <= row["estimate"] <= row["high"]
    assert row["repeats"] >= 40
    assert (tmp_path / "out" / "intervals.parquet").exists()
    once = json.loads(cli(*words.split(), "--no-uncertainty", "--json").out)
    assert once["intervals"] is None
    assert once["command"] == f"{document['command']} --no-uncertainty"
