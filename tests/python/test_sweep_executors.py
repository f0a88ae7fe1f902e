"""Where sweeps are run: processes of this machine, a cluster, several commands at once, kills."""

import contextlib
import os
import pathlib
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

import flowstart as fs
import made_up_sweep
from flowstart import RequestError, SimulationError
from flowstart.model.custom import CustomStartups
from flowstart.simulation import bounds
from flowstart.sweeps.execution.execute import run
from flowstart.sweeps.execution.executor import Local
from flowstart.sweeps.execution.store import Store, Swept
from flowstart.sweeps.execution.task import Task
from made_up_sweep import MadeUp, way

pytestmark = pytest.mark.slow


def swept(folder: pathlib.Path, question: MadeUp | None = None, **how: Any) -> Swept:
    return run(question or MadeUp(), folder, way(**how))


def contents(folder: pathlib.Path) -> dict[str, bytes]:
    """All that is in a folder, by its place within."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def command(folder: pathlib.Path, *given: str) -> "subprocess.Popen[str]":
    """A process that runs a made-up sweep."""
    words = [sys.executable, made_up_sweep.__file__, str(folder), *given]
    return subprocess.Popen(words, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True)


def finish(process: "subprocess.Popen[str]") -> None:
    _, said = process.communicate()
    assert process.returncode == 0, said


# Processes of this machine.


def test_workers_change_no_byte(tmp_path: pathlib.Path) -> None:
    swept(tmp_path / "one")
    swept(tmp_path / "three", workers=3)
    assert contents(tmp_path / "one") == contents(tmp_path / "three")


@pytest.mark.parametrize("workers", [1, 2])
def test_batches_end_together_when_the_time_is_over(tmp_path: pathlib.Path, workers: int) -> None:
    with bounds.bounded(max_time=6) as mine:  # processes take seconds to start on a busy machine
        result = swept(tmp_path, MadeUp(12, {"sleep": 1.1}), workers=workers)
    assert (result.interrupted, mine.cause) == (True, "max_time='6s'")


def killing(tmp_path: pathlib.Path, times: int) -> MadeUp:
    """A sweep, too small to be estimated, with a cell that kills its process so many times."""
    mark = str(tmp_path / "deaths")
    return MadeUp(8, {"kills_at": "7Mbps", "kills_until": mark, "kills": times})


def test_a_batch_whose_worker_is_killed_is_run_again(tmp_path: pathlib.Path) -> None:
    found = swept(tmp_path / "out", killing(tmp_path, 2), workers=2)
    assert (tmp_path / "deaths").read_text() == "xx"
    assert (found.height, found.failures) == (16, [])


def test_a_batch_that_kills_three_workers_is_noted_and_tried_again_by_the_next_command(
    tmp_path: pathlib.Path,
) -> None:
    question = killing(tmp_path, 3)
    found = swept(tmp_path / "out", question, workers=2)
    assert [one.partition(": ")[2] for one in found.failures] == ["ended 3 workers (signal 9)"]
    assert (found.height, found.store.complete) == (8, None)
    again = swept(tmp_path / "out", question, workers=2)
    assert (again.ran, again.height, again.failures) == (8, 16, [])
    assert again.store.complete


def test_a_worker_that_cannot_begin_says_why(tmp_path: pathlib.Path) -> None:
    missing = ((f"{tmp_path}/mine.py:Mine", f"{tmp_path}/mine.py:Mine"),)
    with pytest.raises(SimulationError, match=r"a worker could not begin: .*no such file"):
        Local(Task(made_up_sweep.run_cells, (), missing, ""), 2)


class Mine(fs.Startup):
    def __init__(self, given: object = None) -> None:
        pass

    def on_ack(self, w: fs.Window, a: fs.signals.Ack) -> None:
        w.cwnd += w.segments(a.acked)


def test_classes_of_a_script_run_in_workers(tmp_path: pathlib.Path) -> None:
    path = {"rate": ["1Mbps", "5Mbps"], "rtt": "50ms"}
    asked = {"startups": ["slow-start", Mine], "path": path, "flow": {"size": ["10kB", "20kB"]}}
    for workers in (1, 2):
        assert fs.sweep(asked, tmp_path / str(workers), workers=workers).frame.height == 8
    assert contents(tmp_path / "1" / "parts") == contents(tmp_path / "2" / "parts")


def test_startups_that_cannot_be_pickled_are_refused(tmp_path: pathlib.Path) -> None:
    question = MadeUp(custom=CustomStartups({"Mine": Mine(threading.Lock())}))
    with pytest.raises(RequestError, match=r"are run with one worker .*`\./mine\.py:Mine`"):
        swept(tmp_path / "out", question, workers=2)
    assert not (tmp_path / "out").exists()
    assert swept(tmp_path / "out", question, workers=1).height == 80


def workers_of(parent: int) -> list[int]:
    children = pathlib.Path(f"/proc/{parent}/task/{parent}/children")
    return [int(number) for number in children.read_text().split()]


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_workers_end_with_a_parent_that_is_killed(tmp_path: pathlib.Path) -> None:
    process = command(tmp_path / "out", "workers=2", "sleep=0.05")
    wait_for(lambda: parts(tmp_path / "out") > 1)
    workers = workers_of(process.pid)
    process.kill()
    _, errors = process.communicate()
    assert len(workers) >= 2
    assert errors == ""
    wait_for(lambda: not any(pathlib.Path(f"/proc/{worker}").exists() for worker in workers))


def parts(folder: pathlib.Path) -> int:
    return len(Store(folder).parts())


def wait_for(it: Any, seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not it():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_keeps_what_is_finished(tmp_path: pathlib.Path, workers: int) -> None:
    question = MadeUp(path={"sleep": "0.02"})

    def press() -> None:
        wait_for(lambda: parts(tmp_path / "out") > 2)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press).start()
    found = swept(tmp_path / "out", question, workers=workers)
    assert found.interrupted
    kept = found.height
    assert 16 < kept < 80
    assert "interrupted" in repr(found)
    again = swept(tmp_path / "out", question, workers=workers)
    assert (again.interrupted, again.ran, again.height) == (False, 80 - kept, 80)


# Kills, and several commands at once.


def kill_often(folder: pathlib.Path, kills: int, *given: str) -> set[int]:
    """Kills a command at random moments so often, then lets it come to its end.

    Every second kill comes after another part, however slow the machine is. Returns how many parts
    there were after each kill.
    """
    moments = random.Random(1)
    seen = {0}
    for turn in range(kills):
        process = command(folder, *given)
        if turn % 2 == 0:
            before = max(seen)
            wait_for(lambda: parts(folder) > before or process.poll() is not None)  # noqa: B023
        time.sleep(moments.uniform(0, 0.8))
        process.kill()
        process.communicate()
        seen.add(parts(folder))
    finish(command(folder, *given))
    return seen


@pytest.mark.parametrize("kills", [4, pytest.param(50, marks=pytest.mark.long)])
def test_kills_change_no_byte(tmp_path: pathlib.Path, kills: int) -> None:
    count = 120 * kills
    seen = kill_often(tmp_path / "killed", kills, "workers=2", f"count={count}", "sleep=0.01")
    assert len(seen) > kills / 4
    swept(tmp_path / "whole", MadeUp(count, {"sleep": "0.01"}), workers=2)
    assert contents(tmp_path / "killed") == contents(tmp_path / "whole")


def test_two_commands_on_one_folder_share_the_work(tmp_path: pathlib.Path) -> None:
    given = ("count=200", "sleep=0.01", "workers=2")
    for process in [command(tmp_path / "both", *given) for _ in range(2)]:
        finish(process)
    whole = swept(tmp_path / "whole", MadeUp(200, {"sleep": "0.01"}), workers=2)
    assert contents(tmp_path / "both") == contents(tmp_path / "whole")
    assert whole.height == 400


def test_a_batch_of_another_command_is_waited_for_and_not_run_twice(
    tmp_path: pathlib.Path,
) -> None:
    given = ("count=8", "sleep=0.2")
    other = command(tmp_path / "out", *given)
    wait_for(lambda: (tmp_path / "out" / "sweep.json").exists())
    time.sleep(0.1)
    found = swept(tmp_path / "out", MadeUp(8, {"sleep": "0.2"}))
    finish(other)
    assert (found.ran, found.height) == (8, 16)


def test_batches_of_a_command_that_is_killed_are_taken_over(tmp_path: pathlib.Path) -> None:
    other = command(tmp_path / "out", "count=8", "sleep=0.2")
    wait_for(lambda: (tmp_path / "out" / "sweep.json").exists())
    time.sleep(0.1)
    threading.Timer(0.3, other.kill).start()
    found = swept(tmp_path / "out", MadeUp(8, {"sleep": "0.2"}))
    other.communicate()
    assert (found.ran, found.height) == (16, 16)


# A cluster.


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A scheduler and two workers, each a process."""
    pytest.importorskip("distributed")
    folder = tmp_path_factory.mktemp("dask")
    with contextlib.ExitStack() as stack:
        yield _Cluster(folder, stack)


