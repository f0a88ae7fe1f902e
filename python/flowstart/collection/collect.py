"""`fs.collect`: what the kernel measures of connections, as rows that a replay reads."""

import pathlib
import threading
import time
from collections.abc import Callable as Callable  # of the types of the fields
from collections.abc import Sequence as Sequence  # the same

from flowstart import _native
from flowstart.collection import outputs, rows
from flowstart.collection.result import Collection
from flowstart.errors import RequestError
from flowstart.interrupts import noting_ctrl_c
from flowstart.model.quantities import read_seconds
from flowstart.questions.collect import Collect as Question
from flowstart.questions.option import asking

EVERY_S = 0.25
"""How often the kernel's rows are fetched: its ring has room for 25,000."""

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
        >>> found = fs.collect("rows", duration="10m", ports=[443])  # doctest: +SKIP
        >>> fs.read_capture("rows").transfers  # doctest: +SKIP
    """
    left_s = _seconds(question)
    collector = _collector(question)
    output = outputs.opened(question.output)
    pressed = threading.Event()
    began, count = time.time(), 0
    end = None if left_s is None else time.monotonic() + left_s
    with noting_ctrl_c(pressed):
        is_over = False
        while not is_over:
            wait_s = EVERY_S if end is None else max(0.0, min(EVERY_S, end - time.monotonic()))
            is_over = pressed.wait(wait_s) or (end is not None and time.monotonic() >= end)
            if block := collector.read():
                found = rows.table(block, question.hash_addresses)
                output.add(found)
                count += len(found)
            if question.progress and left_s:
                question.progress(int(min(left_s, time.time() - began)), int(left_s))
        output.close()
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


def _seconds(question: Question) -> float | None:
    """For how long it collects; None until Ctrl-C."""
    if question.duration is None:
        return None
    seconds = read_seconds(question.duration)
    if not seconds:
        raise RequestError("a time such as 10m is needed", ("duration",), question.duration)
    return seconds


def _collector(question: Question) -> "_native.Collector":
    """The program in the kernel. Raises RequestError where the machine or build lacks something."""
    ports = [_port(port) for port in question.ports]
    if not hasattr(_native, "Collector"):
        raise RequestError(
            "`collect` is not in this build; `make live-linux` in a checkout on Linux adds it"
        )
    if len(ports) > _native.MOST_PORTS:
        raise RequestError(f"at most {_native.MOST_PORTS} are possible", ("ports",), len(ports))
    folder = cgroup(question.cgroup)
    sample, most = question.sample or 1, question.max_connections or MOST_CONNECTIONS
    return _native.Collector(str(folder), ports, int(sample), most)


def _port(given: int | str) -> int:
    text = str(given)
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 1 << 16):
        raise RequestError("a port from 1 to 65535 is needed", ("ports",), given)
    return int(text)


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
