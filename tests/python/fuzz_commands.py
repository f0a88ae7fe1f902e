"""Commands with `-o`, fed with files that are nearly right; as a program, for as long as one likes.

    python tests/python/fuzz_commands.py --seconds 600 [TARGET ...]

A command writes a whole folder of results, or refuses in one line and writes nothing. It reports no
defect and no warning of a library, and stays within ten seconds and the memory of a reader. It runs
in this process, with the readers that have a process each otherwise, which is fifty times as fast.
"""

import argparse
import contextlib
import gzip
import io
import lzma
import pathlib
import random
import re
import shutil
import sys
import tempfile
import time
import unicodedata
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from unittest import mock

import flowstart as fs
from flowstart import extras
from flowstart.captures import sources
from flowstart.cli import main as command
from flowstart.render import files, folder
from flowstart.sweeps import report
from fuzz_readers import LINES, LOG, LONGEST, MOST_SECONDS, QLOG, Target, mutated, parquet

ROOT = pathlib.Path(__file__).parents[2]
FIGURES_EACH = 50
"""One execution of so many draws its figures, which takes a hundred times as long."""
TOLERANCE = 1.1
"""By how much an execution may exceed the memory of a reader."""
SCENARIO_TOKENS = (
    *(b"=", b"[", b"]", b"{", b"}", b'"1bdp"', b'"./x.py:Mine"', b"true", b"[[flows]]\n"),
    *(b'rate_trace = "/dev/zero"\n', b'rate_trace = "file.toml"\n', b"count = 9\n", b"[[[[[["),
)
BYTES = (b"\0" * 8, b"\xff" * 8, b"\x0a\x0d\x0d\x0a", b"\xd4\xc3\xb2\xa1", b"\x1f\x8b\x08")
ZEEK = (b"\t", b"-", b"(empty)", b"#fields\t", b"{", b'"', b"\x1b[2J")
SWEEP = b"""startups = ["slow-start", "jump-start"]
[path]
rate = ["5Mbps", "20Mbps"]
rtt = "20ms"
buffer = "20pkt"
[flow]
size = "20kB"
"""
TRACED = '[path]\nrate_trace = "trace"\nrtt = "20ms"\n[[flows]]\nsize = "20kB"\n'
Words = list[str]


@dataclass(frozen=True)
class Command:
    """Files, their name, and what is run with them."""

    files: Target
    name: str
    runs: Callable[[str, random.Random], Words]


def _corpus(*names: str) -> tuple[bytes, ...]:
    """The seeds of the fuzzed entry points in Rust."""
    folders = [ROOT / "crates/fuzz" / kind / name for name in names
               for kind in ("corpus", "regressions")]  # fmt: skip
    found = [file for each in folders if each.is_dir() for file in sorted(each.iterdir())]
    return tuple(file.read_bytes() for file in found)


def _captures() -> tuple[bytes, ...]:
    """The small recordings, and two of them unpacked."""
    found = sorted((ROOT / "tests/data/captures").glob("small*.gz"))
    unpacked = [gzip.decompress(found[at].read_bytes()) for at in (1, 2)]
    return (*(file.read_bytes() for file in found), *unpacked)


def _fixed(*words: str) -> Callable[[str, random.Random], Words]:
    return lambda file, _: [word.replace("FILE", file) for word in words]


def _capture(file: str, chance: random.Random) -> Words:
    """Mostly what is in it; a replay takes a simulation of each transfer."""
    if chance.randrange(10):
        more = chance.choice(((), ("--details",), ("--anonymize",), ("--json",)))
        return ["capture", file, *more]
    return ["replay", file, "--no-uncertainty", "--workers", "1"]


def _scenario(file: str, chance: random.Random) -> Words:
    kind = chance.choice(("run", "run", "run", "compare"))
    return [kind, file, *(("--no-uncertainty",) if kind == "compare" else ()), *LIMITS]


