"""What the machine has, and what it permits."""

import os
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

from flowstart import _native
from flowstart.simulation import batch
from flowstart.simulation.limits import memory_of_machine

KERNEL = "linux"
"""The kernel's TCP among the live stacks."""
FINE_S = 1e-3
"""A clock with steps below this serves live runs in real time."""


def machine() -> dict[str, Any]:
    """Its system, cores, memory in bytes, and Python."""
    return {
        "system": sys.platform,
        "cores": batch.cores(),
        "memory_bytes": memory_of_machine(),
        "python": sys.executable,
    }


def permits() -> dict[str, bool]:
    """What programs may do here, by what of flowstart needs it."""
    return {
        "processes_for_startups_in_python": batch.may_fork(),
        "temporary_files": _succeeds(_write),
        "a_port_on_the_loopback": _succeeds(_listen),
        "fine_clocks": time.get_clock_info("monotonic").resolution < FINE_S,
        **_kernel(),
    }


def _kernel() -> dict[str, bool]:
    """Whether startups may drive the kernel, in a build that has what that takes."""
    if KERNEL not in _native.BUILT_LIVE_STACKS:
        return {}
    return {"live_runs_in_the_kernel": _native.live_prohibition(KERNEL, True) is None}


def terminal() -> dict[str, Any]:
    """Its width, whether it shows colours, and its encoding."""
    return {
        "width": shutil.get_terminal_size().columns,
        "colour": _colour(),
        "encoding": (sys.stdout.encoding or "unknown").lower(),
    }


def _colour() -> str:
    if "NO_COLOR" in os.environ:
        return "off (NO_COLOR)"
    if not sys.stdout.isatty():
        return "off (no terminal)"
    return "off (TERM=dumb)" if os.environ.get("TERM") == "dumb" else "on"


def _write() -> None:
    with tempfile.TemporaryFile() as file:
        file.write(b"x")


def _listen() -> None:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        one.listen()


def _succeeds(attempt: Callable[[], None]) -> bool:
    try:
        attempt()
    except OSError:
        return False
    return True
