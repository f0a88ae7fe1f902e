"""`flowstart sweep` and `fs.sweep`: what they say, refuse, and leave."""

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

import polars as pl
import pytest

import flowstart as fs
from flowstart.maps import sweep_result
from flowstart.sweeps.execution import execute
from flowstart.sweeps.language import named
from flowstart.sweeps.runs.batch import run_cells

Cli = Callable[..., Any]
SWEEP = """
startups = ["slow-start", "jump-start"]
[path]
rate = ["5Mbps", "20Mbps"]
rtt = "20ms"
[flow]
size = {sizes}
"""
OTHERS = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def write(folder: pathlib.Path, sizes: str = '["10kB", "30kB"]') -> pathlib.Path:
    file = folder / "sweep.toml"
    file.write_text(SWEEP.format(sizes=sizes))
    return file


@pytest.fixture
def file(tmp_path: pathlib.Path) -> pathlib.Path:
    return write(tmp_path)


def test_a_sweep_says_where_its_rows_are_and_what_comes_next(
    cli: Cli, tmp_path: pathlib.Path, file: pathlib.Path
) -> None:
    out = tmp_path / "out"
    words = ("sweep", file, "-o", out, "--workers", "1")
    next_line = f"Next: flowstart map {out}\n"
    assert cli(*words) == (0, f"8 rows in {out}/parts: 8 run now\n{next_line}", "")
    again = f"8 rows in {out}/parts: 0 run now, 8 from earlier\n{next_line}"
    assert cli(*words) == (0, again, "")
    assert pl.read_parquet(f"{out}/parts/*.parquet")["fct_s"].null_count() == 0


def test_json_is_one_document_and_nothing_else(
    cli: Cli, tmp_path: pathlib.Path, file: pathlib.Path
) -> None:
    answer = cli("sweep", file, "-o", tmp_path / "out", "--workers", "1", "--json")
    assert answer.err == ""
    found = json.loads(answer.out)
    assert found["folder"] == str(tmp_path / "out")
    assert (found["cells"], found["rows"], found["ran"], found["errors"]) == (4, 8, 8, 0)


def test_a_window_is_that_of_every_stack(
    cli: Cli, tmp_path: pathlib.Path, file: pathlib.Path
) -> None:
    file.write_text('stack = ["linux", "quinn"]\n' + file.read_text())
    words = ("sweep", file, "-o", tmp_path / "out", "--workers", "1")
    assert cli(*words, "--window", "5kB").status == 0
    rows = pl.read_parquet(f"{tmp_path}/out/parts/*.parquet").filter(pl.col("size_bytes") > 20_000)
    windows = rows.filter(pl.col("startup") == "slow-start")["limited_by"].unique().sort()
    assert windows.to_list() == ["receive-window", "stream-flow-control"]
    *_, last = cli(*words, "--window", "50kB").err.splitlines()
    assert "holds another sweep" in last


def test_a_field_that_a_sweeps_stack_has_is_not_given_twice(
    cli: Cli, tmp_path: pathlib.Path, file: pathlib.Path
) -> None:
    file.write_text('stack = "linux:receiver=chrome"\n' + file.read_text())
    answer = cli("sweep", file, "-o", tmp_path / "out", "--receiver", "firefox")
    assert (answer.status, answer.out) == (2, "")
    assert answer.err == "flowstart: --receiver: the sweep's stack has receiver chrome\n"


