"""Folders of results."""

import pathlib

import pytest

from flowstart import RequestError, SimulationError
from flowstart.cli import output


def test_files_appear_and_others_stay(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "a" / "b"
    output.write(folder, {"one": b"1"})
    output.write(folder, {"two": b"2", "one": b"new"})
    assert {f.name: f.read_bytes() for f in folder.iterdir()} == {"one": b"new", "two": b"2"}


def test_checking_leaves_nothing(tmp_path: pathlib.Path) -> None:
    output.check(tmp_path / "a" / "b")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("below", ["file", "file/deeper"])
def test_a_file_in_the_way_is_refused(tmp_path: pathlib.Path, below: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RequestError, match="is a file"):
        output.check(tmp_path / below)


def test_a_folder_that_cannot_be_written_is_refused() -> None:
    with pytest.raises(RequestError, match="/proc cannot be written to"):
        output.check(pathlib.Path("/proc/flowstart"))


def test_failing_leaves_no_half_file(tmp_path: pathlib.Path) -> None:
    with pytest.raises(SimulationError, match="cannot be written"):
        output.write(tmp_path, {"one": b"1", "missing/two": b"2"})
    assert list(tmp_path.iterdir()) == []
