"""Serves the explorer on the loopback until Ctrl-C."""

import asyncio
import errno
import os
import secrets
import signal
import socket
import sys
import threading
import webbrowser
from typing import Any

import uvicorn

from flowstart import interrupts
from flowstart.errors import RequestError
from flowstart.explorer import threads
from flowstart.explorer.app import app
from flowstart.explorer.connection import BACKLOG, Connection
from flowstart.explorer.page import page
from flowstart.explorer.settings import PageSettings

LOOPBACK = "127.0.0.1"
SECONDS_TO_END = 1
"""How long answers that are under way have at the end."""


def serve(settings: PageSettings, *, port: int | None, opens: bool) -> None:
    """Prints the page's address, opens it in a browser if `opens`, and serves it until Ctrl-C.

    Without a `port` any free one is taken. Raises RequestError where the port is taken or the page
    is not built, and KeyboardInterrupt at the end.
    """
    html = page()
    with listening(port) as listener:
        taken, token = listener.getsockname()[1], secrets.token_urlsafe(16)
        server = uvicorn.Server(configured(app(settings, html, taken, token)))
        address = f"http://{LOOPBACK}:{taken}/?token={token}"
        print(f"The explorer is at {address}\nCtrl-C ends it.", flush=True)
        if opens and _has_browser():
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        interrupts.heed_endings()
        try:
            run(server, listener)
        finally:
            threads.end_all(SECONDS_TO_END / 2)


def run(server: uvicorn.Server, listener: socket.socket) -> None:
    """Serves until the server is to end. A terminal that is closed ends the process as well."""
    if asyncio.run(_served(server, listener)):
        interrupts.end(signal.SIGHUP)


async def _served(server: uvicorn.Server, listener: socket.socket) -> bool:
    """Whether SIGHUP has ended it, unless that is ignored as under `nohup`."""
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(_Noting())
    hung_up = asyncio.Event()

    def end() -> None:
        hung_up.set()
        server.should_exit = True

    is_main = threading.current_thread() is threading.main_thread()
    if is_main and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        loop.add_signal_handler(signal.SIGHUP, end)
    await server.serve([listener])
    return hung_up.is_set()


class _Noting:
    """Says once that descriptors are used up. Waiting connections are accepted later."""

    def __init__(self) -> None:
        self._said = False

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if not isinstance(error, OSError) or error.errno not in (errno.EMFILE, errno.ENFILE):
            loop.default_exception_handler(context)
        elif not self._said:
            self._said = True
            print(
                f"flowstart: a connection waits: {error.strerror}; `ulimit -n` sets how many",
                file=sys.stderr,
            )


def listening(port: int | None) -> socket.socket:
    """A socket of the loopback that accepts connections from now on."""
    # asyncio turns Nagle's algorithm off only where the protocol is named.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":  # elsewhere it would take a port that is in use
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((LOOPBACK, port or 0))
        listener.listen()
    except OSError as error:
        listener.close()
        why = error.strerror or error
        raise RequestError(f"--port {port}: {why}; without it any free port is taken") from None
    return listener


def configured(answering: object) -> uvicorn.Config:
    """A server that says nothing by itself and ends at once."""
    return uvicorn.Config(
        answering,  # type: ignore[arg-type] # an ASGI application
        http=Connection,
        backlog=BACKLOG,
        ws="none",
        loop="asyncio",
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=SECONDS_TO_END,
    )


def _has_browser() -> bool:
    """Whether a window can be opened: a browser in the terminal would take it over."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