def test_what_made_no_difference_is_said(cli: Cli, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "sweep.toml"
    file.write_text("seeds = 3\n" + SWEEP.format(sizes='"10kB"'))
    answer = cli("sweep", file, "-o", tmp_path / "out", "--workers", "1")
    assert "seeds made no difference to 4 of 6 cells: not run again\n" in answer.out


@pytest.mark.slow
def test_from_python_a_mapping_says_the_same_as_a_file(
    tmp_path: pathlib.Path, file: pathlib.Path
) -> None:
    asked = {
        "startups": ["slow-start", "jump-start"],
        "path": {"rate": ["5Mbps", "20Mbps"], "rtt": "20ms"},
        "flow": {"size": ["10kB", "30kB"]},
    }
    one = fs.sweep(asked, tmp_path / "one", workers=1)
    other = fs.sweep(file, tmp_path / "other", workers=2)
    assert one.frame.equals(other.frame)
    assert one.errors.is_empty()


def test_rows_are_those_of_a_comparison(tmp_path: pathlib.Path, file: pathlib.Path) -> None:
    table = fs.sweep(file, tmp_path / "out", workers=1).frame
    path = fs.NetworkPath(rate="5Mbps", rtt="20ms")
    startups = ["slow-start", "jump-start"]
    compared = fs.compare(path, startups=startups, sizes=["10kB", "30kB"])
    times = table.filter(rate_bps=5e6).select("startup", "size_bytes", "fct_s")
    expected = compared.frame.select("startup", "size_bytes", "fct_s")
    assert sorted(times.rows()) == sorted(expected.rows())


# What is refused.


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "SWEEP.toml is missing: flowstart sweep SWEEP.toml -o DIR"),
        (("x.toml",), "-o DIR is missing: flowstart sweep SWEEP.toml -o DIR"),
        (("x.toml", "-o", "out"), "x.toml: there is no such file"),
        (
            ("x.toml", "-o", "out", "--workers", "2", "--dask", "tcp://127.0.0.1:9"),
            "--workers: contradicts --dask; give one of the two",
        ),
    ],
)
def test_a_request_that_is_not_right_is_refused_in_one_line(
    cli: Cli, words: tuple[str, ...], message: str
) -> None:
    assert cli("sweep", *words) == (2, "", f"flowstart: {message}\n")


