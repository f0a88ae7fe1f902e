"""Startups in this machine's kernel beside the simulator, and what a run leaves behind: nothing.

Needs a build with the feature `linux`, and root: `make live-linux`.
"""

import ctypes
import json
import pathlib
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

import commands
import flowstart as fs
from flowstart import _native
from leftovers import left, settled

Cli = Callable[..., Any]
PATH = ("--rate", "50Mbps", "--rtt", "10ms", "--size", "100kB")
PR_CAPBSET_DROP = 24


def _missing() -> str | None:
    if "linux" not in _native.BUILT_LIVE_STACKS:
        return "this build has no `linux`: make live-linux"
    return _native.live_prohibition("linux", True)


pytestmark = pytest.mark.skipif(_missing() is not None, reason=str(_missing()))


@pytest.fixture(scope="module")
def result() -> fs.LiveComparison:
    path = fs.NetworkPath(rate="50Mbps", rtt="10ms")
    startups = ["jump-start", "quick-start"]
    return fs.compare(
        path, startups=startups, on="linux", kernel=["cubic"], sizes=["100kB"], repeat=3
    )


def test_kernels_own_and_startups_stand_beside_what_they_are_in_the_simulator(
    result: fs.LiveComparison,
) -> None:
    found = {(row["variant"], row["transport"]) for row in result.records}
    names = ("jump-start", "quick-start", "kernel-cubic")
    assert found == {(name, where) for name in names for where in ("simulated", "linux")}
    for row in result.records:
        if row["transport"] == "linux" and not row["refused"]:
            assert row["complete"]
            assert row["relay_late_most_s"] is not None
            assert (row["answered_median_s"] is not None) == (row["variant"] == "jump-start")


def test_several_runs_are_a_row_with_the_median_and_how_far_they_are_apart(
    result: fs.LiveComparison,
) -> None:
    titles = [column.title for column in result.table.columns]
    assert titles[1:6] == ["FCT", "in linux", "from", "to", "difference"]
    assert [row[0].rstrip("*") for row in result.table.rows] == [
        *("kernel-cubic", "jump-start", "quick-start"),
    ]
    assert result.table.rows[2][2] == "cannot"
    assert "which the kernel's TCP lacks" in result.legend
    assert "Events answered within " in result.verdict
    assert result.agreement.pairs == 2


def test_it_takes_as_long_as_simulated(result: fs.LiveComparison) -> None:
    assert result.agreement.median is not None
    assert result.agreement.median < 0.05


def test_the_command_again_is_the_same_request(result: fs.LiveComparison) -> None:
    command = str(result.plan.command)
    assert "--stack linux --kernel cubic" in command
    assert "--startup jump-start,quick-start" in command
    assert "--clock" not in command
    assert "variant" not in command


def test_the_command_runs_the_kernels_own_where_nothing_is_named(cli: Cli) -> None:
    answer = cli("live", *PATH, "--stack", "linux", "--repeat", "1", "--json")
    assert answer.status == 0
    rows = json.loads(answer.out)["rows"]
    assert {row["variant"] for row in rows} == {"kernel-cubic", "kernel-reno", "kernel-bbr"}
    assert all(row["complete"] for row in rows)


def test_a_folder_has_rows_windows_and_the_kernels_qlog(
    cli: Cli, tmp_path: pathlib.Path, result: fs.LiveComparison
) -> None:
    folder = tmp_path / "kernel"
    asked = ("--stack", "linux", "--startup", "jump-start", "--repeat", "2")
    answer = cli("live", *PATH, *asked, "-o", str(folder))
    assert answer.status == 0
    names = {file.name for file in folder.iterdir()}
    assert {"rows.parquet", "window-100kB.svg", "jump-start-100kB-linux.sqlog"} <= names
    assert b"linux in real time" in result.qlog("jump-start")


PAGE = pathlib.Path(__file__).parents[2] / "docs" / "guides" / "kernel.md"
SHOWN = dict.fromkeys(c.line for c in commands.commands(PAGE.read_text()))


@pytest.mark.long
@pytest.mark.parametrize("line", [line for line in SHOWN if line.startswith("flowstart live")])
def test_a_command_of_the_page_runs(line: str) -> None:
    with commands.folder(PAGE.read_text()):
        answer = commands.run(line)
    assert answer.status == 0, answer.err


def _without_capabilities() -> None:
    """Root without any capability, in a process that is about to be."""
    libc = ctypes.CDLL(None)
    for capability in range(64):
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


def _command(*words: str, size: str = "100kB") -> list[str]:
    path = [*PATH[:-1], size]
    return [sys.executable, "-m", "flowstart", "live", *path, "--stack", "linux", *words]


def test_where_it_is_not_permitted_one_line_says_what_is_missing_and_what_needs_less() -> None:
    answer = subprocess.run(
        _command("--repeat", "1"),
        preexec_fn=_without_capabilities,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.count("\n") == 1
    assert "CAP_SYS_ADMIN and CAP_NET_ADMIN" in answer.stderr
    assert "stack noq needs nothing of the machine" in answer.stderr


def test_ctrl_c_keeps_what_is_finished_and_leaves_nothing() -> None:
    before = left()
    asked = _command("--startup", "jump-start", "--repeat", "1", size="10kB,100MB")
    run = subprocess.Popen(asked, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(4)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=20)
    assert run.returncode == 130
    assert "10 kB" in out
    assert "Traceback" not in err
    assert settled(before) == before


@pytest.mark.long
def test_a_hundred_runs_of_which_twenty_are_killed_leave_nothing() -> None:
    before = left()
    draw = random.Random(1)
    for run in range(100):
        driver = ("--startup", "hystart") if run % 2 else ("--kernel", "cubic")
        size = "20MB" if run % 5 == 0 else "100kB"
        asked = _command(*driver, "--repeat", "1", size=size)
        process = subprocess.Popen(asked, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if run % 5 == 0:
            time.sleep(draw.uniform(0.3, 3.0))
            process.kill()
            process.communicate()
            assert process.returncode == -signal.SIGKILL
        else:
            _, err = process.communicate(timeout=60)
            assert process.returncode == 0, err
    assert settled(before) == before
