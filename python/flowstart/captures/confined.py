"""Readers of files from outside, each call in a process of its own with limited memory.

A library that panics, recurses without end or takes all memory ends that process and no more.
"""

import contextlib
import os
import pathlib
import pickle
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from flowstart.captures.sources import Allowance, form
from flowstart.errors import RequestError
from flowstart.interrupts import end_with
from flowstart.simulation import bounds

P = ParamSpec("P")
Found = TypeVar("Found")
TICK_S = 0.01
"""How often the caller may end it: Ctrl-C, a time limit, a job that is cancelled."""
PROGRAM = "from flowstart.captures import confined; confined.main()"


def call(
    progress: Callable[[int, int | None], object] | None,
    kind: str,
    files: list[str],
    reader: Callable[P, Found],
    *args: P.args,
    **kwargs: P.kwargs,
) -> Found:
    """What `reader` returns of these files. Raises RequestError where it cannot read them.

    `kind` is what they hold, in words.
    """
    limit = bounds.current().limits.memory_bytes
    memory = int(min(Allowance(sum(map(_size, files))).memory, limit))
    with tempfile.TemporaryFile() as request, tempfile.TemporaryFile() as answer:
        pickle.dump((reader, args, kwargs), request)
        request.seek(0)
        with subprocess.Popen(
            [sys.executable, "-P", "-c", PROGRAM, str(os.getpid())],
            stdin=request,
            stdout=answer,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        ) as child:
            try:
                _wait(child, memory, progress)
            finally:
                child.kill()
        answer.seek(0)
        if child.returncode:
            raise RequestError(
                f"{files[0]} ({_format(files[0], kind)}) cannot be read: it is damaged, or needs "
                f"more than {memory >> 20} MiB of memory"
            )
        found = pickle.load(answer)
    if isinstance(found, BaseException):
        raise found
    return found  # type: ignore[no-any-return]


def _format(file: str, kind: str) -> str:
    """What a file holds, and in which compressed form."""
    with contextlib.suppress(OSError):
        return f"{kind}, {packed}" if (packed := form(file)) else kind
    return kind


def _size(file: str) -> int:
    try:
        return pathlib.Path(file).stat().st_size
    except OSError:
        return 0


def _wait(
    child: subprocess.Popen[bytes],
    memory: int,
    progress: Callable[[int, int | None], object] | None,
) -> None:
    """Waits until the process has ended, or takes more memory than it may."""
    while _resident(child.pid) <= memory:
        try:
            child.wait(TICK_S)
        except subprocess.TimeoutExpired:
            bounds.current().check_time()
            if progress:
                progress(0, None)
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
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the caller ends it
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    end_with(int(sys.argv[1]))  # the caller alone limits the memory of this process
    reader, args, kwargs = pickle.load(sys.stdin.buffer)
    with os.fdopen(os.dup(1), "wb") as answer:
        os.dup2(2, 1)
        found: Any
        try:
            found = reader(*args, **kwargs)
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001 # raised again by the caller
            found = error
        pickle.dump(found, answer)
