"""The names of programs and maps of the BPF that the kernel has."""

import contextlib
import ctypes
import os
from collections.abc import Iterator

SYS_BPF = 321
GET_INFO = 15
OF = {"programs": (11, 13, 64), "maps": (12, 14, 24)}
"""Commands for the next number and for its file; the place of the name in what is known of it."""


def names() -> list[str]:
    """Of all programs and maps, in no order."""
    return [name for commands in OF.values() for name in _names(*commands)]


def _names(following: int, opened: int, at: int) -> Iterator[str]:
    number = 0
    while True:
        attributes = _bpf(following, number, 0)
        if attributes is None:
            return
        number = attributes[1]
        with contextlib.suppress(OSError):
            yield _name(opened, number, at)


def _name(opened: int, number: int, at: int) -> str:
    """Raises OSError where it is gone meanwhile."""
    file = ctypes.CDLL(None).syscall(SYS_BPF, opened, (ctypes.c_uint32 * 32)(number), 128)
    if file < 0:
        raise OSError
    info = ctypes.create_string_buffer(256)
    address = ctypes.addressof(info)
    _bpf(GET_INFO, file, len(info), address & 0xFFFFFFFF, address >> 32)
    os.close(file)
    return info.raw[at : at + 16].partition(b"\0")[0].decode()


def _bpf(command: int, *words: int) -> ctypes.Array[ctypes.c_uint32] | None:
    attributes = (ctypes.c_uint32 * 32)(*words)
    failed = ctypes.CDLL(None).syscall(SYS_BPF, command, attributes, ctypes.sizeof(attributes))
    return None if failed else attributes
