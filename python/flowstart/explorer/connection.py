"""Connections: how many there are, and how long a request may take to come.

Any program of the machine may connect, with or without the token. So no connection waits for a
request for ever, and many neither keep the page from connecting nor use up the descriptors.
"""

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST = 64
"""A browser has six to one server. For another, the oldest that awaits a request is closed."""
BACKLOG = 128
"""So many are accepted before those that are too many are closed."""
SECONDS_TO_ASK = 30.0
"""How long a request may take to come, with its body: the largest takes less than a second."""


class Connection(H11Protocol):
    """A connection that has to ask in time."""

    _timer: asyncio.TimerHandle | None = None
    _since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Makes room for it, once what has come meanwhile was read."""
        super().connection_made(transport)
        self._since = self.loop.time()
        self._await()
        self.loop.call_later(0, self._make_room)

    def data_received(self, data: bytes) -> None:
        """A piece of a request."""
        super().data_received(data)
        if self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            self._await()
        else:
            self._stop()

    def connection_lost(self, exc: Exception | None) -> None:
        """It was closed."""
        self._stop()
        super().connection_lost(exc)

    @property
    def _is_waiting(self) -> bool:
        """Whether no whole request is being answered; one that is refused unread has no cycle."""
        return self._timer is not None or self.cycle is None or self.cycle.response_complete

    def _make_room(self) -> None:
        known = [c for c in self.connections if isinstance(c, Connection)]
        waiting = [c for c in known if c._is_waiting]
        if len(known) > MOST and waiting:
            min(waiting, key=lambda c: c._since)._close()

    def _await(self) -> None:
        """Begins to count the time of a request, unless that has begun."""
        self._timer = self._timer or self.loop.call_later(SECONDS_TO_ASK, self._close)

    def _stop(self) -> None:
        if self._timer:
            self._timer.cancel()
        self._timer = None

    def _close(self) -> None:
        self.connections.discard(self)
        self.transport.abort()
