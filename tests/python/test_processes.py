"""Startups written in Python under several workers: in processes, with the same results."""

import ctypes
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
from types import SimpleNamespace
from typing import Any

import pytest

import flowstart as fs
from flowstart import interrupts
from flowstart.simulation import batch

HERE = os.getpid()
LOSSY = fs.NetworkPath(rate="20Mbps", rtt="60ms", loss="0.5%", reverse_loss="1%")

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="processes are copies on Linux only"
)


class Doubling(fs.Startup):
    def on_ack(self, w: fs.Window, a: fs.signals.Ack) -> Any:
        w.cwnd += w.segments(a.acked)


def compare(*startups: Any, workers: int = 3, **more: Any) -> fs.Comparison:
    given: dict[str, Any] = {"sizes": ["20kB", "80kB"], "repeat": 5, "uncertainty": False} | more
    found: fs.Comparison = fs.compare(LOSSY, startups=list(startups), workers=workers, **given)
    return found


@pytest.fixture(autouse=True)
def without_polars(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tests have loaded it here, and the hooks of these do not use it."""
    monkeypatch.setattr(batch, "_has_polars", lambda: False)


@pytest.fixture(autouse=True)
def no_process_is_left() -> Any:
    yield
    assert multiprocessing.active_children() == []


def test_workers_change_nothing(tmp_path: pathlib.Path) -> None:
    class Noting(Doubling):
        def on_established(self, w: fs.Window, e: fs.signals.Established) -> None:
            (tmp_path / str(os.getpid())).touch()
            time.sleep(0.02)  # so that no process takes everything

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


@pytest.mark.parametrize(
    ("error", "raised"),
    [
        (ZeroDivisionError("only there"), ZeroDivisionError),
        (Unsendable("only there", 2), Exception),
    ],
)
def test_what_is_raised_there_only_is_raised_as_it_can_be(
    error: Exception, raised: type[Exception]
) -> None:
    class There(Doubling):
        def on_ack(self, w: fs.Window, a: fs.signals.Ack) -> Any:
            if os.getpid() != HERE:
                raise error
            return super().on_ack(w, a)

    with pytest.raises(raised, match="only there") as caught:
        compare(There)
    notes = "".join(traceback.format_exception(caught.value))
    assert "in a separate process:" in notes
    assert "in on_ack" in notes


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


PRESSED_AROUND_A_FORK = """
import os, signal, threading, time, flowstart as fs

# The signal goes to this thread, as the main one does not take it while it forks.
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()

def press():
    os.kill(os.getpid(), signal.SIGINT)
    sum(range(10**5))  # until Python has handled it

class Own(fs.Startup):
    def on_ack(self, w, a):
        w.cwnd += w.segments(a.acked)

os.register_at_fork({when}=press)
path = fs.NetworkPath(rate="20Mbps", rtt="60ms")
result = fs.compare(path, startups=[Own], sizes=["20kB", "80kB"], workers=2)
print(result.interrupted)
"""
"""Python discards what is raised in a callback around a fork."""


@pytest.mark.parametrize("when", ["before", "after_in_parent"])
def test_ctrl_c_is_heard_where_its_exception_would_be_discarded(when: str) -> None:
    program = [sys.executable, "-c", PRESSED_AROUND_A_FORK.format(when=when)]
    done = subprocess.run(program, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("True\n", "")


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
    begun: list[Callable[..., Any]] = []
    monkeypatch.setattr(batch._Batch, "run", begun.append)
    with pytest.raises(fs.RequestError, match="unknown"):
        compare(Doubling, "hystarrt")
    assert not begun


USES_POLARS = """
import polars as pl, flowstart as fs

def total():
    return pl.DataFrame({"n": range(10**6)}).group_by(pl.col("n") % 7).sum().height

class Own(fs.Startup):
    def on_established(self, w, e):
        assert total() == 7

    def on_ack(self, w, a):
        w.cwnd += w.segments(a.acked)

total()
path = fs.NetworkPath(rate="20Mbps", rtt="60ms")
result = fs.compare(path, startups=[Own], sizes=["20kB", "80kB"], workers=2)
print(len(result.records))
"""


def test_a_hook_may_use_polars_where_its_threads_are_running() -> None:
    program = [sys.executable, "-c", USES_POLARS]
    done = subprocess.run(program, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("2\n", "")


def test_a_process_whose_parent_is_gone_before_it_could_ask_for_its_end_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended: list[int] = []
    monkeypatch.setattr(os, "_exit", ended.append)
    monkeypatch.setattr(ctypes, "CDLL", lambda _: SimpleNamespace(prctl=lambda *_: 0))
    interrupts.end_with(os.getppid())
    assert not ended
    interrupts.end_with(os.getppid() + 1)
    assert ended == [1]


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

class Own(fs.Startup):
    def on_ack(self, w, a):
        w.cwnd += w.segments(a.acked)

path = fs.NetworkPath(rate="20Mbps", rtt="60ms")
assert len(fs.compare(path, startups=[Own], sizes=["20kB", "80kB"], workers=2).records) == 2
console.show_json([1])
signal.raise_signal(signal.SIGINT)
assert pressed == [signal.SIGINT]
"""


def test_a_handler_that_a_host_application_installed_in_c_stays() -> None:
    done = subprocess.run([sys.executable, "-c", HANDLER_FROM_C], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[\n 1\n]\n", "")
