"""Ctrl-C that waits until a block is done, and processes that end with their parent."""

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

PR_SET_PDEATHSIG = 1
"""<linux/prctl.h>"""


@contextmanager
def noting_ctrl_c(pressed: threading.Event) -> Iterator[None]:
    """Notes Ctrl-C in `pressed` instead of raising KeyboardInterrupt.

    Python runs handlers on the main thread only, and cannot put back a handler that was not
    installed from Python, so that one stays.
    """
    is_main = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGINT) if is_main else None
    if before is None:
        yield
        return
    signal.signal(signal.SIGINT, lambda *_: pressed.set())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Lets Ctrl-C wait until the block is done."""
    pressed = threading.Event()
    with noting_ctrl_c(pressed):
        yield
    if pressed.is_set():
        raise KeyboardInterrupt


def end_with(parent: int) -> None:
    """Has the kernel end this process if `parent`, the thread that waits for it, is killed."""
    import ctypes  # which commands do without

    with contextlib.suppress(AttributeError, OSError):  # Linux has it alone
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it was killed before
        os._exit(1)
