"""Damaged files of folders that flowstart wrote: found by `check` and `map`, repaired on resume."""

import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

import flowstart as fs
import made_up_sweep
from flowstart.cli.check import checked
from flowstart.render import files
from flowstart.sweeps import report
from flowstart.sweeps.execution.execute import run
from flowstart.sweeps.execution.store import Store
from made_up_sweep import MadeUp, way

FLIPS = 300
SWEEP = {
    "startups": ["slow-start", "jump-start"],
    "path": {"rate": ["5Mbps", "20Mbps"], "rtt": "20ms", "buffer": "20pkt"},
    "flow": {"size": "20kB"},
}


def swept(folder: pathlib.Path) -> fs.SweepResult:
    """The sweep as the command runs it."""
    found = fs.sweep(SWEEP, folder, workers=1)
    report.write(found)
    return found


def contents(folder: pathlib.Path) -> dict[str, bytes]:
    """All files but those set aside."""
    files = [file for file in folder.rglob("*") if file.is_file() and file.parent.name != "damaged"]
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


def flip(file: pathlib.Path, bit: int) -> None:
    """Changes one bit of a file."""
    content = bytearray(file.read_bytes())
    content[bit // 8] ^= 1 << bit % 8
    file.write_bytes(content)


@pytest.mark.slow
def test_every_flipped_bit_of_a_sweep_is_found_and_repaired(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "sweep"
    swept(folder)
    before = contents(folder)
    told = fs.SweepResult.read(folder).map().to_dict()
    files = [name for name in before if before[name]]
    assert {"sweep.json", "complete.json", "report.html"} < set(files)
    drawn = random.Random(38)
    for number in range(FLIPS):
        name = files[number % len(files)]
        bit = drawn.randrange(8 * len(before[name]))
        flip(folder / name, bit)
        assert checked(folder).damaged == [name], (name, bit)
        with pytest.raises(fs.RequestError, match="damaged") as error:
            fs.SweepResult.read(folder).map()
        assert name in str(error.value)
        assert swept(folder).store.set_aside == [name], (name, bit)
        assert contents(folder) == before, (name, bit)
    assert fs.SweepResult.read(folder).map().to_dict() == told


@pytest.mark.slow
def test_every_flipped_bit_of_results_is_found(
    tmp_path: pathlib.Path, cli: Callable[..., Any]
) -> None:
    folder = tmp_path / "out"
    words = ("--rate", "5Mbps", "--rtt", "20ms", "--size", "20kB", "--startup", "slow-start")
    cli("compare", *words, "-o", folder)
    before = contents(folder)
    files = list(before)
    drawn = random.Random(38)
    for number in range(FLIPS):
        name = files[number % len(files)]
        flip(folder / name, drawn.randrange(8 * len(before[name])))
        assert checked(folder).damaged == [name]
        (folder / name).write_bytes(before[name])
    assert not checked(folder).damaged


def made_up(folder: pathlib.Path) -> Store:
    return run(MadeUp(), folder, way()).store


def test_only_damaged_parts_are_computed_again(tmp_path: pathlib.Path) -> None:
    store = made_up(tmp_path)
    before = contents(tmp_path)
    parts = [store.parts()[1], store.parts()[7]]
    for part in parts:
        flip(part, 999)
    again = run(MadeUp(), tmp_path, way())
    assert again.ran == 2 * made_up_sweep.CELLS_OF_A_BATCH * 2
    assert again.store.set_aside == [f"parts/{part.name}" for part in parts]
    assert again.to_dict()["set_aside"] == again.store.set_aside
    assert contents(tmp_path) == before
    assert again.store.aside() == [f"damaged/{part.name}" for part in parts]


@pytest.mark.slow
def test_commands_that_repair_a_sweep_together_leave_what_was_there(tmp_path: pathlib.Path) -> None:
    made_up(tmp_path)
    before = contents(tmp_path)
    for part in Store(tmp_path).parts()[1::2]:
        flip(part, 999)
    for name in ("sweep.json", "complete.json"):
        flip(tmp_path / name, 99)
    words = [sys.executable, made_up_sweep.__file__, str(tmp_path)]
    commands = [subprocess.Popen(words) for _ in range(3)]
    assert [command.wait() for command in commands] == [0, 0, 0]
    assert contents(tmp_path) == before


def test_parts_of_a_sweep_that_has_not_finished_are_verified(tmp_path: pathlib.Path) -> None:
    store = made_up(tmp_path)
    (tmp_path / "complete.json").unlink()
    store.parts()[3].unlink()
    assert checked(tmp_path).state == "unfinished"
    assert checked(tmp_path).damaged == []
    flip(store.parts()[0], 999)
    assert checked(tmp_path).damaged == [f"parts/{store.parts()[0].name}"]
    assert run(MadeUp(), tmp_path, way()).ran == 2 * made_up_sweep.CELLS_OF_A_BATCH * 2


def test_a_part_that_is_cut_off_or_without_digest_is_damaged(tmp_path: pathlib.Path) -> None:
    store = made_up(tmp_path)
    first, second = store.parts()[:2]
    first.write_bytes(first.read_bytes()[:-1])
    second.write_bytes(second.read_bytes().replace(files.FIELD.encode(), b"x" * 10))
    assert store.damaged() == [f"parts/{first.name}", f"parts/{second.name}"]


def test_why_a_batch_has_no_rows_is_sealed_too(tmp_path: pathlib.Path) -> None:
    found = run(MadeUp(path={"raises_at": "3Mbps"}), tmp_path, way())
    assert found.failures[0].endswith(": ArithmeticError: made up")
    (file,) = (tmp_path / "failed").iterdir()
    flip(file, 8)
    assert checked(tmp_path).damaged == [f"failed/{file.name}"]


def test_a_damaged_request_without_a_part_is_refused(tmp_path: pathlib.Path) -> None:
    made_up(tmp_path)
    shutil.rmtree(tmp_path / "parts")
    flip(tmp_path / "sweep.json", 100)
    with pytest.raises(fs.RequestError, match=r"its sweep\.json is damaged"):
        run(MadeUp(), tmp_path, way())


def test_a_damaged_request_is_not_taken_over_by_another_sweep(tmp_path: pathlib.Path) -> None:
    made_up(tmp_path)
    flip(tmp_path / "sweep.json", 100)
    before = contents(tmp_path)
    with pytest.raises(fs.RequestError, match=r"its sweep\.json is damaged"):
        run(MadeUp(41), tmp_path, way())
    assert contents(tmp_path) == before


def test_check_prints_the_answer_first(tmp_path: pathlib.Path, cli: Callable[..., Any]) -> None:
    store = made_up(tmp_path / "sweep")
    folder = os.path.relpath(tmp_path / "sweep")
    answer = cli("check", folder)
    assert (answer.status, answer.err) == (0, "")
    assert answer.out == f"{folder}: intact: all 12 files are as written (sweep, complete)\n"
    for part in store.parts()[:6]:
        flip(part, 77)
    store.parts()[8].unlink()
    answer = cli("check", folder)
    assert (answer.status, answer.err) == (1, "")
    lines = answer.out.splitlines()
    assert lines[0] == f"{folder}: damaged (sweep, unfinished):"
    assert len(lines) == 8
    assert lines[-2:] == [
        "  and 2 more, all with --json",
        f"Repair: flowstart sweep ... -o {folder}",
    ]
    answer = cli("check", folder, "--json")
    assert answer.status == 1
    found = json.loads(answer.out)
    assert found["damaged"][-1] == "parts: 1 missing"
    assert (found["kind"], found["files"]) == ("sweep", 11)


def test_check_names_the_command_that_writes_results_again(
    tmp_path: pathlib.Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["flowstart", "run", "one.toml"])
    scenario = tmp_path / "one.toml"
    scenario.write_text('flows = [{ size = "20kB" }]\n[path]\nrate = "5Mbps"\nrtt = "20ms"\n')
    cli("run", scenario, "-o", tmp_path / "out")
    assert cli("check", tmp_path / "out").status == 0
    (tmp_path / "out" / "notes.txt").write_text("mine")
    answer = cli("check", tmp_path / "out")
    assert answer.status == 0
    assert answer.out.splitlines()[1:] == [
        "Not verified, since it is not a part of the results:",
        "  notes.txt",
    ]
    (tmp_path / "out" / "rows.parquet").unlink()
    answer = cli("check", tmp_path / "out")
    assert answer.status == 1
    assert answer.out.splitlines()[1] == "  rows.parquet"
    assert answer.out.splitlines()[2].startswith("Repair: flowstart run one.toml")


def test_what_is_no_folder_of_flowstart_is_refused(
    tmp_path: pathlib.Path, cli: Callable[..., Any]
) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "empty").mkdir()
    for name, said in (
        ("nowhere", "there is no such folder"),
        ("file", "this is a file"),
        ("empty", "it holds neither manifest.json nor a sweep"),
    ):
        answer = cli("check", tmp_path / name)
        assert (answer.status, answer.out, answer.err.count("\n")) == (2, "", 1)
        assert f"{tmp_path / name}: {said}" in answer.err


def test_sealed_content_without_a_field_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="own_sha256"):
        files.seal(b"no field")


