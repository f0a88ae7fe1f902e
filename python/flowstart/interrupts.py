"""Signals that end or wait, exceptions in other threads, processes that end with their parent."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

LOOK_FOR_PARENT_S = 0.5
ENDINGS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Signals that end a command as Ctrl-C does: what is finished is kept, the rest removed."""


class _Ending:
    """The signal that ends this process."""

    number: int = signal.SIGINT


def cause() -> str:
    """What has interrupted this process: `Ctrl-C`, `SIGTERM` or `SIGHUP`."""
    number = _Ending.number
    return "Ctrl-C" if number == signal.SIGINT else signal.Signals(number).name


def status() -> int:
    """The exit status of an interrupted command, as a shell has it: 130 after Ctrl-C."""
    return 128 + _Ending.number


def heed_endings() -> None:
    """Has `ENDINGS` raise KeyboardInterrupt.

    A signal that is ignored stays so, as under `nohup`.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    _Ending.number = signal.SIGINT
    for number in ENDINGS:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, end)


def ignore_endings() -> None:
    """For a process that another one ends: Ctrl-C and the rest reach that one as well."""
    for number in (signal.SIGINT, *ENDINGS):
        signal.signal(number, signal.SIG_IGN)


def end(number: int, _: object = None) -> NoReturn:
    """Ends what is running as the signal of this number does."""
    _Ending.number = number
    raise KeyboardInterrupt


@contextmanager
def noting_ctrl_c(pressed: threading.Event) -> Iterator[None]:
    """Notes Ctrl-C, or another ending, in `pressed` instead of raising KeyboardInterrupt.

    Python runs handlers on the main thread only, and cannot put back a handler that was not
    installed from Python, so that one stays. A signal that is ignored stays so.
    """

    def note(number: int, _: object) -> None:
        _Ending.number = number
        pressed.set()

    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, *ENDINGS)}
        before = {
            number: handler
            for number, handler in handlers.items()
            if handler is end or (number == signal.SIGINT and callable(handler))
        }
    for number in before:
        signal.signal(number, note)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Lets Ctrl-C and other endings wait until the block is done."""
    pressed = threading.Event()
    with noting_ctrl_c(pressed):
        yield
    if pressed.is_set():
        raise KeyboardInterrupt


@contextmanager
def blocked_ctrl_c() -> Iterator[None]:
    """Lets Ctrl-C and other endings wait until the block is done.

    Processes that start in it never receive them: they end with this one.
    """
    if not hasattr(signal, "pthread_sigmask"):  # as on Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, *ENDINGS})
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


class Interruptible:
    """Python code of a thread, in which an exception can be raised until it is closed."""

    def __init__(self, thread: threading.Thread, kind: type[BaseException]) -> None:
        self._thread = thread
        self._kind = kind
        self._raised = False
        self._over = False
        self._lock = threading.Lock()

    def interrupt(self) -> None:
        """Raises the exception as soon as the thread's Python code continues."""
        with self._lock:
            if self._over:
                return
            # A signal wakes what sleeps, too; a host application's handler does something else.
            is_main = self._thread is threading.main_thread()
            if is_main and self._kind is KeyboardInterrupt and _raises_on_sigint():
                signal.pthread_kill(_ident(self._thread), signal.SIGINT)
            else:
                self._raised = True
                self._raise()

    def close(self) -> None:
        """Ends interruptions, also those under way; the thread itself calls it.

        An exception that is on its way is waited for and not taken back: CPython 3.11 keeps all
        threads on the slow way through its evaluation loop until one was raised, also where
        `PyThreadState_SetAsyncExc` was called with NULL, and under a debugger it then hangs.
        """
        while not self._over:
            try:
                with self._lock:
                    self._over = True
                if self._raised:
                    self._raise()
                    while True:
                        pass
            except self._kind:
                pass

    def _raise(self) -> None:
        import ctypes  # which commands do without

        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(_ident(self._thread)), ctypes.py_object(self._kind)
        )


def _raises_on_sigint() -> bool:
    """Whether SIGINT raises KeyboardInterrupt in the main thread, and does nothing else."""
    own = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    return own and hasattr(signal, "pthread_kill")


def _ident(thread: threading.Thread) -> int:
    assert thread.ident is not None  # it has begun
    return thread.ident
