"""Ctrl-C that waits until a block is done, and processes that end with their parent."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

LOOK_FOR_PARENT_S = 0.5


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


@contextmanager
def blocked_ctrl_c() -> Iterator[None]:
    """Lets Ctrl-C wait until the block is done; processes that start in it never receive it."""
    if not hasattr(signal, "pthread_sigmask"):  # as on Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end_with(parent: int) -> None:
    """Ends this process soon after `parent`, which has started it, was killed."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(LOOK_FOR_PARENT_S)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
