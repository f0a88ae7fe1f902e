"""Python's readers, fed with files that are nearly right; as a program, for as long as one likes.

    python tests/python/fuzz_readers.py --seconds 600 [TARGET ...]

A reader either answers or raises a RequestError of one line without control characters.
"""

import argparse
import gzip
import io
import lzma
import pathlib
import random
import resource
import sys
import tempfile
import time
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

import flowstart as fs
from flowstart.captures import qlog, server_log
from flowstart.errors import RequestError
from flowstart.model.quantities import Kind
from flowstart.sweeps.language import document, expressions
from flowstart.sweeps.language.expressions import Meaning

MOST_SECONDS = 10.0
"""An execution that takes longer of a processor fails."""
LONGEST = 2000
"""Letters of a refusal."""
NUMBERS = (b"0", b"-1", b"1e308", b"-1e-308", b"nan", b"inf", b"9" * 40, b"1" * 5000, b"2e9")
NAMES = {
    "rate": Meaning(Kind.RATE),
    "rtt": Meaning(Kind.TIME),
    "size": Meaning(Kind.SIZE),
    "bdp": Meaning(Kind.SIZE),
}

QLOG = (
    b'\x1e{"qlog_version":"0.3","qlog_format":"JSON-SEQ","trace":{"vantage_point":'
    b'{"type":"server"},"common_fields":{"ODCID":"ab","time_format":"relative",'
    b'"reference_time":5000.0}}}\n'
    b'\x1e{"time":1.0,"name":"quic:packet_received","data":{"raw":{"length":1252},"frames":'
    b'[{"frame_type":"stream","stream_id":0,"offset":0,"length":300}]}}\n'
    b'\x1e{"time":3.0,"name":"transport:packet_sent","data":{"frames":[{"frame_type":"stream",'
    b'"stream_id":0,"offset":0,"length":1200}]}}\n'
    b'\x1e{"time":40.0,"name":"recovery:metrics_updated","data":{"latest_rtt":36.5,'
    b'"min_rtt":36.5,"congestion_window":12000}}\n'
)
LOG = (
    b"msec,remote_addr,body_bytes_sent,tcpinfo_rtt,request_time\n"
    b"1700000003.5,192.0.2.8,1500,39000,0.5\n"
    b"1700000001.5,192.0.2.7,250000,41000,0.9\n"
    b"1700000004.0,2001:db8::1,9000,12000,0.1\n"
)
LINES = b'{"ts":1.5,"bytes":2000,"rtt":0.05}\n{"ts":2.5,"bytes":90000,"rtt":0.04}\n'
SWEEP = b"""seeds = 3
startups = ["slow-start", "hystart"]
stack = "linux"
[path]
rate = { log = ["1Mbps", "1Gbps"] }
rtt = ["5ms", "600ms"]
buffer = ["0.5bdp", "max(10pkt, 2bdp)"]
[flow]
size = ["100kB", "1MB"]
[competing]
kinds = ["alone", "long"]
[sample]
paths = 10
seed = 1
"""


@dataclass(frozen=True)
class Target:
    """A reader, and files that it reads."""

    read: Callable[[bytes], object]
    seeds: tuple[bytes, ...]
    tokens: tuple[bytes, ...]


def _file(suffix: str, read: Callable[[pathlib.Path], object]) -> Callable[[bytes], object]:
    path = pathlib.Path(tempfile.mkdtemp(prefix="flowstart-fuzz-")) / f"file{suffix}"

    def written(content: bytes) -> object:
        path.write_bytes(content)
        return read(path)

    return written


def captured(path: pathlib.Path) -> object:
    """What `capture` does, but in this process, which is fifty times as fast."""
    file = str(path)
    if qlog.is_qlog(file):
        return qlog.read([file]).summary
    if server_log.is_table(file):
        return server_log.read(file, {}).summary
    return fs.read_capture(path).summary


def _expression(content: bytes) -> object:
    text = content.decode("utf-8", "replace")
    return expressions.parse(text, ("path", "buffer"), NAMES)


def parquet(table: bytes) -> bytes:
    file = io.BytesIO()
    pl.read_csv(table).write_parquet(file)
    return file.getvalue()


TARGETS = {
    "qlog": Target(
        _file(".sqlog", captured),
        (QLOG, QLOG.replace(b"relative", b"delta")),
        (b"\x1e", b"null", b"[", b"{", b'"', b"[[[[[[[[", b'"\\ud800"', b'"\\u001b[2J"', b"true"),
    ),
    "server-log": Target(
        _file(".log", captured), (LOG, LINES), (b",", b"\n", b'"', b"ts", b"bytes", b"\x1b[2J")
    ),
    "packed": Target(
        _file(".log.gz", captured),
        (gzip.compress(LOG), lzma.compress(LOG), gzip.compress(QLOG), parquet(LOG)),
        (b"PAR1", b"\x1f\x8b", b"\0" * 8, b"\xff" * 8),
    ),
    "sweep": Target(
        _file(".toml", document.read),
        (SWEEP,),
        (b"=", b"[", b"]", b"{", b"}", b'"1bdp"', b'"\\u001b[2J"', b"'./x.py:Mine'", b"((((((((("),
    ),
    "expression": Target(
        _expression,
        (b"max(10pkt, 0.5bdp)", b"rate/10", b"2*rtt", b"-(size + 1MB)"),
        (b"(", b")", b"min(", b",", b"*", b"/", b"-", b"bdp", b"\x1b", b"\n", b"1e308"),
    ),
}


def mutated(target: Target, chance: random.Random) -> bytes:
    """A file that is nearly one of the target's."""
    content = bytearray(chance.choice(target.seeds))
    for _ in range(chance.randrange(7)):
        at = chance.randrange(len(content) + 1)
        end = min(len(content), at + chance.randrange(1, 40))
        match chance.randrange(6):
            case 0:
                del content[at:end]
            case 1:
                content[at:end] = chance.randbytes(end - at)
            case 2:
                content[at:at] = chance.choice(target.tokens)
            case 3:
                content[at:at] = content[at:end]
            case 4:
                content[at:end] = chance.choice(NUMBERS)
            case _:
                lines = bytes(content).splitlines(keepends=True)
                chance.shuffle(lines)
                content = bytearray(b"".join(lines))
    return bytes(content)


def execute(target: Target, content: bytes) -> None:
    """Raises where a reader does anything but answer or refuse in a sentence."""
    begin = time.process_time()
    try:
        target.read(content)
    except RequestError as error:
        said = str(error)
        hidden = [letter for letter in said if unicodedata.category(letter) == "Cc"]
        assert said.strip(), "it says nothing"
        assert not hidden, f"it says {said!r}"
        assert len(said) <= LONGEST, f"it says {len(said)} letters"
    assert time.process_time() - begin < MOST_SECONDS, "it took too long"


def main() -> int:
    """Every target for a while."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("targets", nargs="*", default=list(TARGETS), metavar="TARGET")
    asked = parser.parse_args()
    failed = 0
    for name in asked.targets:
        chance, count, slowest = random.Random(), 0, 0.0
        end = time.monotonic() + asked.seconds
        while time.monotonic() < end:
            content = mutated(TARGETS[name], chance)
            begin = time.process_time()
            try:
                execute(TARGETS[name], content)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
                failed += 1
                print(f"{name}: {error!r:.300} from {content!r}", file=sys.stderr)
                if failed >= 20:
                    return 1
            slowest = max(slowest, time.process_time() - begin)
            count += 1
        resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"{name:<12}{count:>12} executions, slowest {slowest * 1e3:.1f} ms, {resident:.0f} MB"
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
