"""Files that a request names: regular, bounded, by their literal names, and not quoted."""

import os
import pathlib
import stat
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

import flowstart as fs
import peak
from flowstart.model import input_files
from flowstart.render import files
from flowstart.render.folder import NAME

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
    assert f"{file}: it is not a regular file" in answer.err
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


PATH = ("--rate", "5Mbps", "--rtt", "64ms", "--size", "10kB")
SPARSE_BYTES = 700_000_000
PEAK = f"""
import sys
from flowstart.cli import main
print(main(sys.argv[1:]))
{peak.PRINT}"""
TEXTS: dict[str, tuple[str, ...]] = {
    "replayed.json": ("deploy", "IW30", "--from", "replayed.json"),
    "scenario.toml": ("run", "scenario.toml"),
    "scenario.json": ("run", "scenario.json"),
    "compared.toml": ("compare", "compared.toml"),
    "sweep.toml": ("sweep", "sweep.toml", "-o", "out"),
    "variants.toml": ("compare", *PATH, "--variant", "./variants.toml"),
    "startup.py": ("compare", *PATH, "--startup", "./startup.py:Mine"),
    "trace": ("compare", "--rate-trace", "trace", *PATH[2:]),
    "log.csv": ("capture", "log.csv"),
    "log.sqlog": ("capture", "log.sqlog"),
    "log.pcap": ("capture", "log.pcap"),
    f"results/{NAME}": ("check", "results"),
}
"""Files of text, and commands that read them."""
BEGINNINGS = {"log.csv": "ts,bytes\n", "log.sqlog": '\x1e{"qlog_version":"0.3"}\n'}
"""How a file begins of which the content decides what it is."""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows the peak of a process")
@pytest.mark.parametrize("name", TEXTS)
def test_a_sparse_file_of_700_mb_takes_less_than_150_mb(tmp_path: pathlib.Path, name: str) -> None:
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(BEGINNINGS.get(name, ""))
    os.truncate(file, SPARSE_BYTES)
    words = [sys.executable, "-c", PEAK, *TEXTS[name]]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, cwd=tmp_path)
    status, most_bytes = map(int, done.stdout.splitlines()[-2:])
    assert status == (1 if name.startswith("results") else 2)
    assert done.stderr.count("\n") == (0 if name.startswith("results") else 1), done.stderr
    assert "Traceback" not in done.stderr
    assert most_bytes < 150_000_000
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", [name for name in TEXTS if not name.startswith("results")])
@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "loop"])
def test_no_text_is_read_from_what_is_no_file(
    cli: Cli, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, name: str, kind: str
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / name
    match kind:
        case "pipe":
            os.mkfifo(file)
        case "device":
            file.symlink_to("/dev/zero")
        case "folder":
            file.mkdir()
        case _:
            file.symlink_to(file)
    answer = cli(*TEXTS[name])
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.count("\n") == 1
    assert name in answer.err
    assert not (tmp_path / "out").exists()


def test_a_text_of_the_largest_size_is_read_and_a_byte_more_is_refused(
    tmp_path: pathlib.Path,
) -> None:
    file = tmp_path / "scenario.toml"
    file.write_text(SCENARIO + "#" * (input_files.MAX_BYTES - len(SCENARIO)))
    assert fs.run(file).frame.height == 1
    with file.open("a") as more:
        more.write("#")
    with pytest.raises(fs.RequestError, match=r"scenario.toml: it is larger than .* 4 MiB$"):
        fs.run(file)


def test_a_pipe_that_takes_the_place_of_a_file_is_not_waited_for(
    pipe: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(input_files, "check", lambda *_: None)
    assert input_files.content(pipe) == b""


def test_a_file_without_end_is_read_up_to_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_files, "check", lambda *_: None)
    with pytest.raises(fs.RequestError, match="larger than the limit"):
        input_files.content("/dev/zero")


def test_a_name_with_a_null_character_is_refused() -> None:
    with pytest.raises(fs.RequestError, match=r"'a\\x00b': a file's name has no null character"):
        fs.run("a\0b")


def test_what_results_hold_is_verified_a_block_at_a_time(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = files.document({"text": "x" * 1000})
    (tmp_path / "file").write_bytes(content)
    for block in (1, 7, 64, len(content) - 1, len(content)):
        monkeypatch.setattr(files, "BLOCK", block)
        assert files.is_intact(tmp_path / "file")
        assert files.contains(tmp_path / "file", b"x" * 1000)
        assert not files.contains(tmp_path / "file", b"x" * 1001)
    for at in (0, 500, len(content) - 70, len(content) - 1):
        changed = bytearray(content)
        changed[at] ^= 1
        (tmp_path / "file").write_bytes(changed)
        assert not files.is_intact(tmp_path / "file")


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"files": 1, "state": "complete", "command": None},
        {"files": [{"name": 1, "sha256": ""}], "state": "complete", "command": None},
        {"files": [], "state": "complete", "command": [1]},
        {"files": [], "state": 1, "command": None},
    ],
)
def test_a_manifest_of_others_is_refused(
    cli: Cli, tmp_path: pathlib.Path, said: dict[str, Any]
) -> None:
    (tmp_path / NAME).write_bytes(files.document(said))
    answer = cli("check", tmp_path)
    assert (answer.status, answer.out) == (2, "")
    assert answer.err == f"flowstart: {tmp_path / NAME}: it is not a manifest of flowstart\n"


def test_a_manifest_that_is_nested_by_the_thousand_is_no_manifest(
    cli: Cli, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / NAME).write_text("[" * 50_000)
    answer = cli("compare", *PATH, "-o", tmp_path / "out")
    assert answer.status == 2
    assert "which flowstart did not write" in answer.err
    assert (tmp_path / "out" / NAME).read_text() == "[" * 50_000
