"""Two folders change places in one step, where the system can do that."""

import ctypes
import errno
import functools
import os
import pathlib
from collections.abc import Callable

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_CANNOT = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)
"""How a kernel or a file system answers that does not know of exchanges."""


def exchange(one: pathlib.Path, other: pathlib.Path) -> bool:
    """Has both change places at once (renameat2(2)); False where that cannot be had.

    Raises OSError where it can be had and fails.
    """
    rename = _renameat2()
    if rename is None:
        return False
    names = os.fsencode(one), os.fsencode(other)
    if rename(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _RENAME_EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in _CANNOT:
        return False
    raise OSError(number, os.strerror(number), str(one), None, str(other))


@functools.cache
def _renameat2() -> Callable[[int, bytes, int, bytes, int], int] | None:
    """The C library's function; None on systems other than Linux, and old ones."""
    function = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if function is None:
        return None
    text = ctypes.c_char_p
    function.argtypes = (ctypes.c_int, text, ctypes.c_int, text, ctypes.c_uint)
    found: Callable[[int, bytes, int, bytes, int], int] = function
    return found
