"""Threads that the end of the server does not wait for, and whose Python code can be interrupted.

The simulator looks at a flag to stop; a hook of a startup in Python that never returns does not.
"""

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent import futures
from typing import Any, Generic, TypeVar

from flowstart.interrupts import Interruptible
from flowstart.simulation.trajectories import Cancelled

T = TypeVar("T")
SECONDS_TO_STOP = 0.5
"""How long work that was told to stop has before its Python code is interrupted."""
MOST_INTERRUPTIONS = 6
"""As long as it catches them; what waits outside of Python takes no notice of any."""

LOOK_EVERY = 0.02
"""Seconds between looks at the end whether all work is over."""


class Interrupted(BaseException):
    """Raised in Python code that does not stop by itself."""


class Running(Generic[T]):
    """A piece of work in a thread of its own."""

    def __init__(self, work: Callable[[], T]) -> None:
        self.result: futures.Future[T] = futures.Future()
        """What it returned or raised; Cancelled where it was interrupted."""
        self._work = work
        self.result.set_running_or_notify_cancel()
        thread = threading.Thread(target=self._run, daemon=True)
        self._code = Interruptible(thread, Interrupted)
        thread.start()
        _alive.add(self)
        self.result.add_done_callback(lambda _: _alive.discard(self))

    def end_soon(self) -> None:
        """Interrupts the work's Python code if it has not stopped by itself in a moment."""
        if not self.result.done():
            threading.Thread(target=self._insist, daemon=True).start()

    def _insist(self) -> None:
        for _ in range(MOST_INTERRUPTIONS):
            futures.wait([self.result], SECONDS_TO_STOP)
            self.interrupt()

    def interrupt(self) -> None:
        """Raises Interrupted in the work's Python code as soon as that goes on."""
        self._code.interrupt()

    def _run(self) -> None:
        try:
            try:
                result = self._work()
            finally:
                self._code.close()
        except Interrupted:
            self.result.set_exception(Cancelled("the work was interrupted"))
        except BaseException as error:  # noqa: BLE001 # it is raised where the result is read
            self.result.set_exception(error)
        else:
            self.result.set_result(result)


def end_all(seconds: float) -> None:
    """Interrupts all work that has not ended, and waits so long for it.

    A process that ends while a hook in Python is at work would be aborted.
    """
    until = time.monotonic() + seconds
    while _alive and time.monotonic() < until:
        for running in list(_alive):
            running.interrupt()
        time.sleep(LOOK_EVERY)


def ended(running: Running[Any]) -> "asyncio.Future[None]":
    """Done when the work is.

    It does not have the work's exception: asyncio would log one that was not read because the
    server ended first.
    """
    over: futures.Future[None] = futures.Future()
    over.set_running_or_notify_cancel()
    running.result.add_done_callback(lambda _: over.set_result(None))
    return asyncio.wrap_future(over)


async def in_thread(work: Callable[[], T]) -> T:
    """What work returns that ends by itself."""
    running = Running(work)
    await ended(running)
    return running.result.result()


_alive: set[Running[Any]] = set()
