"""Many scenarios at once."""

import pathlib
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import flowstart as fs
from failed_runs import failing
from flowstart import _native

PATH = fs.NetworkPath(rate="10Mbps", rtt="20ms", loss="1%")


def scenario(size: int = 10_000, **fields: Any) -> fs.Scenario:
    flow = fs.Flow(size=size, available_rate="10Mbps")
    return fs.Scenario(path=PATH, flows=[flow], **fields)


MANY = [scenario(size, seed=seed) for size in (30_000, 3_000) for seed in range(5)]


def test_rows_of_all_runs_are_in_one_frame_in_their_order() -> None:
    batch = fs.run_many(MANY)
    assert batch.runs["run"].to_list() == list(range(10))
    assert batch.frame["size_bytes"].to_list() == [30_000] * 5 + [3_000] * 5
    assert batch.startups["run"].to_list() == list(range(10))
    assert batch.links["run"].unique().sort().to_list() == list(range(10))
    assert repr(batch) == "<RunBatch of 10 runs>"


def test_rows_are_the_same_whatever_the_number_of_workers() -> None:
    one, four = (fs.run_many(MANY, workers=workers) for workers in (1, 4))
    for table in ("runs", "frame", "links", "startups"):
        assert_frame_equal(getattr(one, table), getattr(four, table))


def test_a_scenario_may_be_a_class_a_document_or_a_file(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "one.toml"
    file.write_text('path = { rate = "10Mbps", rtt = "20ms" }\nflows = [{ size = "9kB" }]\n')
    document = {"path": {"rate": "10Mbps", "rtt": "20ms"}, "flows": [{"size": "9kB"}]}
    described = fs.Scenario(
        path=fs.NetworkPath(rate="10Mbps", rtt="20ms"), flows=[fs.Flow(size="9kB")]
    )
    batch = fs.run_many([described, document, file, str(file)])
    assert batch.frame["fct_s"].n_unique() == 1


def test_progress_reaches_the_end() -> None:
    seen: list[tuple[int, int]] = []
    fs.run_many(MANY, progress=lambda *now: seen.append(now))
    assert seen[-1] == (10, 10)


def test_a_wrong_scenario_is_named_and_nothing_runs() -> None:
    calls: list[object] = []
    wrong = {"path": {"rate": "5Mbps", "rtt": "64"}, "flows": []}
    with pytest.raises(fs.RequestError, match=r"^scenarios\[2\]: path\.rtt: `64` is not a time"):
        fs.run_many([scenario(), scenario(), wrong], progress=lambda *now: calls.append(now))
    assert not calls


@pytest.mark.parametrize(
    ("scenarios", "message"),
    [
        (scenario(), "scenarios: a list of scenarios is needed; `fs.run` runs one"),
        ("a.toml", "scenarios: a list of scenarios is needed"),
        ([scenario(trace=True)], r"scenarios\[0\]: trace: one run of many keeps none"),
        (["none.toml"], r"scenarios\[0\]: none\.toml: there is no such file"),
    ],
)
def test_what_cannot_run_is_refused(scenarios: Any, message: str) -> None:
    with pytest.raises(fs.RequestError, match=message):
        fs.run_many(scenarios)


def test_at_least_one_worker_is_needed() -> None:
    with pytest.raises(fs.RequestError, match=r"^workers = 0: at least one is needed"):
        fs.run_many([scenario()], workers=0)


def test_no_scenarios_are_no_rows() -> None:
    batch = fs.run_many([])
    assert batch.runs.is_empty()
    assert repr(batch) == "<RunBatch of 0 runs>"


def test_a_run_that_fails_is_a_row_with_its_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """No scenario is known with which the simulator fails."""
    monkeypatch.setattr(_native, "run_many", failing(1, "the simulator failed"))
    batch = fs.run_many(MANY[:3])
    assert batch.runs["error"].to_list() == [None, "the simulator failed", None]
    assert batch.runs["events"].is_null().to_list() == [False, True, False]
    assert batch.frame["run"].to_list() == [0, 2]
    assert repr(batch) == "<RunBatch of 3 runs, 1 failed>"


class Doubling(fs.Startup):
    """A startup of its own."""

    def on_ack(self, w: fs.Window, a: fs.signals.Ack) -> None:
        w.cwnd += w.segments(a.acked)


def test_startups_written_in_python_run_in_processes() -> None:
    mine = [
        fs.Scenario(path=PATH, flows=[fs.Flow(size="30kB", startup=Doubling)], seed=seed)
        for seed in range(6)
    ]
    batch = fs.run_many([*mine, *MANY], workers=2)
    assert batch.frame["startup"].to_list()[:6] == ["Doubling"] * 6
    alone = fs.run(mine[3]).frame
    assert_frame_equal(batch.frame.filter(pl.col("run") == 3).drop("run"), alone.drop("run"))