class _Cluster:
    def __init__(self, folder: pathlib.Path, stack: contextlib.ExitStack) -> None:
        self.folder = folder
        self.stack = stack
        file = folder / "scheduler.json"
        self.scheduler = self._start(
            "scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)
        )
        wait_for(file.exists)
        self.workers = [self.worker() for _ in range(2)]

    @property
    def address(self) -> str:
        import json

        found: str = json.loads((self.folder / "scheduler.json").read_text())["address"]
        return found

    def worker(self) -> "subprocess.Popen[bytes]":
        return self._start(
            "worker", self.address, "--nthreads", "1", "--no-dashboard", "--no-nanny"
        )

    def _start(self, *words: str) -> "subprocess.Popen[bytes]":
        program = [sys.executable, "-m", "distributed.cli.dask_" + words[0], *words[1:]]
        process = subprocess.Popen(
            program, env=ENVIRONMENT, cwd=self.folder, stderr=subprocess.DEVNULL
        )
        self.stack.callback(process.wait)
        self.stack.callback(process.kill)
        return process


def test_a_cluster_changes_no_byte(tmp_path: pathlib.Path, cluster: _Cluster) -> None:
    found = swept(tmp_path / "cluster", workers=None, dask=cluster.address)
    swept(tmp_path / "here")
    assert found.height == 80
    assert contents(tmp_path / "cluster") == contents(tmp_path / "here")


