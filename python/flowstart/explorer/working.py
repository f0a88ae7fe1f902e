"""Work for a response, which is stopped where the browser has gone, or where it lasts too long."""

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from starlette.requests import Request

from flowstart.errors import LimitExceeded, RequestError
from flowstart.explorer.threads import Running, ended
from flowstart.simulation import bounds
from flowstart.simulation.limits import stated
from flowstart.simulation.trajectories import Cancel, Cancelled

T = TypeVar("T")
MOST_BYTES = 1e9
"""Of state that the runs of a response hold."""
MOST_SECONDS = 30.0
"""How long a response may take: packets may be lost again and again."""
SECONDS_TO_END = 3.0
"""How long work that was stopped is waited for."""
MOST_STUCK = 4
"""So many pieces of work may go on although they were stopped, before no more is begun."""
_stuck: set[Running[Any]] = set()


class TookTooLong(RequestError):
    """The work was stopped because it lasted longer, or used more, than a response may."""


class Stop:
    """Ends work in another thread soon; each piece of work has its own."""

    def __init__(self) -> None:
        self.cancel = Cancel(memory=MOST_BYTES)
        """The same for the simulator."""

    def stop(self) -> None:
        """From now on the work ends; may be called from any thread, and again."""
        self.cancel.cancel()

    def progress(self, _done: int, _total: int) -> None:
        """For runs that report progress: ends them as Ctrl-C would."""
        if self.cancel.cancelled:
            raise KeyboardInterrupt

    def check(self) -> None:
        """Raises Cancelled where the work is to end."""
        if self.cancel.cancelled:
            raise Cancelled("stopped: the request was cancelled")


async def done(
    request: Request, work: Callable[[Stop], T], most_seconds: float = MOST_SECONDS
) -> T:
    """What `work` returns, in a thread; the request's body must have been read.

    Raises Cancelled where the browser has gone, and TookTooLong after so many seconds; in both
    cases the work is stopped, interrupted if it does not end, and waited for a while. Runs keep
    to the limits of other requests, and to a lower one of memory.
    """
    if len(_stuck) >= MOST_STUCK:
        raise RequestError(
            f"{len(_stuck)} simulations were stopped and have not ended, since hooks of startups "
            "in Python wait: end the explorer with Ctrl-C, and mend the startup"
        )
    stop = Stop()
    running = Running(lambda: _within_limits(work, stop))
    working, leaving = ended(running), asyncio.ensure_future(_gone(request))
    try:
        either: set[asyncio.Future[Any]] = {working, leaving}
        await asyncio.wait(either, timeout=most_seconds, return_when=asyncio.FIRST_COMPLETED)
        is_late = not working.done() and not leaving.done()
    finally:
        leaving.cancel()
        stop.stop()  # also where the server ends meanwhile
        running.end_soon()
    await asyncio.wait({working}, timeout=SECONDS_TO_END)
    if not working.done():
        _stuck.add(running)
        running.result.add_done_callback(lambda _: _stuck.discard(running))
        raise TookTooLong(
            "the simulation was stopped and has not ended: a hook of a startup in Python waits"
        )
    try:
        return running.result.result()
    except Cancelled:
        if not is_late:
            raise
        raise TookTooLong(
            f"the simulation has not ended after {most_seconds:g} s; choose a smaller size, "
            "fewer startups, less loss, or use `flowstart compare`"
        ) from None


def _within_limits(work: Callable[[Stop], T], stop: Stop) -> T:
    with bounds.bounded(max_memory=MOST_BYTES) as mine:
        try:
            return work(stop)
        except (KeyboardInterrupt, LimitExceeded, Cancelled):
            mine.note(stop.cancel.packets, stop.cancel.exceeded)
            if not mine.exceeded:
                raise
            raise TookTooLong(
                f"the simulation was stopped by {stated(mine.limits, mine.exceeded)}; choose a "
                "smaller size or window, fewer startups, or use `flowstart compare`"
            ) from None


async def _gone(request: Request) -> None:
    """Waits until the browser has closed the connection."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