def test_damaged_results_of_papers_are_measured_again(tmp_path: pathlib.Path) -> None:
    from flowstart_papers.lab import Lab

    scenario = {"path": {"rate": "5Mbps", "rtt": "20ms"}, "flows": [{"size": "20kB"}]}
    first = Lab(tmp_path).runs([scenario], made_up_reading)
    (file,) = tmp_path.rglob("*.parquet")
    flip(file, 8 * 40)
    assert Lab(tmp_path).runs([scenario], made_up_reading) == first
    assert [files.is_intact(each) for each in tmp_path.rglob("*.parquet")].count(True) == 1


def made_up_reading(found: fs.Run) -> float:
    """What is read from a run."""
    return float(found.records[0]["fct_s"])


@pytest.mark.parametrize("words", [("map", "sweep"), ("sweep", "sweep.toml", "-o", "sweep")])
def test_a_part_that_was_sealed_again_after_a_change_is_reported_in_one_line(
    tmp_path: pathlib.Path,
    cli: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sweep.toml").write_text(
        'startups = ["slow-start", "jump-start"]\n[path]\nrate = ["5Mbps", "20Mbps"]\n'
        'rtt = "20ms"\nbuffer = "20pkt"\n[flow]\nsize = "20kB"\n'
    )
    assert cli("sweep", "sweep.toml", "-o", "sweep", "--workers", "1").status == 0
    part = Store(tmp_path / "sweep").parts()[0]
    part.write_bytes(files.seal(f"no table {files.FIELD}: {files.BLANK}".encode()))
    assert checked(tmp_path / "sweep").damaged == []
    answer = cli(*words)
    assert answer.status in (1, 2)
    assert answer.err.count("\n") == 1
    assert "defect" not in answer.err
    assert "parquet" in answer.err


def test_a_record_of_a_sweep_without_its_fields_is_damaged(tmp_path: pathlib.Path) -> None:
    store = made_up(tmp_path)
    for name in ("sweep.json", "complete.json"):
        (tmp_path / name).write_bytes(files.document({"cells": 1}))
    assert store.complete is None
    with pytest.raises(fs.RequestError, match=r"its sweep\.json is damaged"):
        _ = Store(tmp_path).said