PATH = ("--rate", "5Mbps", "--rtt", "20ms", "--size", "20kB", "--no-uncertainty")
LIMITS = ("--max-time", "2s", "--max-memory", "300MB")
TEXT = (b",", b"\n", b'"', b"ts", b"bytes", b"\x1b[2J", b"null", b"\t", b";")
COMMANDS = {
    "capture": Command(Target(print, _captures(), BYTES), "file.pcap", _capture),
    "packets": Command(
        Target(print, _corpus("pcap", "pcapng", "compressed"), BYTES), "file", _capture
    ),
    "zeek": Command(Target(print, _corpus("zeek"), ZEEK), "conn.log", _capture),
    "server-log": Command(Target(print, (LOG, LINES), TEXT), "file.log", _capture),
    "packed": Command(
        Target(print, (gzip.compress(LOG), lzma.compress(LOG), parquet(LOG)), BYTES),
        "file.log",
        _capture,
    ),
    "qlog": Command(
        Target(print, (QLOG, QLOG.replace(b"relative", b"delta")), TEXT), "file.sqlog", _capture
    ),
    "scenario": Command(
        Target(
            print,
            (
                *(s for s in _corpus("scenario") if not s.startswith(b"{")),
                *((ROOT / "examples" / f"{n}.toml").read_bytes() for n in ("scenario", "web")),
            ),
            SCENARIO_TOKENS,
        ),
        "file.toml",
        _scenario,
    ),
    "scenario-json": Command(
        Target(print, tuple(s for s in _corpus("scenario") if s.startswith(b"{")), SCENARIO_TOKENS),
        "file.json",
        _scenario,
    ),
    "trace": Command(
        Target(print, (b"1\n2\n2\n9\n", b"0\n100\n"), (b"\n", b"-", b"e", b"\0")),
        "trace",
        _fixed("run", "scenario.toml", *LIMITS),
    ),
    "sweep": Command(
        Target(print, (SWEEP,), (b"=", b"[", b"]", b'"1bdp"', b'"\\u001b[2J"', b"((((((((")),
        "file.toml",
        _fixed("sweep", "FILE", "--workers", "1", *LIMITS),
    ),
    "variants": Command(
        Target(
            print,
            (b'[[variant]]\nname = "a"\nstartup = "hystart"\nstack = "linux:iw=3"\n',),
            SCENARIO_TOKENS,
        ),
        "file.toml",
        _fixed("compare", *PATH, "--variant", "other: iw=10", "--variant", "./FILE", *LIMITS),
    ),
}
"""Commands that read one file and write a folder."""


def main() -> int:
    """Every target for a while."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600, help="of each target [600]")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("targets", nargs="*", default=[*COMMANDS, *FOLDER_RUNS], metavar="TARGET")
    asked = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as place, contextlib.chdir(place), in_this_process():
        for name in asked.targets:
            failed += repeated(name, asked.seconds, random.Random(asked.seed))
    return 1 if failed else 0


def repeated(name: str, seconds: float, chance: random.Random) -> int:
    """Executes a target for so long, prints a line, and returns how many executions failed."""
    count, refused, failed, slowest, largest = 0, 0, 0, 0.0, 0
    end = time.process_time() + seconds
    while time.process_time() < end:
        begin = time.process_time()
        try:
            with peak() as taken:
                refused += execute(name, chance)
        except Exception as error:  # noqa: BLE001 # whatever it is, it is what is looked for
            failed += 1
            print(f"{name}: {error!r:.700}", file=sys.stderr)
            kept = pathlib.Path(tempfile.mkdtemp(prefix=f"flowstart-fuzz-{name}-"))
            shutil.copytree(".", kept, dirs_exist_ok=True)
            print(f"{name}: its files are in {kept}", file=sys.stderr)
            if failed >= 10:
                break
        slowest = max(slowest, time.process_time() - begin)
        largest = max(largest, taken[0])
        count += 1
    print(
        f"{name:<14}{count:>9,} executions, {refused:,} refused, {failed} failed, "
        f"slowest {slowest:.1f} s, {largest / 1e6:.0f} MB at most",
        flush=True,
    )
    return failed


def execute(name: str, chance: random.Random) -> bool:
    """Runs a target once; whether that was refused. Raises AssertionError where it misbehaves."""
    return FOLDER_RUNS[name](chance) if name in FOLDER_RUNS else _once(COMMANDS[name], chance)


def _once(asked: Command, chance: random.Random) -> bool:
    """Runs a command with a mutated file."""
    _clear()
    pathlib.Path("scenario.toml").write_text(TRACED)
    file = pathlib.Path(asked.name)
    file.write_bytes(mutated(asked.files, chance))
    words = [*asked.runs(asked.name, chance), "-o", "out"]
    return _checked(words, sources.Allowance.of(str(file)).memory)


def _clear() -> None:
    for left in pathlib.Path().iterdir():
        if left.is_dir():
            shutil.rmtree(left)
        else:
            left.unlink()


def _checked(words: Words, memory: int, *, is_folder_kept: bool = False) -> bool:
    """Runs a command and asserts that it behaves; whether it refused."""
    begin = time.process_time()
    with peak() as taken:
        status, out, err = run(words)
    seconds = time.process_time() - begin
    case = f"{' '.join(words)}: status {status}: {err[:400]}"
    assert "a defect of flowstart" not in err, case
    assert "Traceback" not in err, case
    assert "Warning" not in err, case
    assert not [letter for letter in out + err if _is_control(letter)], case
    assert status in (0, 1, 2), case
    lines = [line for line in err.splitlines() if not line.startswith("flowstart: warning: ")]
    assert all(len(line) <= LONGEST for line in lines), case
    if status == 2:
        assert len(lines) == 1, case
    output = pathlib.Path("out")
    if status == 2 and not is_folder_kept:
        assert not output.exists(), case
        assert not [left for left in pathlib.Path().iterdir() if left.name.startswith(".")], case
    elif (output / folder.NAME).exists():
        assert not folder.damaged_files(output), case
    assert seconds < MOST_SECONDS, f"{seconds:.0f} s: {case}"
    assert taken[0] < TOLERANCE * memory, f"{taken[0] >> 20} MiB: {case}"
    return status == 2


def _is_control(letter: str) -> bool:
    return letter != "\n" and unicodedata.category(letter) == "Cc"


def run(words: Words) -> tuple[int, str, str]:
    """Runs a command line in this process: its status and output."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = command(words)
    return status, out.getvalue(), err.getvalue()


