"""Work that is ended in time: what is finished is kept; a hook that never returns is stopped."""

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

import flowstart as fs
from flowstart.simulation import bounds

pytestmark = pytest.mark.slow

Cli = Callable[..., Any]
NEVER = '''"""Hooks that do not return."""
import time

import flowstart as fs


class Spins(fs.Startup):
    def on_ack(self, w, a):
        while True:
            pass


class Sleeps(fs.Startup):
    def on_ack(self, w, a):
        time.sleep(1e6)


class Slow(fs.Startup):
    def on_ack(self, w, a):
        time.sleep(0.3)


class Catches(fs.Startup):
    def on_ack(self, w, a):
        for _ in range(2):
            try:
                while True:
                    pass
            except BaseException:
                pass
'''
SHORT_AND_LONG = ("--startup", "slow-start", "--size", "10kB,900GB")


class Spins(fs.Startup):
    def on_ack(self, w: fs.Window, a: fs.signals.Ack) -> None:  # noqa: ARG002 # what a hook is told
        while True:
            pass


@pytest.fixture
def never(tmp_path: pathlib.Path) -> pathlib.Path:
    file = tmp_path / "never.py"
    file.write_text(NEVER)
    return file


def children() -> set[int]:
    """The processes that this one has started and that have not ended."""
    found = set()
    for task in pathlib.Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):  # a thread that has ended meanwhile
            found |= {int(one) for one in (task / "children").read_text().split()}
    return found


def test_what_is_finished_is_kept_and_the_limit_is_named(cli: Cli, tmp_path: pathlib.Path) -> None:
    out = tmp_path / "out"
    words = ("--rate", "1Gbps", "--rtt", "50ms", *SHORT_AND_LONG, "--max-time", "1s", "-o", out)
    answer = cli("compare", *words)
    assert answer.status == 1
    assert f"stopped by --max-time 1s: 1 of 2 runs are finished and in {out}" in answer.err
    assert "10 kB" in answer.out
    assert json.loads((out / "result.json").read_text())["interrupted"]
    assert json.loads((out / "manifest.json").read_text())["state"] == "interrupted"


