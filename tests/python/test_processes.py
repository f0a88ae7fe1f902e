"""Startups written in Python under several workers: in processes, with the same results."""

import multiprocessing
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any

import pytest

import flowstart as fs
from flowstart.simulation import batch
from flowstart.simulation.batch import WORTH_PROCESSES_S

HERE = os.getpid()
LOSSY = fs.NetworkPath(rate="20Mbps", rtt="60ms", loss="0.5%", reverse_loss="1%")


class Doubling(fs.Startup):
    def on_ack(self, w: fs.Window, a: fs.signals.Ack) -> Any:
        w.cwnd += w.segments(a.acked)


def compare(*startups: Any, workers: int = 3, **more: Any) -> fs.Comparison:
    given: dict[str, Any] = {"sizes": ["20kB", "80kB"], "repeat": 5, "uncertainty": False} | more
    found: fs.Comparison = fs.compare(LOSSY, startups=list(startups), workers=workers, **given)
    return found


@pytest.fixture(autouse=True)
def processes_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """After the first run, however short it was."""
    monkeypatch.setattr(batch, "WORTH_PROCESSES_S", 0.0)


@pytest.fixture(autouse=True)
def no_process_is_left() -> Any:
    yield
    assert multiprocessing.active_children() == []


def test_workers_change_nothing(tmp_path: pathlib.Path) -> None:
    class Noting(Doubling):
        def on_established(self, w: fs.Window, e: fs.signals.Established) -> None:
            (tmp_path / str(os.getpid())).touch()
            if os.getpid() == HERE:
                time.sleep(WORTH_PROCESSES_S)
                return
            until = time.monotonic() + 30
            while len(list(tmp_path.iterdir())) < 3:  # no process takes everything
                assert time.monotonic() < until
                time.sleep(0.01)

    told: list[tuple[int, int]] = []
    one, four = (
        compare("slow-start", Noting, "hystart", workers=n, progress=lambda *at: told.append(at))
        for n in (1, 4)
    )
    assert one.records == four.records
    assert len(four.records) == 30
    assert not four.interrupted
    assert len(list(tmp_path.iterdir())) >= 3  # this process, and more than one other
    assert told[-1] == (30, 30)


def test_a_single_run_stays_here() -> None:
    class Here(Doubling):
        pids: set[int] = set()  # noqa: RUF012

        def on_established(self, w: fs.Window, e: fs.signals.Established) -> None:
            self.pids.add(os.getpid())

    compare("slow-start", Here, sizes=["20kB"], repeat=1)
    assert Here.pids == {HERE}


def test_under_a_debugger_all_stays_here() -> None:
    class Here(Doubling):
        pids: set[int] = set()  # noqa: RUF012

        def on_established(self, w: fs.Window, e: fs.signals.Established) -> None:
            self.pids.add(os.getpid())

    before = sys.gettrace()
    sys.settrace(lambda *_: None)
    try:
        compare(Here)
    finally:
        sys.settrace(before)
    assert Here.pids == {HERE}


class Unsendable(Exception):
    """Cannot be unpickled: it is made with two values."""

    def __init__(self, one: str, _two: int) -> None:
        super().__init__(one)


def test_what_a_hook_raises_is_raised_here_with_its_traceback() -> None:
    class First(Doubling):
        def on_ack(self, w: fs.Window, a: fs.signals.Ack) -> Any:
            if a.una > 10_000:
                raise Unsendable("the first", 2)
            return super().on_ack(w, a)

    class Second(Doubling):
        def on_ack(self, w: fs.Window, a: fs.signals.Ack) -> Any:
            raise Unsendable("the second", 2)

    with pytest.raises(Unsendable, match="the first") as caught:
        compare("slow-start", First, Second)
    assert caught.traceback[-1].name == "on_ack"
    assert "in on_ack of `First` at" in "".join(traceback.format_exception(caught.value))


def test_what_is_raised_there_only_has_its_traceback() -> None:
    class There(Doubling):
        def on_established(self, w: fs.Window, e: fs.signals.Established) -> None:
            if os.getpid() == HERE:
                time.sleep(WORTH_PROCESSES_S)

        def on_ack(self, w: fs.Window, a: fs.signals.Ack) -> Any:
            if os.getpid() != HERE:
                raise Unsendable("only there", 2)
            return super().on_ack(w, a)

    with pytest.raises(fs.SimulationError, match="Unsendable: only there") as caught:
        compare(There)
    notes = "".join(traceback.format_exception(caught.value))
    assert "in a separate process" in notes
    assert "in on_ack of `There` at" in notes


def test_startups_that_cannot_be_pickled_run_here_with_a_warning() -> None:
    lock = threading.Lock()

    class Locked(Doubling):
        pids: set[int] = set()  # noqa: RUF012

        def on_ack(self, w: fs.Window, a: fs.signals.Ack) -> Any:
            self.pids.add(os.getpid())
            with lock:
                return super().on_ack(w, a)

    with pytest.warns(UserWarning, match="run on one core, since they cannot be pickled: .*lock"):
        found = compare(Locked)
    assert len(found.records) == 10
    assert Locked.pids == {HERE}


def test_a_process_that_is_killed_is_said_so() -> None:
    class Killed(Doubling):
        def on_ack(self, w: fs.Window, a: fs.signals.Ack) -> Any:
            if os.getpid() != HERE:
                os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(fs.SimulationError, match="a process that ran startups written in Python"):
        compare(Killed)


def press_ctrl_c_after(seconds: float) -> None:
    timer = threading.Timer(seconds, lambda: os.kill(HERE, signal.SIGINT))
    timer.daemon = True
    timer.start()


