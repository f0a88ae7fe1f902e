"""Files that a request names: regular, by their literal names, and not quoted."""

import os
import pathlib
import stat
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

import flowstart as fs

Cli = Callable[..., Any]
ROWS = "ts,bytes\n1,{}\n"
SCENARIO = """[path]
rate = "5Mbps"
rtt = "64ms"
buffer = "60pkt"
[[flows]]
size = "10kB"
"""


@pytest.fixture
def pipe(tmp_path: pathlib.Path) -> pathlib.Path:
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


@pytest.mark.parametrize(
    "words",
    [("capture",), ("run",), ("compare",), ("sweep",)],
)
@pytest.mark.parametrize("device", [False, True])
def test_only_regular_files_are_opened(
    cli: Cli, tmp_path: pathlib.Path, pipe: pathlib.Path, words: tuple[str, ...], device: bool
) -> None:
    file = pathlib.Path("/dev/zero") if device else pipe
    more = ("-o", tmp_path / "out") if words == ("sweep",) else ()
    answer = cli(*words, file, *more)
    assert answer.status == 2
    assert answer.out == ""
    assert f"{file}: it is no regular file" in answer.err
    assert answer.err.count("\n") == 1
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("words", [("capture",), ("run",), ("compare",)])
@pytest.mark.parametrize("start", ["secret, word\n", "secret:word\n", "[secret\n"])
def test_a_refusal_quotes_nothing_of_what_is_no_known_format(
    cli: Cli, tmp_path: pathlib.Path, words: tuple[str, ...], start: str
) -> None:
    file = tmp_path / "file"
    file.write_text(start * 3)
    answer = cli(*words, file)
    assert answer.status == 2
    assert "secret" not in answer.err
    assert "word" not in answer.err


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_brackets_and_stars_in_the_name_of_a_log_are_literal(
    tmp_path: pathlib.Path, form: str
) -> None:
    for name, size in ((f"ab.{form}", 1), (f"a[b].{form}", 2), (f"a*.{form}", 3)):
        rows = pl.DataFrame({"ts": [1.0], "bytes": [size]})
        write: dict[str, Callable[[pathlib.Path], object]]
        write = {"csv": rows.write_csv, "jsonl": rows.write_ndjson, "parquet": rows.write_parquet}
        write[form](tmp_path / name)
    for name, size in ((f"a[b].{form}", 2), (f"a*.{form}", 3)):
        assert fs.read_capture(tmp_path / name).transfers["bytes"].to_list() == [size]


def test_brackets_in_the_name_of_a_folder_are_literal(cli: Cli, tmp_path: pathlib.Path) -> None:
    (tmp_path / "scenario.toml").write_text(SCENARIO)
    left = tmp_path / ".o[1].flowstart-left"
    left.mkdir()
    stored = fs.run(tmp_path / "scenario.toml", sink=tmp_path / "o[1]")
    assert stored.scan().collect().height == 1
    assert not left.exists()
    file = tmp_path / "sweep.toml"
    file.write_text(
        'startups = ["slow-start", "hystart"]\n[path]\nrate = "5Mbps"\nrtt = "64ms"\n'
        'buffer = "60pkt"\n[flow]\nsize = "10kB"\n'
    )
    answer = cli("sweep", file, "-o", tmp_path / "sw[1]", "--workers", "1")
    assert answer.status == 0, answer.err
    answer = cli("map", tmp_path / "sw[1]")
    assert "cannot be read" not in answer.err
