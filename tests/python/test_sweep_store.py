"""The folder of a sweep: what is in it, what is refused, and what a full disk leaves."""

import dataclasses
import errno
import json
import os
import pathlib
import resource
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import polars as pl
import pytest

import made_up_sweep
from flowstart import RequestError, SimulationError, _native
from flowstart.model.custom import CustomStartups, load
from flowstart.model.signals import Ack
from flowstart.model.startup import Startup, Window
from flowstart.render import files
from flowstart.sweeps.cell import Cell
from flowstart.sweeps.execution import store, task
from flowstart.sweeps.execution.execute import run
from flowstart.sweeps.execution.store import Store, Swept
from flowstart.sweeps.execution.task import PACKETS, Batch
from made_up_sweep import MadeUp, way


def swept(folder: pathlib.Path, question: MadeUp | None = None, **how: Any) -> Swept:
    return run(question or MadeUp(), folder, way(**how))


def contents(folder: pathlib.Path) -> dict[str, bytes]:
    """All that is in a folder, by its place within."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


def test_a_sweep_leaves_a_row_for_each_cell_and_variant_in_their_order(
    tmp_path: pathlib.Path,
) -> None:
    found = swept(tmp_path / "out")
    assert found.frame["cell"].to_list() == [cell for cell in range(40) for _ in range(2)]
    assert found.frame["startup"].to_list() == ["slow-start", "jump-start"] * 40
    assert (found.cells, found.ran, found.height, found.failures) == (40, 80, 80, [])
    assert repr(found) == f"Swept('{tmp_path}/out', 40 cells, 80 rows)"


def test_the_folder_holds_parts_and_what_was_asked(tmp_path: pathlib.Path) -> None:
    swept(tmp_path / "out")
    names = sorted(contents(tmp_path / "out"))
    parts = [name for name in names if name.startswith("parts/")]
    assert [name for name in names if name not in parts] == [
        ".claims",
        "complete.json",
        "sweep.json",
    ]
    assert [name[:14] for name in parts] == [f"parts/{number:08}" for number in range(10)]
    said = json.loads((tmp_path / "out" / "sweep.json").read_text())
    assert said["asked"] == {"count": 40, "path": {}}
    assert said["flowstart"] == _native.version()
    assert said["columns"]["fct_s"]["unit"] == "seconds"
    complete = json.loads((tmp_path / "out" / "complete.json").read_text())
    del complete[files.FIELD]
    assert complete == {"parts": 10, "sweep": said["sweep"], "collapsed": {"queue": 40}}


def test_a_part_says_whose_it_is(tmp_path: pathlib.Path) -> None:
    found = swept(tmp_path / "out")
    part = found.store.parts()[3]
    said = pl.read_parquet_metadata(part)
    assert said["flowstart.version"] == _native.version()
    assert said["flowstart.sweep"] == found.store.said["sweep"]
    assert part.name == f"00000003-{said['flowstart.batch'][:16]}.parquet"
    assert json.loads(said["flowstart"])["columns"]["cell"]["doc"]


def test_plain_polars_reads_the_table(tmp_path: pathlib.Path) -> None:
    found = swept(tmp_path / "out")
    assert pl.read_parquet(f"{tmp_path}/out/parts/*.parquet").equals(found.frame)


def test_plain_pandas_reads_the_table(tmp_path: pathlib.Path) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    found = swept(tmp_path / "out")
    frame = pandas.read_parquet(tmp_path / "out" / "parts")
    assert frame["fct_s"].to_list() == found.frame["fct_s"].to_list()


def test_plain_duckdb_reads_the_table(tmp_path: pathlib.Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    found = swept(tmp_path / "out")
    query = f"select cell, startup, fct_s from '{tmp_path}/out/parts/*.parquet' order by cell"
    rows = duckdb.sql(query).fetchall()
    assert sorted(rows) == sorted(found.frame.select("cell", "startup", "fct_s").rows())


def test_an_empty_store_has_the_columns_of_a_full_one(tmp_path: pathlib.Path) -> None:
    full = swept(tmp_path / "out").frame
    empty = Store(tmp_path / "elsewhere").scan().collect()
    assert empty.schema == full.schema
    assert empty.is_empty()


# Going on.


def test_the_same_again_runs_nothing_and_makes_no_cells(tmp_path: pathlib.Path) -> None:
    first = swept(tmp_path / "out")
    before = contents(tmp_path / "out")
    question = MadeUp()
    second = swept(tmp_path / "out", question)
    assert (second.ran, question.made) == (0, 0)
    assert (second.collapsed, second.height) == (first.collapsed, first.height)
    assert contents(tmp_path / "out") == before


def test_only_parts_that_are_missing_are_run(tmp_path: pathlib.Path) -> None:
    whole = swept(tmp_path / "out")
    before = contents(tmp_path / "out")
    for part in whole.store.parts()[2::4]:
        part.unlink()
    told: list[tuple[int, int]] = []
    again = swept(tmp_path / "out", progress=lambda *at: told.append(at))
    assert again.ran == 2 * 4 * 2
    assert told[-1] == (8, 8)
    assert contents(tmp_path / "out") == before


def test_what_killed_writers_left_is_removed(tmp_path: pathlib.Path) -> None:
    swept(tmp_path / "out")
    (tmp_path / "out" / "complete.json").unlink()
    left = [tmp_path / "out" / ".sweep.json.1.partial", tmp_path / "out/parts/.a.2.partial"]
    for file in left:
        file.write_bytes(b"x")
    assert swept(tmp_path / "out").height == 80
    assert not any(file.exists() for file in left)


def test_a_part_is_written_again_where_somebody_removed_it_meanwhile(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = pathlib.Path.replace

    def removed(file: pathlib.Path, place: pathlib.Path) -> pathlib.Path:
        monkeypatch.setattr(pathlib.Path, "replace", replace)
        file.unlink()
        return file.replace(place)

    monkeypatch.setattr(pathlib.Path, "replace", removed)
    store.write(tmp_path / "part", b"1")
    assert contents(tmp_path) == {"part": b"1"}


# Batches.


def test_batches_are_of_so_many_packets_and_the_same_each_time() -> None:
    def cost(cell: Cell) -> float:
        return PACKETS / (1 + cell.number % 3)

    def made() -> list[Batch]:
        return list(task.batches(MadeUp().cells(), cost, "base"))

    found = made()
    assert found == made()
    assert [cell.number for batch in found for cell in batch.cells] == list(range(40))
    assert {len(batch.cells) for batch in found} == {1, 3}
    assert len({batch.key for batch in found}) == len(found)


def test_a_batch_stands_for_the_cells_that_collapsed_before_its_own() -> None:
    cells = [cell for cell in MadeUp().cells() if cell.number % 5 == 2]
    found = list(task.batches(cells, lambda _: PACKETS / 2, "base"))
    assert [batch.places for batch in found] == [8, 10, 10, 10]


def test_cells_without_packets_are_batches_too() -> None:
    found = list(task.batches(MadeUp(2500).cells(), lambda _: 0.0, "base"))
    assert [len(batch.cells) for batch in found] == [1000, 1000, 500]


# What is refused.


def refused(folder: pathlib.Path, question: MadeUp | None = None) -> str:
    before = contents(folder) if folder.is_dir() else None
    with pytest.raises(RequestError) as error:
        swept(folder, question)
    assert (contents(folder) if folder.is_dir() else None) == before
    return str(error.value)


def test_another_sweep_is_refused(tmp_path: pathlib.Path) -> None:
    out = tmp_path / "out"
    swept(out)
    assert refused(out, MadeUp(41)) == (
        f"{out}: it holds another sweep (`count` is 40 there and 41 here); name another folder"
    )
    fewer = MadeUp(variants=made_up_sweep.VARIANTS[:1])
    assert refused(out, fewer) == (
        f"{out}: it holds another sweep (`variants` differs); name another folder"
    )
    assert '`split` is "" there' in refused_part(out)


def refused_part(out: pathlib.Path) -> str:
    with pytest.raises(RequestError) as error:
        run(MadeUp(), out, way(), split="train")
    return str(error.value)


def test_rows_of_another_version_are_refused(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    swept(out)
    was = _native.version()
    monkeypatch.setattr(_native, "version", lambda: "9.9.9")
    assert refused(out) == (
        f"{out}: flowstart {was} wrote it, and this is 9.9.9; rows of two versions are not mixed: "
        "name another folder, or resume with that version"
    )


MINE = """
import flowstart as fs

