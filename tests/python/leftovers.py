"""What runs in the kernel could leave behind."""

import contextlib
import ctypes
import pathlib
import time
from typing import Any

SYS_BPF = 321
GET_NEXT = {"programs": 11, "maps": 12, "links": 31}
"""What the system call counts objects of the BPF with."""


def left() -> dict[str, Any]:
    """What a run could leave: namespaces, interfaces, processes, BPF objects, names, settings."""
    return {
        "namespaces": _namespaces(),
        "interfaces": sorted(device.name for device in pathlib.Path("/sys/class/net").iterdir()),
        "processes": _processes(),
        "controls": _read("/proc/sys/net/ipv4/tcp_available_congestion_control"),
        "settings": [_read(f"/proc/sys/net/ipv4/{name}") for name in SETTINGS],
        **{name: _bpf_objects(command) for name, command in GET_NEXT.items()},
    }


SETTINGS = ("tcp_rmem", "tcp_wmem", "tcp_ecn", "tcp_dsack", "tcp_no_metrics_save")


def quiet() -> dict[str, Any]:
    """The same once it has been equal for two seconds: earlier objects take a moment to go."""
    last, equal = left(), 0
    for _ in range(100):
        time.sleep(0.2)
        now = left()
        equal = equal + 1 if now == last else 0
        last = now
        if equal == 10:
            break
    return last


def settled(before: dict[str, Any]) -> dict[str, Any]:
    """The kernel takes things down a little later; at most ten seconds."""
    for _ in range(100):
        now = left()
        if now == before:
            break
        time.sleep(0.1)
    return now


def _read(path: str) -> str:
    return pathlib.Path(path).read_text().strip()


def _namespaces() -> int:
    """Network namespaces that the kernel has, whether or not a process is in them."""
    slab = pathlib.Path("/sys/kernel/slab/net_namespace")
    with contextlib.suppress(OSError):
        (slab / "shrink").write_text("1")  # else it keeps room for those that are gone
        return int((slab / "objects").read_text().split()[0])
    found = set()
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            found.add((process / "ns/net").readlink())
    return len(found)


def _processes() -> int:
    """Processes of these commands."""
    count = 0
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (process / "cmdline").read_bytes().split(b"\0")
            count += {b"flowstart", b"live"} <= {*words} or b"flowstart-watchdog" in words
    return count


def _bpf_objects(command: int) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    count, last = 0, 0
    while True:
        attributes = (ctypes.c_uint32 * 32)(last, 0)
        if libc.syscall(SYS_BPF, command, attributes, ctypes.sizeof(attributes)):
            return count
        last, count = attributes[1], count + 1
