"""Small files that grow: refused in one line, in little memory."""

import gzip
import lzma
import pathlib
import subprocess
import sys
import time
from collections.abc import Callable, Iterable

import polars as pl
import pytest

import flowstart as fs
import peak
from flowstart.captures import sources
from flowstart.errors import RequestError

HERE = pathlib.Path(__file__)
MOST_BYTES = 500_000_000
READ = f"""
import sys
import flowstart as fs
try:
    fs.read_capture(sys.argv[1])
except fs.RequestError as error:
    print(error)
else:
    print("read")
{peak.PRINT}"""
MAKE = """
import pathlib, sys, test_bombs
test_bombs.BOMBS[sys.argv[1]][0](pathlib.Path(sys.argv[2]))
"""
WAIT = """
import sys, time
from flowstart.captures import sources
sources.call(print, "qlog", [sys.argv[1]], time.sleep, 60)
"""
HEADER = b"ts,bytes\n"


def packed(file: pathlib.Path, pieces: Iterable[bytes]) -> None:
    is_gzip = file.suffix == ".gz"
    with gzip.open(file, "wb") if is_gzip else lzma.open(file, "wb", preset=0) as stream:
        stream.writelines(pieces)


def one_line(file: pathlib.Path) -> None:
    packed(file, [HEADER, *[b"1" * 1_000_000] * 500])


def many_rows(file: pathlib.Path) -> None:
    packed(file, [HEADER, *[b"1,2\n" * 250_000] * 100])


def wide_rows(file: pathlib.Path) -> None:
    row = b"1,2," + b"x" * 60_000 + b"\n"
    packed(file, [b"ts,bytes,note\n", *[row * 20] * 300])


def json_rows(file: pathlib.Path) -> None:
    packed(file, [b'{"ts":1,"bytes":2}\n' * 50_000] * 40)


def json_of_nothing(file: pathlib.Path) -> None:
    packed(file, [b'{"qlog_version":"0.3","traces":[', b"[],[]," * 10_000_000, b"[]]}"])


def parquet_rows(file: pathlib.Path) -> None:
    rows = pl.select(ts=pl.repeat(1.0, 20_000_000), bytes=pl.repeat(2, 20_000_000))
    rows.write_parquet(file, compression="zstd")


def parquet_text(file: pathlib.Path) -> None:
    text = pl.select(ts=pl.repeat("1" * 10_000_000, 200), bytes=pl.repeat("2", 200))
    text.write_parquet(file, compression="zstd")


def zstandard(file: pathlib.Path) -> None:
    rows = pl.select(ts=pl.repeat(1.0, 20_000_000), bytes=pl.repeat(2, 20_000_000))
    rows.lazy().sink_csv(file, compression="zstd", check_extension=False)


def columns(file: pathlib.Path) -> None:
    packed(file, [HEADER[:-1], *[f",c{number}".encode() for number in range(1_000_000)]])


def nested(file: pathlib.Path) -> None:
    packed(file, [gzip.compress(HEADER + b"1,2\n" * 50_000_000)])


def deep_json(file: pathlib.Path) -> None:
    file.write_bytes(b'{"ts":1,"bytes":2,"x":' + b"[" * 30_000 + b"]" * 30_000 + b"}\n")


def deep_qlog(file: pathlib.Path) -> None:
    packed(file, [b'{"qlog_version":"0.3","traces":', b"[" * 10_000_000, b"]" * 10_000_000, b"}"])


