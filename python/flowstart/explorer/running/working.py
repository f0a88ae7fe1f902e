"""Work in threads, which is stopped where the browser has gone, or where it lasts too long."""

import asyncio
import contextlib
from collections.abc import Callable
from typing import TypeVar

from starlette.requests import Request

from flowstart.errors import RequestError
from flowstart.explorer.running.stopping import Stop
from flowstart.simulation.trajectories import Cancelled

T = TypeVar("T")
MOST_SECONDS = 30.0
"""How long an answer may take: packets may be lost again and again."""


class TookTooLong(RequestError):
    """The work was stopped because it lasted longer than an answer may."""


async def done(
    request: Request, work: Callable[[Stop], T], most_seconds: float = MOST_SECONDS
) -> T:
    """What `work` returns, in a thread; the request's body must have been read.

    Raises Cancelled where the browser has gone, and TookTooLong after so many seconds; in both
    cases the work is told to stop and waited for.
    """
    stop = Stop()
    working = asyncio.ensure_future(asyncio.to_thread(work, stop))
    leaving = asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait(
            {working, leaving}, timeout=most_seconds, return_when=asyncio.FIRST_COMPLETED
        )
        took_too_long = not working.done() and not leaving.done()
        if not working.done():
            stop.stop()
        try:
            return await asyncio.shield(working)
        except Cancelled:
            if not took_too_long:
                raise
            raise TookTooLong(
                f"the simulation has not ended after {most_seconds:g} s; choose a smaller size, "
                "fewer start-ups, less loss, or use `flowstart compare`"
            ) from None
    finally:
        stop.stop()  # also where the server ends meanwhile
        leaving.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await leaving


async def _gone(request: Request) -> None:
    """Waits until the browser has closed the connection."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
