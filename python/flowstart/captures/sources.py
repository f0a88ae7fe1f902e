"""Files from outside as streams of bytes, unpacked on the way, and what each may grow to."""

import contextlib
import gzip
import io
import lzma
import os
import pathlib
import pickle
import resource
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Any, ParamSpec, TypeVar

from flowstart.errors import RequestError
from flowstart.interrupts import end_with, ignore_endings
from flowstart.simulation import bounds

FORMATS = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\0": "xz"}
"""Compressed formats by their first bytes."""
BROKEN = (OSError, EOFError, lzma.LZMAError, zlib.error)
"""What reading a damaged file raises."""
START = 16 << 10
"""Number of bytes that show what a file is: a first line of JSON has some kilobytes."""
MAX_LINE = 64 << 10
"""A longer line of text is refused, as in captures and conn.logs. Bytes"""
PIECE = 256
"""Damage hides so many packed bytes before it."""
BLOCK = 1 << 20
PARQUET = b"PAR1"
IN_PROCESS = 4 << 20
"""Bytes of text that this process reads itself: parsed they take up to 40 times as much."""


@dataclass(frozen=True)
class Allowance:
    """What a reader may make of a file of `size` bytes.

    A bomb is small and grows by a factor of a thousand, where a log grows by five to twenty.
    """

    size: int

    @classmethod
    def of(cls, file: str) -> "Allowance":
        """The allowance of a file."""
        return cls(pathlib.Path(file).stat().st_size)

    @property
    def content(self) -> int:
        """Bytes after decompression."""
        return max(64 << 20, 100 * self.size)

    @property
    def rows(self) -> int:
        """Rows of a table: each takes some bytes of a file, packed however well."""
        return max(250_000, self.size)

    @property
    def memory(self) -> int:
        """Resident bytes of the process that reads the file."""
        return (300 << 20) + 150 * self.size


class _Unpacked(io.RawIOBase):
    """A file's content, within its allowance; damage is refused with its format and position."""

    def __init__(self, file: str, stream: io.BufferedReader, form: str) -> None:
        self.file, self.stream, self.form = file, stream, form
        self.allowed = Allowance.of(file).content
        self.position = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        try:
            content = self.stream.read1(len(buffer))
        except BROKEN as error:
            raise RequestError(
                f"{self.file} is damaged {self.form}, after {self.position} bytes of content: "
                f"{error}"
            ) from None
        self.position += len(content)
        if self.position > self.allowed:
            raise RequestError(
                f"{self.file}: its {self.form} holds more than {self.allowed} bytes, too much for "
                "a file of its size; unpack it first"
            )
        buffer[: len(content)] = content
        return len(content)

    def close(self) -> None:
        self.stream.close()
        super().close()


def form(file: str) -> str | None:
    """The format that a file is compressed in; None where it is not."""
    with pathlib.Path(file).open("rb") as stream:
        start = stream.read(max(map(len, FORMATS)))
    return next((name for magic, name in FORMATS.items() if start.startswith(magic)), None)


def opened(file: str, block: int = BLOCK) -> io.BufferedReader:
    """The file's bytes, unpacked on the way if gzip's or xz's."""
    kind = form(file)
    opening: dict[str | None, Callable[[str, Any], Any]]
    opening = {"gzip": gzip.open, "xz": lzma.open, None: open}
    stream = opening[kind](file, "rb")
    return io.BufferedReader(_Unpacked(file, stream, kind or "file"), block)


@contextlib.contextmanager
def about(file: str) -> Iterator[None]:
    """Errors in reading this file are known as such, so that a folder may be read without it."""
    try:
        yield
    except RequestError as error:
        error.file = file
        raise


def start_of(file: str) -> bytes:
    """The first bytes; none where the file cannot be read."""
    try:
        with pathlib.Path(file).open("rb") as stream:
            return stream.read(START)
    except OSError:
        return b""


def unpacked(start: bytes) -> tuple[bytes, bool]:
    """What the first bytes hold, as far as they are whole; whether a packed file ends in them."""
    kind = next((name for magic, name in FORMATS.items() if start.startswith(magic)), None)
    if kind is None:
        return start, False
    unpacker: Any = lzma.LZMADecompressor()
    if kind == "gzip":
        unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
    content = b""
    with contextlib.suppress(*BROKEN):
        for offset in range(0, len(start), PIECE):
            content += unpacker.decompress(start[offset : offset + PIECE], START)
    return content[:START], unpacker.eof and not unpacker.unused_data


def lines(file: str, stream: IO[bytes]) -> Iterator[bytes]:
    """The blocks of a text. Raises RequestError for a line that is too long, and for too many."""
    allowed, rows, position, open_line = Allowance.of(file).rows, 0, 0, 0
    while block := stream.read(BLOCK):
        begin = -open_line
        while len(block) - begin > MAX_LINE:
            end = block.rfind(b"\n", max(begin, 0), begin + MAX_LINE)
            if end < 0:
                raise RequestError(
                    f"{file}: the line at byte {position + begin} is longer than {MAX_LINE} bytes"
                )
            begin = end + 1
        last = block.rfind(b"\n")
        open_line = len(block) - (begin if last < 0 else last + 1)
        rows += block.count(b"\n")
        check_rows(file, rows, allowed)
        position += len(block)
        yield block


