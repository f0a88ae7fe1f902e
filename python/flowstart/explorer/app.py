"""The server's addresses: what each takes, and what it answers."""

import traceback

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from flowstart import plugins
from flowstart.errors import FlowstartError
from flowstart.explorer import jobs, path
from flowstart.explorer.captures import routes as captures
from flowstart.explorer.guard import Guard, refusal
from flowstart.explorer.maps import routes as maps
from flowstart.explorer.page import Page
from flowstart.explorer.requests import TooLarge
from flowstart.explorer.settings import PageSettings
from flowstart.explorer.working import TookTooLong
from flowstart.simulation.trajectories import Cancelled

_STATUS: dict[type, int] = {TooLarge: 413, TookTooLong: 422, Cancelled: 499}
"""HTTP's of refusals; 400 of all others. Nobody reads the last: the request was taken back."""


def app(settings: PageSettings, page: Page, port: int, token: str) -> ASGIApp:
    """What answers requests to this port.

    Every refusal is one sentence in JSON, with a status from 400 to 499.
    """
    answering = Starlette(
        routes=routes(settings, page),
        exception_handlers={
            HTTPException: _refused,
            FlowstartError: _failed,
            ClientDisconnect: _left,
            Exception: _defect,
        },
    )
    answering.router.redirect_slashes = False
    return Guard(answering, port, token)


def routes(settings: PageSettings, page: Page) -> list[Route]:
    """Every address: the page's, and those of each view."""
    running = jobs.Jobs()

    async def html(_: Request) -> Response:
        headers = {"Content-Security-Policy": page.policy}
        return Response(page.html, headers=headers, media_type="text/html")

    return [
        Route("/", html),
        *path.routes(settings),
        *maps.routes(settings),
        *captures.routes(settings, running),
        *jobs.routes(running),
        *(each for added in plugins.load("explorer").values() for each in added(settings, running)),
    ]


async def _refused(request: Request, error: Exception) -> Response:
    """An address that there is not, or another method than its own."""
    status = error.status_code if isinstance(error, HTTPException) else 400
    path = request.scope["path"][:100]
    words = {
        404: f"`{path}` is not an address of the explorer; its page is at /",
        405: f"`{request.method[:20]}` is not a method of `{path}`",
    }
    return refusal(status, words.get(status, "the request is wrong"))


async def _failed(_: Request, error: Exception) -> Response:
    status = _STATUS.get(type(error), 400)
    return refusal(status, str(error))


async def _left(_: Request, __: Exception) -> Response:
    """The browser has gone before its request was whole; nobody reads this."""
    return refusal(499, "the request was cut short")


async def _defect(_: Request, error: Exception) -> Response:
    """What a startup in Python has raised, or what is our own fault."""
    notes = "; ".join(getattr(error, "__notes__", []))
    what = f"{type(error).__name__}: {error}"
    if notes:  # the simulator's border says in which hook it was
        return refusal(422, f"{what} ({notes})")
    if isinstance(error, OSError):  # such as a full disk, or no descriptor left
        return refusal(422, f"this machine: {error.strerror or error}")
    traceback.print_exception(error)
    return refusal(500, f"a defect of flowstart: {what}")