def test_a_worker_of_a_cluster_that_is_killed_changes_no_byte(
    tmp_path: pathlib.Path, cluster: _Cluster
) -> None:
    question = MadeUp(80, {"sleep": "0.02"})

    def kill() -> None:
        wait_for(lambda: parts(tmp_path / "killed") > 2)
        cluster.workers.pop().kill()

    threading.Thread(target=kill).start()
    found = swept(tmp_path / "killed", question, workers=None, dask=cluster.address)
    assert (found.height, len(cluster.workers)) == (160, 1)
    cluster.workers.append(cluster.worker())
    swept(tmp_path / "here", question)
    assert contents(tmp_path / "killed") == contents(tmp_path / "here")


def test_an_address_without_scheduler_is_refused(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    from flowstart.sweeps.execution import executor

    monkeypatch.setattr(executor, "PATIENCE", "0.2s")
    with pytest.raises(RequestError, match=r"dask = tcp://127\.0\.0\.1:9: no scheduler answers"):
        swept(tmp_path / "out", workers=None, dask="tcp://127.0.0.1:9")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("address", ["foo", "http://127.0.0.1:9"])
def test_what_is_no_address_is_refused_before_a_client_is_made(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(distributed, "Client", None)
    with pytest.raises(RequestError, match=f"dask = {address}: no scheduler answers"):
        swept(tmp_path / "out", workers=None, dask=address)


def test_workers_and_a_cluster_contradict_each_other(tmp_path: pathlib.Path) -> None:
    with pytest.raises(RequestError, match="workers: contradicts dask; give one of the two"):
        swept(tmp_path / "out", workers=2, dask="tcp://127.0.0.1:9")