def check_rows(file: str, rows: int, allowed: int | None = None) -> None:
    """Raises RequestError where a table has too many rows."""
    allowed = allowed or Allowance.of(file).rows
    if rows > allowed:
        raise RequestError(
            f"{file}: it holds more than {allowed} rows, too many for a file of its size"
        )


P = ParamSpec("P")
Found = TypeVar("Found")
TICK_S = 0.01
"""How often the caller may end it: Ctrl-C, a time limit, a job that is cancelled."""
PROGRAM = "from flowstart.captures import sources; sources.main()"
_reports: list[int] = []
"""The descriptor that this process reports progress to, if it reads for another one."""


def report(share: float) -> None:
    """Reports the share of the work that is done, from the process that reads."""
    for descriptor in _reports:
        os.write(descriptor, bytes([round(255 * share)]))


def call(
    progress: Callable[[int, int | None], object] | None,
    kind: str,
    files: list[str],
    reader: Callable[P, Found],
    *args: P.args,
    **kwargs: P.kwargs,
) -> Found:
    """What `reader` returns of these files. Raises RequestError where it cannot read them.

    `kind` is what they hold, in words. A process of its own reads what may need more memory than
    expected: Parquet, whose pages unpack without a limit, and more than `IN_PROCESS` bytes of text.
    """
    if _is_small(files):
        from polars.exceptions import PanicException

        try:
            with bounds.current().watched():
                return reader(*args, **kwargs)
        except PanicException:
            raise _damaged(files[0], kind) from None
    limit = bounds.current().limits.memory_bytes
    memory = int(min(Allowance(sum(map(_size, files))).memory, limit))
    with tempfile.TemporaryFile() as request, tempfile.TemporaryFile() as answer:
        pickle.dump((reader, args, kwargs), request)
        request.seek(0)
        reports, theirs = os.pipe()
        with (
            os.fdopen(reports, "rb", buffering=0) as stream,
            subprocess.Popen(
                [sys.executable, "-P", "-c", PROGRAM, str(os.getpid()), str(theirs)],
                stdin=request,
                stdout=answer,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs],
                env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            ) as child,
        ):
            os.close(theirs)
            os.set_blocking(reports, False)
            try:
                _wait(child, memory, _reporting(progress, stream, sum(map(_size, files))))
            finally:
                child.kill()
        answer.seek(0)
        if child.returncode:
            raise _damaged(files[0], kind, f", or needs more than {memory >> 20} MiB of memory")
        result = pickle.load(answer)
    if isinstance(result, BaseException):
        raise result
    return result  # type: ignore[no-any-return]


def _is_small(files: list[str]) -> bool:
    """Whether files are text of few bytes once unpacked."""
    left = IN_PROCESS
    for file in files:
        if not (start := start_of(file)) or start.startswith(PARQUET):
            return False
        try:
            with opened(file) as stream:
                left -= len(stream.read(left + 1))
        except RequestError:  # the reader reports damage
            return True
        if left < 0:
            return False
    return True


def _damaged(file: str, kind: str, more: str = "") -> RequestError:
    """That a reader has failed, with what the file holds, and in which compressed form."""
    packed = None
    with contextlib.suppress(OSError):
        packed = form(file)
    kind = f"{kind}, {packed}" if packed else kind
    return RequestError(f"{file} ({kind}) cannot be read: it is damaged{more}")


def _size(file: str) -> int:
    try:
        return pathlib.Path(file).stat().st_size
    except OSError:
        return 0


def _reporting(
    progress: Callable[[int, int | None], object] | None, stream: IO[bytes], size: int
) -> Callable[[], object]:
    """Passes on how many bytes of the files are read, by what the process reports."""
    done = 0

    def show() -> None:
        nonlocal done
        if reported := stream.read():
            done = size * reported[-1] // 255
        if progress:
            progress(done, size if size >= BLOCK else None)  # others are read at once

    return show


def _wait(child: subprocess.Popen[bytes], memory: int, show: Callable[[], object]) -> None:
    """Waits until the process has ended, or takes more memory than it may."""
    while _resident(child.pid) <= memory:
        try:
            child.wait(TICK_S)
        except subprocess.TimeoutExpired:
            bounds.current().check_time()
            show()
        else:
            return


def _resident(process: int) -> int:
    """Bytes that a process has in memory; 0 where the system does not show them, as macOS.

    A limit of the kernel's would count addresses, of which allocators reserve many times as much,
    and polars waits for ever for a thread whose allocation has failed.
    """
    try:
        pages = pathlib.Path(f"/proc/{process}/statm").read_text("ascii").split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * resource.getpagesize()


def main() -> None:
    """The process: reads a call from stdin and writes what it returns or raises to stdout."""
    ignore_endings()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    end_with(int(sys.argv[1]))  # the caller alone limits the memory of this process
    _reports.append(int(sys.argv[2]))
    reader, args, kwargs = pickle.load(sys.stdin.buffer)
    with os.fdopen(os.dup(1), "wb") as answer:
        os.dup2(2, 1)
        result: Any
        try:
            result = reader(*args, **kwargs)
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001 # raised again by the caller
            result = error
        pickle.dump(result, answer)