def test_a_wrong_field_is_refused_with_its_file_and_nothing_is_written(
    cli: Cli, tmp_path: pathlib.Path, file: pathlib.Path
) -> None:
    file.write_text(file.read_text().replace("20Mbps", "20Mbs"))
    answer = cli("sweep", file, "-o", tmp_path / "out")
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith(f"flowstart: {file}: path.rate")
    assert len(answer.err.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_a_part_needs_a_split(cli: Cli, tmp_path: pathlib.Path, file: pathlib.Path) -> None:
    answer = cli("sweep", file, "-o", tmp_path / "out", "--split", "train")
    assert (answer.status, answer.out) == (2, "")
    assert "`train`" in answer.err and "[split]" in answer.err


def test_a_sweep_that_takes_long_needs_yes_where_nobody_can_be_asked(
    cli: Cli, tmp_path: pathlib.Path, file: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(execute, "SMALL", 0)
    monkeypatch.setattr(execute, "MODEST_S", 0)
    out = tmp_path / "out"
    answer = cli("sweep", file, "-o", out, "--workers", "1")
    assert (answer.status, answer.out) == (2, "")
    said, refused = answer.err.splitlines()
    assert said.startswith("flowstart: about 8 runs: ")
    assert refused.endswith("; for more than an hour, say that it is meant with --yes")
    assert not out.exists()
    assert cli("sweep", file, "-o", out, "--workers", "1", "--yes").status == 0


# What fails.


def failing(*given: Any) -> pl.DataFrame:
    """Rows of which one has failed."""
    one = (pl.col("cell") == 2) & (pl.col("startup") == "jump-start")
    return run_cells(*given).with_columns(error=pl.when(one).then(pl.lit("no way")))


def test_scenarios_that_fail_are_counted_and_the_command_fails(
    cli: Cli, tmp_path: pathlib.Path, file: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep_result, "run_cells", failing)
    answer = cli("sweep", file, "-o", tmp_path / "out", "--workers", "1")
    assert answer.status == 1
    assert answer.out.startswith("8 rows")
    assert answer.err == (
        "flowstart: 1 of 8 runs failed; the column `error` has the reason, first of cell 2 with "
        "jump-start: no way\n"
    )


def broken(*_: Any) -> pl.DataFrame:
    raise ArithmeticError("no way")


def test_batches_without_rows_are_named_and_the_command_fails(
    cli: Cli, tmp_path: pathlib.Path, file: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep_result, "run_cells", broken)
    answer = cli("sweep", file, "-o", tmp_path / "out", "--workers", "1")
    assert (answer.status, answer.out.splitlines()[0][:6]) == (1, "0 rows")
    assert answer.err.endswith("ArithmeticError: no way; the same command tries them again\n")
    monkeypatch.setattr(sweep_result, "run_cells", run_cells)
    assert cli("sweep", file, "-o", tmp_path / "out", "--workers", "1").status == 0


# Sweeps that ship.


@pytest.fixture
def ours(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that ships, and no other."""
    folder = tmp_path / "named"
    folder.mkdir()
    about = 'about = "two rates"\n'
    (folder / "small-one.toml").write_text(about + SWEEP.format(sizes='"10kB"'))
    monkeypatch.setattr(named, "_folder", lambda: folder)


@pytest.mark.usefixtures("ours")
def test_sweeps_that_ship_are_listed_and_run_by_name(cli: Cli, tmp_path: pathlib.Path) -> None:
    assert ["small-one", "two", "rates"] in [
        line.split() for line in cli("sweep", "--list").out.splitlines()
    ]
    assert json.loads(cli("sweep", "--list", "--json").out) == [
        {"name": "small-one", "about": "two rates"}
    ]
    assert cli("sweep", "small-one", "-o", tmp_path / "out", "--workers", "1").status == 0


@pytest.mark.usefixtures("ours")
def test_a_name_that_is_nearly_right_is_answered_with_the_right_one(
    cli: Cli, tmp_path: pathlib.Path
) -> None:
    message = (
        "no sweep is called `smal-one`, and the name of a sweep file ends with .toml; did you mean "
        "`small-one`?"
    )
    assert cli("sweep", "smal-one", "-o", tmp_path / "out") == (2, "", f"flowstart: {message}\n")


# Ctrl-C and kills of the command itself.


def command(file: pathlib.Path, out: pathlib.Path) -> "subprocess.Popen[str]":
    words = [sys.executable, "-m", "flowstart", "sweep", str(file), "-o", str(out), "--yes"]
    return subprocess.Popen(
        [*words, "--workers", "2"],
        env=OTHERS,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def large(folder: pathlib.Path, paths: int) -> pathlib.Path:
    """The file of a sweep of so many paths, 1 MB each."""
    file = folder / "large.toml"
    file.write_text(
        'startups = "all"\nstack = "linux"\n'
        '[path]\nrate = { log = ["1Mbps", "1Gbps"] }\nrtt = { log = ["5ms", "600ms"] }\n'
        '[flow]\nsize = "1MB"\n'
        f"[sample]\npaths = {paths}\n"
    )
    return file


def parts(out: pathlib.Path) -> int:
    return len(list(out.glob("parts/*.parquet")))


@pytest.mark.slow
def test_ctrl_c_ends_the_command_and_the_same_one_goes_on(tmp_path: pathlib.Path) -> None:
    file, out = large(tmp_path, 400), tmp_path / "out"
    process = command(file, out)
    while not parts(out):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    kept = pl.read_parquet(f"{out}/parts/*.parquet").height
    assert process.returncode == 130
    assert said.splitlines()[-1] == (
        f"flowstart: stopped by Ctrl-C: {kept:,} rows are kept in {out}, and the same command "
        "resumes the sweep"
    )
    again = fs.sweep(file, out, workers=2)
    assert again.height == kept + again.ran


@pytest.mark.long
def test_fifty_kills_leave_the_table_of_an_undisturbed_sweep(tmp_path: pathlib.Path) -> None:
    file, out = large(tmp_path, 8000), tmp_path / "killed"
    moments = random.Random(1)
    seen = set()
    for _ in range(50):
        process = command(file, out)
        before, goes_on = parts(out), moments.random() < 0.6
        while goes_on and parts(out) == before:
            assert process.poll() is None
            time.sleep(0.01)
        time.sleep(moments.uniform(0.0, 1.5))
        process.kill()
        process.communicate()
        seen.add(parts(out))
    assert len(seen) > 20
    killed = fs.sweep(file, out, workers=2)
    assert killed.frame.equals(fs.sweep(file, tmp_path / "whole", workers=2).frame)