def test_one_run_is_ended(cli: Cli, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "long.toml"
    file.write_text('path = {rate = "1Gbps", rtt = "50ms"}\nflows = [{size = "900GB"}]\n')
    for words in ((), ("--parquet-only", "-o", tmp_path / "out")):
        answer = cli("run", file, "--max-time", "300ms", *words)
        assert answer.status == 1
        assert answer.err == "flowstart: stopped by --max-time 300ms\n"
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("hook", ["Spins", "Sleeps"])
def test_a_hook_that_never_returns_is_stopped_and_named(
    cli: Cli, never: pathlib.Path, hook: str
) -> None:
    words = ("--rate", "5Mbps", "--rtt", "64ms", "--size", "10kB", "--workers", "1")
    began = time.monotonic()
    answer = cli("compare", *words, "--startup", f"{never}:{hook}", "--max-time", "500ms")
    assert time.monotonic() - began < 20
    assert answer.status == 1
    assert f"stopped by --max-time 500ms in on_ack of `{never}:{hook}` at " in answer.err


def test_a_hook_that_catches_what_it_is_interrupted_by_is_interrupted_again(
    cli: Cli, never: pathlib.Path
) -> None:
    words = ("--rate", "5Mbps", "--rtt", "64ms", "--size", "10kB", "--workers", "1")
    answer = cli("compare", *words, "--startup", f"{never}:Catches", "--max-time", "500ms")
    assert answer.status == 1
    assert "stopped by --max-time 500ms" in answer.err


@pytest.mark.skipif(sys.platform != "linux", reason="startups run in processes on Linux only")
@pytest.mark.parametrize("hook", ["Spins", "Sleeps"])
def test_processes_of_hooks_that_never_return_are_ended(
    cli: Cli, never: pathlib.Path, hook: str
) -> None:
    before = children()
    words = ("--rate", "5Mbps", "--rtt", "64ms", "--size", "10kB,20kB", "--workers", "2")
    answer = cli("compare", *words, "--startup", f"{never}:{hook}", "--max-time", "500ms")
    assert answer.status == 1
    assert "stopped by --max-time 500ms" in answer.err
    assert children() == before


@pytest.mark.skipif(sys.platform != "linux", reason="/proc lists processes")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_running(never: pathlib.Path, how: signal.Signals) -> None:
    # The first transfer runs in the command's own process, for a second or more.
    sizes = "10kB,200kB,201kB,202kB,203kB"
    words = ["--rate", "5Mbps", "--rtt", "64ms", "--size", sizes, "--workers", "2"]
    command = [sys.executable, "-m", "flowstart", "compare", *words, "--startup", f"{never}:Slow"]

    def heeds_interrupts() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    running = subprocess.Popen(command, stderr=subprocess.DEVNULL, preexec_fn=heeds_interrupts)
    own = pathlib.Path(f"/proc/{running.pid}/task/{running.pid}/children")
    while len(own.read_text().split()) < 2:
        assert running.poll() is None
        time.sleep(0.05)
    time.sleep(0.5)
    started = [int(one) for one in own.read_text().split()]
    running.send_signal(how)
    running.wait(60)
    until = time.monotonic() + 20
    while any(is_running(one) for one in started) and time.monotonic() < until:
        time.sleep(0.05)
    assert not [one for one in started if is_running(one)]


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
        fields = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except (ProcessLookupError, FileNotFoundError):
        return False
    return fields[0] != "Z"


def test_python_returns_what_is_finished(path: fs.NetworkPath) -> None:
    found = fs.compare(path, startups=["hystart", Spins()], sizes=["10kB"], max_time="500ms")
    assert found.interrupted
    assert {row["startup"] for row in found.records} <= {"hystart"}


@pytest.mark.parametrize("is_main", [True, False])
def test_a_run_raises_in_every_thread(path: fs.NetworkPath, is_main: bool) -> None:
    said: list[str] = []

    def ask() -> None:
        flow = fs.Flow(size="10kB", startup=Spins())
        try:
            fs.run(fs.Scenario(path=path, flows=[flow]), max_time="300ms")
        except fs.FlowstartError as error:
            said.append(str(error))

    if is_main:
        ask()
    else:
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join(30)
    assert len(said) == 1
    assert said[0].startswith("stopped by max_time='300ms' in on_ack of `Spins` at ")


def test_a_handler_of_the_host_application_is_not_called(path: fs.NetworkPath) -> None:
    called: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: called.append(number))
    try:
        flow = fs.Flow(size="10kB", startup=Spins())
        with pytest.raises(fs.FlowstartError, match="stopped by max_time='300ms' in on_ack"):
            fs.run(fs.Scenario(path=path, flows=[flow]), max_time="300ms")
    finally:
        signal.signal(signal.SIGINT, before)
    assert called == []


def test_a_sweep_keeps_its_rows_and_goes_on(cli: Cli, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "sweep.toml"
    file.write_text(
        'startups = ["slow-start", "hystart"]\nflow = {size = "90GB"}\n'
        'path = {rate = ["1Gbps", "2Gbps"], rtt = "50ms"}\n'
    )
    for workers in ("1", "2"):
        words = (file, "-o", tmp_path / f"out{workers}", "--workers", workers, "--yes")
        answer = cli("sweep", *words, "--max-time", "2s")
        assert answer.status == 1, answer.err
        assert "stopped by --max-time 2s" in answer.err


@pytest.mark.parametrize("given", ["0s", "soon", "5Mbps", "-1s"])
def test_a_wrong_time_is_refused(cli: Cli, given: str) -> None:
    words = ("--rate", "5Mbps", "--rtt", "64ms", f"--max-time={given}")
    answer = cli("compare", *words)
    said = f"--max-time: `{given}`: a time above 0, such as 30h, is needed"
    assert (answer.status, answer.out, answer.err) == (2, "", f"flowstart: {said}\n")


def test_what_is_done_in_time_is_as_without_a_limit(cli: Cli) -> None:
    words = ("compare", "--rate", "5Mbps", "--rtt", "64ms", "--size", "10kB", "--json")
    assert cli(*words, "--max-time", "1h") == cli(*words)


def test_a_limit_holds_in_what_does_not_look_at_the_time() -> None:
    began = time.monotonic()
    with (
        pytest.raises(fs.FlowstartError, match="stopped by --max-time 200ms"),
        bounds.bounded("200ms", is_command=True),
    ):
        time.sleep(60)
    assert time.monotonic() - began < 20


def test_what_keeps_results_after_a_limit_is_not_interrupted_again() -> None:
    with bounds.bounded("100ms", is_command=True) as mine:
        with pytest.raises(KeyboardInterrupt):
            while True:
                mine.check_time()
        time.sleep(0.5)
    assert mine.is_late
