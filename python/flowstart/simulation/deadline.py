"""The end of the time that a request may take.

What runs in the simulator is told to stop; what reports its progress is stopped there, as Ctrl-C
would; and a hook of a startup in Python that does not return has KeyboardInterrupt raised in it.
All of that leaves what is finished as Ctrl-C does.
"""

import ctypes
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from flowstart._native import Cancel

Progress: TypeAlias = Callable[[int, int], object]

PATIENCE_S = 0.3
"""How long runs that were told to stop have before a hook is interrupted."""
NOTICED_S = 0.05
"""How long whatever looks at the time has to notice that it is over."""
MOST_INTERRUPTIONS = 20
"""As long as it catches them."""


class Deadline:
    """When a request is to end."""

    def __init__(self, seconds: float, name: str) -> None:
        self.name = name
        """The option with its value, `--time-limit 10s`."""
        self.stopped = False
        """Whether it has ended anything."""
        self._until = time.monotonic() + seconds

    @property
    def left_s(self) -> float:
        """Seconds until then; 0 afterwards."""
        return max(0.0, self._until - time.monotonic())

    def check(self) -> None:
        """Raises KeyboardInterrupt when the time is over."""
        if not self.left_s:
            self.stopped = True
            raise KeyboardInterrupt

    def reporting(self, progress: Progress | None) -> Progress:
        """A callback that passes progress on, and ends the runs that report it."""

        def report(done: int, total: int) -> None:
            if done < total:
                self.check()
            if progress:
                progress(done, total)

        return report

    @contextmanager
    def ending(self) -> Iterator[None]:
        """Ends the block once when the time is over, unless what it runs has noticed by itself.

        It may be reading, in a library, or at statistics.
        """
        watch = _Watch(self, None, once=True)
        try:
            yield
        finally:
            watch.close()

    @contextmanager
    def watched(self, cancel: Cancel | None = None) -> Iterator[None]:
        """Ends what the block does on this thread when the time is over."""
        self.check()
        watch = _Watch(self, cancel)
        try:
            yield
        finally:
            watch.close()


class _Watch:
    """Looks from another thread at what one does."""

    def __init__(self, deadline: Deadline, cancel: Cancel | None, *, once: bool = False) -> None:
        self._deadline = deadline
        self._once = once
        self._cancel = cancel
        self._watched = threading.current_thread()
        self._over = False
        self._raised = False
        self._lock = threading.Lock()
        self._closed = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        if self._closed.wait(self._deadline.left_s + self._once * NOTICED_S):
            return
        if self._once:
            if not self._deadline.stopped:
                self._deadline.stopped = True
                self._interrupt()
            return
        self._deadline.stopped = True
        if self._cancel is not None:
            self._cancel.cancel()
        for _ in range(MOST_INTERRUPTIONS):
            if self._closed.wait(PATIENCE_S):
                return
            self._interrupt()

    def _interrupt(self) -> None:
        with self._lock:
            if self._over or (self._cancel is not None and self._cancel.ended):
                return
            # A signal wakes what sleeps, too; a host application's handler does something else.
            if self._watched is threading.main_thread() and _raises_on_sigint():
                signal.pthread_kill(_ident(self._watched), signal.SIGINT)
            else:
                self._raised = True
                _raise_in(self._watched)

    def close(self) -> None:
        """From here on nothing is interrupted, by what was raised a moment ago either.

        An exception that is on its way to a thread is waited for and not taken back, which would
        leave CPython 3.11 on its slow path for good.
        """
        self._closed.set()
        while not self._over:
            try:
                with self._lock:
                    self._over = True
                if self._raised:
                    _raise_in(self._watched)
                    while True:
                        pass
            except KeyboardInterrupt:
                pass


def _raises_on_sigint() -> bool:
    """Whether SIGINT raises KeyboardInterrupt in the main thread, and does nothing else."""
    own = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    return own and hasattr(signal, "pthread_kill")


def _ident(thread: threading.Thread) -> int:
    assert thread.ident is not None  # it has begun
    return thread.ident


def _raise_in(thread: threading.Thread) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(_ident(thread)), ctypes.py_object(KeyboardInterrupt)
    )
