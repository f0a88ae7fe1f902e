"""The laboratory: nothing runs twice, and nothing that changed is taken from before."""

import os
import pathlib
import sys
import threading
import time
from typing import Any

import polars as pl
import pytest

from flowstart.errors import RequestError
from flowstart.simulation import bounds
from flowstart.simulation import run as simulation
from flowstart.simulation.run import Run
from flowstart_papers import lab as module
from flowstart_papers.jump_start import measures
from flowstart_papers.lab import Lab
from flowstart_papers.measures import first


def document(packets: int) -> dict[str, Any]:
    path = {"rate": "5Mbps", "rtt": "64ms"}
    return {"path": path, "flows": [{"startup": "slow-start", "size": f"{packets}pkt"}]}


def sent(run: Run) -> int:
    return int(run.records[0]["packets_sent"])


def sampled(run: Run) -> bool:
    return run.flow_samples is not None


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is really simulated."""
    found: list[Any] = []
    real = simulation.run

    def counted(document: Any) -> Run:
        found.append(document)
        return real(document)

    monkeypatch.setattr(simulation, "run", counted)
    return found


def test_results_come_in_the_order_of_the_scenarios() -> None:
    sizes = list(range(40, 0, -1))
    assert Lab(None, workers=4).runs([document(n) for n in sizes], sent) == sizes


def test_a_second_time_nothing_is_run(tmp_path: pathlib.Path, runs: list[Any]) -> None:
    documents = [document(n) for n in (1, 2, 3)]
    before = Lab(tmp_path)
    rows = before.runs(documents, first)
    assert len(runs) == 3
    after = Lab(tmp_path)
    assert after.runs(documents, first) == rows
    assert len(runs) == 3
    assert after.seconds == pytest.approx(before.seconds)


def test_an_experiment_that_asks_twice_is_answered_from_memory(runs: list[Any]) -> None:
    lab = Lab(None)
    (row,) = lab.runs([document(1)], first)
    seconds = lab.seconds
    row["packets_sent"] = 0
    assert lab.runs([document(1)], sent) == [1]
    assert lab.runs([document(1)], first)[0]["packets_sent"] == 1
    assert len(runs) == 2
    assert lab.seconds > seconds


def test_only_what_is_missing_is_run(tmp_path: pathlib.Path, runs: list[Any]) -> None:
    Lab(tmp_path).runs([document(1)], sent)
    assert Lab(tmp_path).runs([document(1), document(2)], sent) == [1, 2]
    assert len(runs) == 2


def test_another_reading_of_the_same_run_runs_it_again(
    tmp_path: pathlib.Path, runs: list[Any]
) -> None:
    Lab(tmp_path).runs([document(1)], sent)
    Lab(tmp_path).runs([document(1)], first)
    assert len(runs) == 2


def test_another_simulator_runs_it_again(
    tmp_path: pathlib.Path, runs: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    Lab(tmp_path).runs([document(1)], sent)
    monkeypatch.setattr(module, "_simulator", lambda: "another")
    Lab(tmp_path).runs([document(1)], sent)
    assert len(runs) == 2


def test_another_code_of_a_reading_runs_it_again_and_other_code_of_its_module_does_not() -> None:
    assert "bytes_delivered" in module._code(measures.delivered)
    assert "INITIAL_WINDOW" in module._code(measures.responses)
    code = module._code(measures.web)
    assert "4380" in code
    assert "def responses(" in code
    assert "def crowd(" not in code


def test_half_a_file_is_no_result(tmp_path: pathlib.Path, runs: list[Any]) -> None:
    Lab(tmp_path).runs([document(1)], sent)
    (kept,) = tmp_path.rglob("*.parquet")
    kept.write_bytes(kept.read_bytes()[:200])
    assert Lab(tmp_path).runs([document(1)], sent) == [1]
    assert len(runs) == 2


def test_what_has_not_been_used_for_long_is_removed(tmp_path: pathlib.Path) -> None:
    Lab(tmp_path).runs([document(1)], sent)
    (old,) = tmp_path.rglob("*.parquet")
    long_ago = time.time() - (module.UNUSED_DAYS + 1) * module.DAY_S
    os.utime(old, (long_ago, long_ago))
    Lab(tmp_path).runs([document(1)], sent)
    assert old.exists(), "it was used again"
    os.utime(old, (long_ago, long_ago))
    Lab(tmp_path).runs([document(1)], first)
    assert not old.exists()


def test_only_a_folder_that_has_been_empty_for_long_is_removed(tmp_path: pathlib.Path) -> None:
    long_ago = time.time() - (module.UNUSED_DAYS + 1) * module.DAY_S
    folders = {name: tmp_path / "papers" / name for name in ("empty", "used", "new")}
    for folder in folders.values():
        folder.mkdir(parents=True)
    (folders["used"] / "kept").touch()
    for name in ("empty", "used"):
        os.utime(folders[name], (long_ago, long_ago))
    Lab(tmp_path).runs([document(1)], sent)
    assert [name for name, folder in folders.items() if folder.exists()] == ["used", "new"]


def test_what_was_done_before_an_interruption_is_kept(
    tmp_path: pathlib.Path, runs: list[Any]
) -> None:
    def stop(done: int, _total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    documents = [document(n) for n in range(1, 6)]
    with pytest.raises(KeyboardInterrupt):
        Lab(tmp_path, workers=1, progress=stop).runs(documents, sent)
    kept, before = (
        sum(len(pl.read_parquet(file)) for file in tmp_path.rglob("*.parquet")),
        len(runs),
    )
    assert kept == 2
    assert Lab(tmp_path).runs(documents, sent) == [1, 2, 3, 4, 5]
    assert len(runs) - before == 3


def test_a_trace_is_there_where_it_was_asked_for() -> None:
    assert Lab(None).runs([document(1)], sampled) == [False]
    assert Lab(None).runs([document(1)], sampled, trace=True) == [True]


def test_the_same_scenario_twice_is_run_once(runs: list[Any]) -> None:
    assert Lab(None).runs([document(3), document(4), document(3)], sent) == [3, 4, 3]
    assert len(runs) == 2


def test_the_limits_of_a_request_hold_on_the_threads_of_a_lab() -> None:
    with bounds.bounded(max_memory=10), pytest.raises(RequestError, match="10 B of memory"):
        Lab(None, workers=2).runs([document(400)], sent)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a process may use all cores")
def test_a_lab_uses_the_cores_that_its_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    assert Lab(None)._workers == 1


def test_two_labs_of_one_process_keep_the_same_result_at_the_same_time(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = threading.Barrier(2)
    real = pathlib.Path.write_bytes

    def together(file: pathlib.Path, content: bytes) -> int:
        count = real(file, content)
        written.wait(10)
        return count

    monkeypatch.setattr(pathlib.Path, "write_bytes", together)
    found: list[list[int]] = []
    threads = [
        threading.Thread(target=lambda: found.append(Lab(tmp_path).runs([document(1)], sent)))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[1], [1]]