@contextlib.contextmanager
def peak() -> Iterator[list[int]]:
    """How many bytes this process takes at most, beyond what it has; 0 elsewhere than on Linux."""
    taken = [0]
    status, refs = pathlib.Path("/proc/self/status"), pathlib.Path("/proc/self/clear_refs")

    def field(name: str) -> int:
        lines = status.read_text().splitlines()
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith(name))

    if not refs.exists():
        yield taken
        return
    refs.write_text("5")  # proc(5): resets the peak
    before = field("VmRSS")
    yield taken
    taken[0] = field("VmHWM") - before


def _swept() -> dict[str, bytes]:
    """The files of a small sweep."""
    place = pathlib.Path("swept")
    pathlib.Path("sweep.toml").write_bytes(SWEEP)
    report.write(fs.sweep("sweep.toml", place, workers=1))
    found = {str(f.relative_to(place)): f.read_bytes() for f in place.rglob("*") if f.is_file()}
    _clear()
    return found


def _compared() -> dict[str, bytes]:
    """The files of a small comparison."""
    status, _, err = run(["compare", *PATH, "-o", "out"])
    assert status == 0, err
    found = {file.name: file.read_bytes() for file in pathlib.Path("out").iterdir()}
    _clear()
    return found


def damaged(known: dict[str, bytes], chance: random.Random) -> None:
    """Puts the files into `swept`, one of them mutated, and sealed again or not."""
    _clear()
    at = chance.choice([name for name in known if known[name]])
    content = mutated(Target(print, (known[at],), (*BYTES, *TEXT)), chance)
    if chance.randrange(2):
        content = _sealed_again(content)
    for name, right in (known | {at: content}).items():
        file = pathlib.Path("swept") / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(right)
    pathlib.Path("sweep.toml").write_bytes(SWEEP)


def _sealed_again(content: bytes) -> bytes:
    """The content with the digest that it should have, as somebody might who changes it."""
    begin, name, end = content.rpartition(files.FIELD.encode())
    blank = re.sub(rb"^(\W{2,4})[0-9a-f]{64}", rb"\g<1>" + files.BLANK.encode(), end)
    return files.seal(begin + name + blank) if name and blank != end else content


def _in_folder(
    make: Callable[[], dict[str, bytes]], *words: str, output: bool
) -> Callable[[random.Random], bool]:
    """What runs a command on a folder of results in which one file is wrong."""
    known: dict[str, bytes] = {}

    def execute(chance: random.Random) -> bool:
        known.update(known or make())
        damaged(known, chance)
        more = ("-o", "out") if output else ()
        size = sum(map(len, known.values()))
        return _checked([*words, *more], (300 << 20) + 150 * size, is_folder_kept=not output)

    return execute


FOLDER_RUNS = {
    "map": _in_folder(_swept, "map", "swept", output=True),
    "check": _in_folder(_swept, "check", "swept", output=False),
    "resume": _in_folder(
        _swept, "sweep", "sweep.toml", "-o", "swept", "--workers", "1", output=False
    ),
    "results": _in_folder(_compared, "check", "swept", output=False),
}
"""Commands on a folder of results in which one file is wrong."""


@contextlib.contextmanager
def in_this_process() -> Iterator[None]:
    """Has readers work here, and figures drawn now and then only."""
    real_call, real_missing, count = sources.call, extras.missing, 0

    def call(_: Any, kind: str, paths: list[str], reader: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return reader(*args, **kwargs)
        except fs.RequestError:
            raise
        except BaseException:  # noqa: BLE001 # a panic that ends the reader's process only
            return real_call(None, kind, paths, reader, *args, **kwargs)

    def missing(extra: extras.Extra) -> list[str]:
        nonlocal count
        count += 1
        return ["matplotlib"] if extra == "plot" and count % FIGURES_EACH else real_missing(extra)

    with (
        mock.patch.object(sources, "call", call),
        mock.patch.object(extras, "missing", missing),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("always")
        yield


if __name__ == "__main__":
    sys.exit(main())
