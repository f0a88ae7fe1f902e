"""`fs.collect`: what the kernel measures of connections, as rows that a replay reads."""

import math
import pathlib
import threading
import time
from collections.abc import Callable, Iterator
from collections.abc import Sequence as Sequence  # of the types of the fields

from flowstart import _native
from flowstart.collection import outputs, rows
from flowstart.collection.result import Collection
from flowstart.errors import RequestError
from flowstart.interrupts import noting_ctrl_c
from flowstart.model.quantities import positive_seconds
from flowstart.questions.collect import Collect as Question
from flowstart.questions.common import port
from flowstart.questions.option import asking

EVERY_S = 0.25
"""How often the kernel's rows are fetched: its ring has room for 25,000."""

MOST_BYTES = 8 << 20
"""Rows are written when there are so many."""
MOST_CONNECTIONS = 100_000
"""At a time; each takes some 300 bytes of the kernel."""


@asking(Question)
def collect(question: Question) -> Collection:
    """Collects a row for each response of this machine's servers, until Ctrl-C or for a time.

    A connection counts from its opening on, while this runs. A Linux kernel with BTF, root and a
    build with the feature `linux` are needed.

    Returns:
        How much was collected.

    Raises:
        RequestError: An argument is wrong, or the machine or build lacks something.

    Example:
        >>> import flowstart as fs
        >>> found = fs.collect("rows", duration="10min", ports=[443])  # doctest: +SKIP
        >>> fs.read_capture("rows").transfers  # doctest: +SKIP
    """
    left_s = positive_seconds("duration", question.duration)
    collector = _collector(question)
    output = outputs.opened(question.output)
    began, count = time.time(), 0
    for block in _blocks(collector, output.every_s, left_s, question.progress):
        table = rows.table(block, question.hash_addresses)
        output.write(table)
        count += len(table)
    still_open, opened, skipped, lost = collector.counts()
    return Collection(
        output=question.output,
        rows=count,
        connections=opened,
        still_open=still_open,
        skipped=skipped,
        lost=lost,
        began=began,
        ended=time.time(),
    )


def _blocks(
    collector: "_native.Collector",
    every_s: float,
    left_s: float | None,
    progress: Callable[[int, int], object] | None,
) -> Iterator[bytes]:
    """The kernel's rows, all of some seconds at a time; until the time is over or Ctrl-C."""
    pressed = threading.Event()
    start = last = time.monotonic()
    end = math.inf if left_s is None else start + left_s
    block, is_over = b"", False
    with noting_ctrl_c(pressed):
        while not is_over:
            is_over = pressed.wait(max(0.0, min(EVERY_S, end - time.monotonic())))
            now = time.monotonic()
            is_over = is_over or now >= end
            block += collector.read()
            if block and (is_over or now - last >= every_s or len(block) > MOST_BYTES):
                yield block
                block, last = b"", now
            if progress and left_s:
                progress(int(min(left_s, now - start)), int(left_s))


def _collector(question: Question) -> "_native.Collector":
    """The program in the kernel. Raises RequestError where the machine or build lacks something."""
    ports = [port(each) for each in question.ports]
    if not hasattr(_native, "Collector"):
        raise RequestError(
            "`collect` is not in this build; `make live-linux` in a checkout on Linux adds it"
        )
    if len(ports) > _native.MOST_PORTS:
        raise RequestError(f"at most {_native.MOST_PORTS} are possible", ("ports",), len(ports))
    folder = cgroup(question.cgroup)
    sample, most = question.sample or 1, question.max_connections or MOST_CONNECTIONS
    return _native.Collector(str(folder), ports, int(sample), most)


MOUNTS = pathlib.Path("/proc/self/mounts")


def cgroup(name: str | None) -> pathlib.Path:
    """The folder of a cgroup. Raises RequestError where it is none of version 2."""
    mounts = [line.split() for line in MOUNTS.read_text().splitlines()]
    root = next((mount[1] for mount in mounts if mount[2] == "cgroup2"), None)
    if root is None:
        raise RequestError("cgroups of version 2 are needed, and none are mounted")
    folder = pathlib.Path(root, name or "")
    if not (folder / "cgroup.controllers").exists():
        raise RequestError(f"a cgroup below {root} is needed", ("cgroup",), name)
    return folder