@pytest.mark.parametrize("beside", [[], ["slow-start"]])
def test_ctrl_c_keeps_what_is_finished_and_ends_processes(beside: list[str]) -> None:
    class Slow(Doubling):
        def on_ack(self, w: fs.Window, a: fs.signals.Ack) -> Any:
            time.sleep(0.02)
            return super().on_ack(w, a)

    press_ctrl_c_after(1.0)
    began = time.monotonic()
    result = compare(*beside, Slow, sizes=["8pkt", "1MB"], repeat=8)
    assert result.interrupted
    assert time.monotonic() - began < 5
    seen = {row["size"] for row in result.records if row["startup"] == "Slow"}
    assert seen == {"8pkt"}


SCRIPT = """
import time, flowstart as fs

class Own(fs.Startup):
    def on_ack(self, w, a):
        time.sleep(0.01)
        w.cwnd += w.segments(a.acked)

path = fs.NetworkPath(rate="20Mbps", rtt="60ms", loss="0.5%")
given = {"sizes": ["20kB"], "repeat": 200, "uncertainty": False, "workers": 3}
began = lambda done, total: print("began", flush=True) if done == 1 else None
result = fs.compare(path, startups=[Own], progress=began, **given)
print(result.interrupted, 0 < len(result.records) < 200)
"""


def begun(folder: pathlib.Path) -> "subprocess.Popen[str]":
    """The script, in a group of processes of its own."""
    script = folder / "script.py"
    script.write_text(SCRIPT)
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        [sys.executable, script], stdout=pipe, stderr=pipe, text=True, process_group=0
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "began\n"
    return process


def ends_soon(group: int) -> bool:
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.skipif(sys.platform == "win32", reason="has no groups of processes")
@pytest.mark.parametrize("seconds", [0.6, 0.8, 1.5])
def test_ctrl_c_of_a_terminal_ends_a_script_and_its_processes(
    tmp_path: pathlib.Path, seconds: float
) -> None:
    process = begun(tmp_path)
    time.sleep(seconds)
    os.killpg(process.pid, signal.SIGINT)
    printed = process.communicate(timeout=60)
    assert printed == ("True True\n", "")  # interrupted, with some results
    assert ends_soon(process.pid)


@pytest.mark.skipif(sys.platform == "win32", reason="has no groups of processes")
def test_processes_end_soon_after_one_that_is_killed(tmp_path: pathlib.Path) -> None:
    process = begun(tmp_path)
    time.sleep(1.5)
    process.kill()
    process.communicate()
    assert ends_soon(process.pid)


def test_ctrl_c_pressed_by_a_hook_ends_it_too() -> None:
    class Pressed(Doubling):
        def on_ack(self, w: fs.Window, a: fs.signals.Ack) -> Any:
            raise KeyboardInterrupt

    assert compare(Pressed).interrupted


def test_a_progress_that_raises_ends_processes() -> None:
    def stop(_done: int, _total: int) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        compare("slow-start", Doubling, progress=stop)


def test_a_scenario_is_refused_before_any_process_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Callable[..., Any]] = []
    monkeypatch.setattr(batch._Parts, "run", started.append)
    with pytest.raises(fs.RequestError, match="unknown"):
        compare(Doubling, "hystarrt")
    assert not started


USES_POLARS = """
import polars as pl, flowstart as fs
from flowstart.simulation import batch

def total():
    return pl.DataFrame({"n": range(10**6)}).group_by(pl.col("n") % 7).sum().height

class Own(fs.Startup):
    def on_established(self, w, e):
        assert total() == 7

    def on_ack(self, w, a):
        w.cwnd += w.segments(a.acked)

total()
path = fs.NetworkPath(rate="20Mbps", rtt="60ms")
sizes = ["20kB", "80kB", "90kB"]
batch.WORTH_PROCESSES_S = 0
result = fs.compare(path, startups=[Own], sizes=sizes, workers=2, uncertainty=False)
print(len(result.records))
"""


def test_a_hook_may_use_polars_where_its_threads_are_running() -> None:
    program = [sys.executable, "-c", USES_POLARS]
    threads = os.environ | {"POLARS_MAX_THREADS": "4"}
    done = subprocess.run(program, capture_output=True, text=True, timeout=60, env=threads)
    assert (done.stdout, done.stderr) == ("3\n", "")


HANDLER_FROM_C = """
import ctypes, importlib.util, signal

kind = ctypes.CFUNCTYPE(None, ctypes.c_int)
pressed = []
handler = kind(pressed.append)
ctypes.CDLL(None).signal(signal.SIGINT, handler)
# Python looks which handlers there are when its module is made.
spec = importlib.util.find_spec("_signal")
spec.loader.exec_module(importlib.util.module_from_spec(spec))
assert signal.getsignal(signal.SIGINT) is None

import flowstart as fs
from flowstart.cli import console
from flowstart.simulation import batch

class Own(fs.Startup):
    def on_ack(self, w, a):
        w.cwnd += w.segments(a.acked)

path = fs.NetworkPath(rate="20Mbps", rtt="60ms")
batch.WORTH_PROCESSES_S = 0
sizes = ["20kB", "80kB", "90kB"]
result = fs.compare(path, startups=[Own], sizes=sizes, workers=2, uncertainty=False)
assert len(result.records) == 3
console.show_json([1])
signal.raise_signal(signal.SIGINT)
assert pressed == [signal.SIGINT]
"""


def test_a_handler_that_a_host_application_installed_in_c_stays() -> None:
    done = subprocess.run([sys.executable, "-c", HANDLER_FROM_C], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[\n 1\n]\n", "")
