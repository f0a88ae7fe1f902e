"""Folders of results."""

import errno
import hashlib
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from flowstart import RequestError, SimulationError
from flowstart.cli.console import check_folder, results_in
from flowstart.render import folder as folders
from flowstart.render.folder import About, Results


def put(folder: pathlib.Path, **files: bytes) -> None:
    with results_in(folder) as results:
        results.write(files)
        results.put()


def contents(folder: pathlib.Path) -> dict[str, bytes]:
    found = {file.name: file.read_bytes() for file in folder.iterdir()}
    del found["manifest.json"]
    return found


def manifest(folder: pathlib.Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "manifest.json").read_text())
    return found


def is_whole(folder: pathlib.Path) -> bool:
    """Whether a folder holds what its manifest names, to the byte, and nothing else."""
    named = {file["name"]: file["sha256"] for file in manifest(folder)["files"]}
    held = {name: hashlib.sha256(data).hexdigest() for name, data in contents(folder).items()}
    return named == held


def test_results_replace_those_of_an_earlier_command(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "a" / "b"
    put(folder, one=b"1", two=b"2")
    put(folder, one=b"new")
    assert contents(folder) == {"one": b"new"}
    assert [found.name for found in folder.parent.iterdir()] == ["b"]


def test_a_manifest_names_the_command_and_every_file(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["/bin/flowstart", "run", "x.toml"])
    with results_in(tmp_path / "out", seed=7) as results:
        results.write({"one": b"1"})
        results.put()
    written = manifest(tmp_path / "out")
    assert written["command"] == ["flowstart", "run", "x.toml"]
    assert (written["seed"], written["state"]) == (7, "complete")
    digest = hashlib.sha256(b"1").hexdigest()
    assert written["files"] == [{"name": "one", "bytes": 1, "sha256": digest}]


def test_results_are_in_place_while_pictures_are_pending(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "out"
    with results_in(folder) as results:
        results.write({"rows": b"1"})
        results.put("pictures-pending")
        assert contents(folder) == {"rows": b"1"}
        assert manifest(folder)["state"] == "pictures-pending"
        results.write({"picture": b"2"})
        assert contents(folder) == {"rows": b"1"}
        results.put()
    assert contents(folder) == {"rows": b"1", "picture": b"2"}
    assert is_whole(folder)
    assert [found.name for found in tmp_path.iterdir()] == ["out"]


def test_a_folder_has_the_rights_that_umask_leaves_and_umask_is_not_touched(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = os.umask(0o027)
    try:
        with monkeypatch.context() as patch:
            patch.setattr(os, "umask", lambda _: pytest.fail("other threads make files"))
            put(tmp_path / "out", one=b"1")
    finally:
        os.umask(before)
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o750


def test_checking_leaves_nothing(tmp_path: pathlib.Path) -> None:
    check_folder(tmp_path / "a" / "b")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("below", ["file", "file/deeper"])
def test_a_file_in_the_way_is_refused(tmp_path: pathlib.Path, below: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RequestError, match="is a file"):
        check_folder(tmp_path / below)


def test_a_folder_that_cannot_be_written_is_refused() -> None:
    with pytest.raises(RequestError, match="/proc cannot be written to"):
        check_folder(pathlib.Path("/proc/flowstart"))


def test_a_folder_with_files_of_others_is_refused(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "out"
    put(folder, one=b"1")
    check_folder(folder)
    (folder / "notes.txt").write_text("mine")
    (folder / "more.txt").write_text("mine")
    refused = (
        f"-o {folder}: it holds more.txt and 1 more, which flowstart did not write, and results "
        "replace a folder as a whole; name another, or move that elsewhere"
    )
    with pytest.raises(RequestError) as error:
        check_folder(folder)
    assert str(error.value) == refused


def test_a_folder_with_a_damaged_manifest_is_refused(tmp_path: pathlib.Path) -> None:
    put(tmp_path / "out", one=b"1")
    (tmp_path / "out" / "manifest.json").write_text("{")
    with pytest.raises(RequestError, match=r"it holds manifest\.json and 1 more"):
        check_folder(tmp_path / "out")


def test_the_folder_that_a_command_works_in_is_refused(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RequestError, match=r"works in, .*; name a folder within, such as results"):
        check_folder(pathlib.Path())


def test_a_link_to_a_folder_stays_a_link(tmp_path: pathlib.Path) -> None:
    put(tmp_path / "out", one=b"1")
    (tmp_path / "link").symlink_to("out")
    put(tmp_path / "link", one=b"2")
    assert (tmp_path / "link").is_symlink()
    assert contents(tmp_path / "out") == {"one": b"2"}


def test_results_are_kept_beside_where_somebody_has_put_a_file_meanwhile(
    tmp_path: pathlib.Path,
) -> None:
    folder = tmp_path / "out"
    with results_in(folder) as results:
        results.write({"one": b"1"})
        folder.mkdir()
        (folder / "mine").write_text("")
        with pytest.raises(SimulationError, match=f"the results are in {folder}-2"):
            results.put()
    assert contents(tmp_path / "out-2") == {"one": b"1"}
    assert [file.name for file in folder.iterdir()] == ["mine"]


def test_a_full_disk_leaves_the_old_folder(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "out", one=b"1")

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(pathlib.Path, "write_bytes", full)
    with pytest.raises(SimulationError, match="cannot be written: No space left on device"):
        put(tmp_path / "out", one=b"2")
    assert contents(tmp_path / "out") == {"one": b"1"}
    assert [found.name for found in tmp_path.iterdir()] == ["out"]


@pytest.fixture
def disk(tmp_path: pathlib.Path) -> Any:
    """A small file system of its own."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "flowstart-test", str(place)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("mounting a file system needs root")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_disk_that_is_really_full_leaves_the_old_folder(disk: pathlib.Path) -> None:
    put(disk / "out", one=b"1")
    with pytest.raises(SimulationError, match="cannot be written: No space left on device"):
        put(disk / "out", one=b"2", large=bytes(2 << 20))
    assert contents(disk / "out") == {"one": b"1"}
    assert [found.name for found in disk.iterdir()] == ["out"]


def test_a_mount_point_is_refused(disk: pathlib.Path) -> None:
    with pytest.raises(RequestError, match="a file system is mounted there"):
        check_folder(disk)


def test_folders_are_moved_where_they_cannot_change_places(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folders, "exchange", lambda *_: False)
    put(tmp_path / "out", one=b"1")
    put(tmp_path / "out", two=b"2")
    assert contents(tmp_path / "out") == {"two": b"2"}
    assert [found.name for found in tmp_path.iterdir()] == ["out"]


def test_what_a_killed_command_moved_aside_is_restored(tmp_path: pathlib.Path) -> None:
    put(tmp_path / "out", one=b"1")
    (tmp_path / "out").rename(tmp_path / ".out.flowstart-aside-1")
    (tmp_path / ".out.flowstart-2").mkdir()
    with results_in(tmp_path / "out"):
        assert contents(tmp_path / "out") == {"one": b"1"}
    assert [found.name for found in tmp_path.iterdir()] == ["out"]


def test_a_folder_that_is_being_written_is_not_cleaned_away(tmp_path: pathlib.Path) -> None:
    with results_in(tmp_path / "out") as first:
        first.write({"one": b"1"})
        put(tmp_path / "out", two=b"2")
        first.put()
    assert contents(tmp_path / "out") == {"one": b"1"}


WRITER = """
import pathlib, sys
from flowstart.render.folder import Results
from flowstart.render.folder import About

folder, mark = pathlib.Path(sys.argv[1]), sys.argv[2]
print("ready", flush=True)
for turn in range(int(sys.argv[3])):
    with Results(folder, str(folder), About()) as results:
        results.write({f"{n}-{mark}": f"{mark}{turn}".encode() * 2000 for n in range(8)})
        results.put("pictures-pending")
        results.write({f"picture-{mark}": str(turn).encode()})
        results.put()
"""


def writer(folder: pathlib.Path, mark: str, turns: int) -> "subprocess.Popen[str]":
    """Another process that writes results of its own, again and again."""
    words = [sys.executable, "-c", WRITER, str(folder), mark, str(turns)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.slow
def test_twenty_kills_leave_a_whole_folder_each_time(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "out"
    put(folder, one=b"1")
    moments = random.Random(1)
    for turn in range(20):
        process = writer(folder, f"w{turn}", turns=1_000_000)
        time.sleep(moments.uniform(0, 0.02))
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert process.stdout
        process.stdout.close()
        assert is_whole(folder), f"kill {turn}"
    put(folder, one=b"1")
    assert [found.name for found in tmp_path.iterdir()] == ["out"]


def test_two_writers_leave_the_folder_of_one(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "out"
    put(folder, one=b"1")
    processes = [writer(folder, mark, turns=60) for mark in ("a", "b")]
    while any(process.poll() is None for process in processes):
        marks = {file.name.rpartition("-")[2] for file in folder.iterdir()}
        assert len(marks - {"manifest.json", "one"}) <= 1
    for process in processes:
        assert process.wait() == 0
        assert process.stdout
        process.stdout.close()
    assert is_whole(folder)
    assert [found.name for found in tmp_path.iterdir()] == ["out"]


@pytest.mark.slow
@pytest.mark.parametrize("command", ["run", "run --parquet-only", "compare"])
def test_every_command_leaves_a_whole_folder(
    cli: Callable[..., Any], tmp_path: pathlib.Path, command: str
) -> None:
    file = tmp_path / "scenario.json"
    path = {"rate": "20Mbps", "rtt": "20ms"}
    file.write_text(json.dumps({"path": path, "flows": [{"size": "30kB"}], "seed": 5}))
    name, *options = command.split()
    answer = cli(name, file, *options, "-o", tmp_path / "out")
    assert answer.status == 0
    assert is_whole(tmp_path / "out")
    written = manifest(tmp_path / "out")
    assert (written["state"], written["seed"]) == ("complete", 5)


def test_results_that_are_not_put_leave_nothing(tmp_path: pathlib.Path) -> None:
    with Results(tmp_path / "out", "out", About()) as results:
        results.write({"one": b"1"})
    assert list(tmp_path.iterdir()) == []