BOMBS: dict[str, tuple[Callable[[pathlib.Path], None], str]] = {
    "line.gz": (one_line, "is longer than 65536 bytes"),
    "line.xz": (one_line, "is longer than 65536 bytes"),
    "rows.gz": (many_rows, "it holds more than 250000 rows"),
    "wide.gz": (wide_rows, "gzip holds more than 67108864 bytes"),
    "rows.jsonl.gz": (json_rows, "it holds more than 250000 rows"),
    "nothing.qlog.gz": (json_of_nothing, "(qlog, gzip) cannot be read"),
    "rows.parquet": (parquet_rows, "it holds more than 250000 rows"),
    "text.parquet": (parquet_text, "(Parquet) cannot be read"),
    "columns.xz": (columns, "is longer than 65536 bytes"),
    "nested.gz": (nested, "is not a capture"),
    "deep.jsonl": (deep_json, "its header cannot be read"),
    "deep.qlog.gz": (deep_qlog, "it is not a JSON object"),
    "rows.zst": (zstandard, "is not a capture"),
}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc")
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_of_each_format_is_refused_in_less_than_500_mb(
    tmp_path: pathlib.Path, name: str
) -> None:
    said = BOMBS[name][1]
    file = tmp_path / name
    # In a process of its own: the peak of this one would count as that of its children.
    subprocess.run([sys.executable, "-c", MAKE, name, str(file)], check=True, cwd=HERE.parent)
    assert file.stat().st_size < 500_000
    read = [sys.executable, "-c", READ, str(file)]
    done = subprocess.run(read, capture_output=True, text=True, check=True, timeout=60)
    message, most_bytes = done.stdout.splitlines()
    assert said in message
    assert str(file) in message
    assert int(most_bytes) <= MOST_BYTES


def test_a_reader_that_ends_is_a_refusal_that_names_the_file_and_its_format(
    tmp_path: pathlib.Path,
) -> None:
    file = tmp_path / "damaged"
    file.write_bytes(gzip.compress(bytes(sources.IN_PROCESS + 1)))
    with pytest.raises(RequestError, match=rf"{file} \(qlog, gzip\) cannot be read: it is damaged"):
        sources.call(None, "qlog", [str(file)], sys.exit, 3)


def test_a_caller_that_is_cancelled_ends_the_reader(tmp_path: pathlib.Path) -> None:
    class Cancelled(Exception):
        pass

    def cancel(*_: object) -> None:
        raise Cancelled

    begin = time.monotonic()
    with pytest.raises(Cancelled):
        sources.call(cancel, "qlog", [str(tmp_path)], time.sleep, 60)
    assert time.monotonic() - begin < 50  # it would have slept for a minute


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with its caller")
def test_a_reader_ends_with_a_caller_that_is_killed(tmp_path: pathlib.Path) -> None:
    (tmp_path / "log").write_bytes(sources.PARQUET)
    wait = [sys.executable, "-u", "-c", WAIT, str(tmp_path / "log")]
    with subprocess.Popen(wait, stdout=subprocess.PIPE) as caller:
        assert caller.stdout is not None
        for _ in range(100):  # a second: the reader has begun
            caller.stdout.readline()
        children = pathlib.Path(f"/proc/{caller.pid}/task/{caller.pid}/children").read_text()
        caller.kill()
    end = time.monotonic() + 5
    while pathlib.Path(f"/proc/{int(children)}").exists() and time.monotonic() < end:
        time.sleep(0.01)
    assert not pathlib.Path(f"/proc/{int(children)}").exists()


def test_lines_are_measured_across_blocks(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "BLOCK", 1000)
    file = tmp_path / "log"
    longest = b"x" * (sources.MAX_LINE - 1) + b"\n"
    file.write_bytes(b"a\n" + 3 * longest)
    with sources.opened(str(file)) as stream:
        assert b"".join(sources.lines(str(file), stream)) == file.read_bytes()
    file.write_bytes(b"a\n" + longest + b"y" + longest)
    at = 2 + len(longest)
    with (
        sources.opened(str(file)) as stream,
        pytest.raises(RequestError, match=f"line at byte {at} is longer than 65536 bytes"),
    ):
        list(sources.lines(str(file), stream))


def test_a_short_text_is_read_in_this_process(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(subprocess, "Popen")
    file = tmp_path / "log.csv.gz"
    row = "2024-01-01T00:00:{:02},10000,0.2,0.05\n"
    lines = ["time,bytes,duration,rtt\n", *(row.format(second % 60) for second in range(1000))]
    file.write_bytes(gzip.compress("".join(lines).encode()))
    assert fs.read_capture(file, columns={"rtt": "rtt:s"}).transfers.height == 1000
