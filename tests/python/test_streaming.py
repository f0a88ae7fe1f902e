"""Runs whose rows go to files."""

import json
import pathlib
from collections.abc import Callable
from typing import Any

import pytest
from polars.testing import assert_frame_equal

import flowstart as fs
from flowstart.simulation.streaming import FILES

PATH: dict[str, object] = {"rate": "20Mbps", "rtt": "20ms", "buffer": "20pkt"}
SCENARIO = {
    "path": PATH,
    "flows": [
        {"writes": [{"at": "0s", "size": "20pkt"}, {"at": "1s", "size": "3pkt"}]},
        {"size": "30pkt", "available_rate": "20Mbps"},
    ],
    "web": [{"sessions": 400, "interval": "constant:50ms", "objects": 15, "size": "constant:2"}],
}
"""More flows and objects than are handed over at a time."""


def test_streamed_rows_are_those_of_a_run(tmp_path: pathlib.Path) -> None:
    stored = fs.run(SCENARIO, sink=tmp_path)
    run = fs.run(SCENARIO)
    assert run.frame.height > 10_000
    for table in FILES:
        whole = getattr(run, "frame" if table == "flows" else table)
        assert stored.counts[table] == whole.height
        assert_frame_equal(stored.scan(table).collect(), whole)
    assert stored.about == run.about
    kept = {file.name for file in tmp_path.iterdir()}
    assert kept == {*FILES.values(), "manifest.json"}


def test_tables_of_an_earlier_run_do_not_stay(tmp_path: pathlib.Path) -> None:
    fs.run(SCENARIO, sink=tmp_path)
    assert (tmp_path / "objects.parquet").exists()
    fs.run({key: SCENARIO[key] for key in ("path", "flows")}, sink=tmp_path)
    assert not (tmp_path / "objects.parquet").exists()


def test_a_trace_is_refused(tmp_path: pathlib.Path) -> None:
    with pytest.raises(fs.RequestError, match="trace: a run with a sink keeps none"):
        fs.run(SCENARIO | {"trace": True}, sink=tmp_path)


def test_a_folder_that_cannot_be_written_is_told() -> None:
    with pytest.raises(fs.RequestError, match="/proc/flowstart: /proc cannot be written to"):
        fs.run(SCENARIO, sink="/proc/flowstart")


@pytest.fixture
def file(tmp_path: pathlib.Path) -> pathlib.Path:
    file = tmp_path / "scenario.json"
    file.write_text(json.dumps({"path": SCENARIO["path"], "flows": [{"size": "30kB", "count": 2}]}))
    return file


def test_the_command_writes_rows_and_nothing_else(
    cli: Callable[..., Any], file: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    out = tmp_path / "out"
    answer = cli("run", file, "--parquet-only", "-o", out)
    assert (answer.status, answer.err) == (0, "")
    assert f"2 flows in {out / 'rows.parquet'}\n" in answer.out
    assert {found.name for found in out.iterdir()} == {
        "rows.parquet",
        "links.parquet",
        "manifest.json",
    }


@pytest.mark.parametrize("words", [[], ["--parquet-only"]])
def test_a_run_in_which_no_flow_completes_has_failed(
    cli: Callable[..., Any], tmp_path: pathlib.Path, words: list[str]
) -> None:
    file = tmp_path / "scenario.json"
    lost = {"path": PATH | {"loss": 1}, "flows": [{"size": "3pkt"}]}
    file.write_text(json.dumps(lost))
    answer = cli("run", file, *words, "-o", tmp_path / "out")
    assert answer.status == 1
    kept = f"what became of them is in {tmp_path / 'out'}"
    assert f"no transfer was completed; {kept}" in answer.err
    assert (tmp_path / "out" / "rows.parquet").exists()


def test_a_flow_that_is_under_way_when_a_run_is_cut_has_not_failed(tmp_path: pathlib.Path) -> None:
    long = {"path": PATH, "flows": [{"size": "1GB"}], "duration": "1s"}
    assert not fs.run(long, sink=tmp_path / "out").all_failed


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ([], "--parquet-only: rows are kept in a folder; give it one with -o DIR"),
        (["-o", "out", "--trace"], "--parquet-only: contradicts --trace; give one of the two"),
        (["-o", "out", "--json"], "--parquet-only: contradicts --json; give one of the two"),
    ],
)
def test_rows_only_is_refused_where_it_makes_no_sense(
    cli: Callable[..., Any],
    file: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    problem: str,
) -> None:
    monkeypatch.chdir(file.parent)
    answer = cli("run", file, "--parquet-only", *words)
    assert answer.status == 2
    assert problem in answer.err


def test_a_scenario_that_is_wrong_leaves_no_folder(tmp_path: pathlib.Path) -> None:
    with pytest.raises(fs.RequestError, match="path: "):
        fs.run({"flows": [{"size": "1pkt"}]}, sink=tmp_path / "new")
    assert not (tmp_path / "new").exists()
    with pytest.raises(fs.RequestError, match="path: "):
        fs.run({"flows": [{"size": "1pkt"}]}, sink=tmp_path)
    assert tmp_path.exists()