class Mine(fs.Startup):
    def on_ack(self, w, a):
        pass
"""


def test_a_startup_whose_text_has_changed_is_another_sweep(tmp_path: pathlib.Path) -> None:
    class Mine(Startup):
        def on_ack(self, w: Window, a: Ack) -> None:
            pass

    file = tmp_path / "mine.py"
    name = f"{file}:Mine"

    def question(text: str) -> MadeUp:
        file.write_text(MINE + text)
        return MadeUp(custom=CustomStartups({name: Mine()}))

    swept(tmp_path / "out", question("1"))
    swept(tmp_path / "out", question("1"))
    assert f"`{name}`" in refused(tmp_path / "out", question("2"))


def test_a_startup_that_imports_a_changed_module_is_another_sweep(tmp_path: pathlib.Path) -> None:
    file, helper = tmp_path / "importing.py", tmp_path / "imported_growth.py"
    file.write_text("import imported_growth\n" + MINE)
    name = f"{file}:Mine"

    def question(text: str) -> MadeUp:
        helper.write_text(text)
        return MadeUp(custom=CustomStartups({name: load(name)}))

    swept(tmp_path / "out", question("FACTOR = 1"))
    swept(tmp_path / "out", question("FACTOR = 1"))
    assert f"`{name}`" in refused(tmp_path / "out", question("FACTOR = 2"))


def test_a_folder_with_files_of_others_is_refused(tmp_path: pathlib.Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "more.txt").write_text("mine")
    assert refused(tmp_path) == (
        f"{tmp_path}: it holds more.txt and 1 more, which flowstart did not write, and a sweep's "
        "folder begins empty; name another folder, or move that elsewhere"
    )


def test_parts_without_what_was_asked_are_refused(tmp_path: pathlib.Path) -> None:
    swept(tmp_path / "out")
    (tmp_path / "out" / "sweep.json").unlink()
    assert "it holds complete.json and 2 more" in refused(tmp_path / "out")


def test_a_file_of_others_among_the_parts_is_refused(tmp_path: pathlib.Path) -> None:
    swept(tmp_path / "out")
    (tmp_path / "out" / "parts" / "mine.parquet").write_text("mine")
    (tmp_path / "out" / "map").mkdir()
    assert "it holds mine.parquet, which flowstart did not write" in refused(tmp_path / "out")


def test_a_sweep_json_of_somebody_else_is_refused(tmp_path: pathlib.Path) -> None:
    (tmp_path / "sweep.json").write_text("{}")
    assert "its sweep.json is damaged, or was not written by this flowstart" in refused(tmp_path)


def test_a_file_in_the_way_is_refused(tmp_path: pathlib.Path) -> None:
    (tmp_path / "file").write_text("")
    assert "this is a file, and a folder is needed" in refused(tmp_path / "file")
    assert "is a file, and a folder is needed" in refused(tmp_path / "file" / "deeper")


def test_a_folder_that_cannot_be_written_is_refused() -> None:
    assert "/proc cannot be written to" in refused(pathlib.Path("/proc/flowstart"))


def test_cells_that_have_changed_under_the_same_question_are_refused(
    tmp_path: pathlib.Path,
) -> None:
    @dataclasses.dataclass
    class Changed(MadeUp):
        @property
        def document(self) -> dict[str, Any]:
            return {"count": self.count, "path": {}}

    found = swept(tmp_path / "out", Changed())
    found.store.parts()[-1].unlink()
    with pytest.raises(RequestError, match=r"part 00000000-.* has other cells"):
        swept(tmp_path / "out", Changed(path={"loss": "1%"}))


def test_a_sweep_begun_meanwhile_is_not_mixed_with_another(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Store, "check", lambda *_: None)
    swept(tmp_path / "out")
    with pytest.raises(RequestError, match="it holds another sweep"):
        swept(tmp_path / "out", MadeUp(39))


def test_a_sweep_that_is_not_approved_writes_nothing(tmp_path: pathlib.Path) -> None:
    with pytest.raises(RequestError, match=r"about 80 runs: .* of processor time"):
        swept(tmp_path / "out", approve=lambda _: False)
    assert list(tmp_path.iterdir()) == []


# What fails.


def test_a_scenario_that_fails_is_a_row_with_its_error(tmp_path: pathlib.Path) -> None:
    found = swept(tmp_path / "out", MadeUp(path={"fails_at": "7Mbps"}))
    assert found.errors["cell"].to_list() == [6, 6]
    assert found.to_dict()["errors"] == 2
    assert found.height == 80


def test_a_batch_that_raises_is_noted_and_the_others_go_on(tmp_path: pathlib.Path) -> None:
    found = swept(tmp_path / "out", MadeUp(path={"raises_at": "7Mbps"}))
    assert len(found.failures) == 1
    assert found.failures[0].startswith("00000001-")
    assert found.failures[0].endswith(": ArithmeticError: made up")
    assert (found.height, found.store.complete) == (72, None)


def full(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


FULL = (
    "{}: cannot be written: No space left on device; finished runs are kept, and the same "
    "command resumes the sweep"
)


def test_a_full_disk_keeps_what_is_finished(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    count = iter(range(100))
    sync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda number: full() if next(count) > 9 else sync(number))
    with pytest.raises(SimulationError) as error:
        swept(out)
    assert str(error.value) == FULL.format(out)
    monkeypatch.undo()
    kept = len(Store(out).parts())
    assert 0 < kept < 10
    assert not list(out.rglob("*.partial"))
    assert swept(out).ran == 80 - 8 * kept
    assert contents(out) == contents_of_an_undisturbed(tmp_path)


def contents_of_an_undisturbed(tmp_path: pathlib.Path) -> dict[str, bytes]:
    swept(tmp_path / "undisturbed")
    return contents(tmp_path / "undisturbed")


@pytest.fixture
def disk(tmp_path: pathlib.Path) -> Iterator[pathlib.Path]:
    """A small file system of its own."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "flowstart-test", str(place)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("mounting a file system needs root")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_disk_that_is_really_full_keeps_what_is_finished(
    tmp_path: pathlib.Path, disk: pathlib.Path
) -> None:
    out = disk / "out"
    with pytest.raises(SimulationError) as error:
        swept(out, MadeUp(100))
    assert str(error.value) == FULL.format(out)
    assert not list(out.rglob("*.partial"))
    kept = Store(out).scan().collect()
    subprocess.run(["mount", "-o", "remount,size=2m", str(disk)], check=True)
    assert swept(out, MadeUp(100)).frame.equals(swept(tmp_path / "whole", MadeUp(100)).frame)
    assert 0 < kept.height < 200


@pytest.mark.slow
def test_a_limit_of_file_sizes_is_said_in_one_line(tmp_path: pathlib.Path) -> None:
    command = [sys.executable, made_up_sweep.__file__, str(tmp_path / "out")]
    limits = (12_000, resource.RLIM_INFINITY)
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limits),
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    last = done.stderr.strip().splitlines()[-1]
    assert last.endswith(
        f"SimulationError: {tmp_path}/out: cannot be written: File too large; finished runs are "
        "kept, and the same command resumes the sweep"
    )
