"""The server's addresses: what each takes, and what it answers."""

import traceback
from collections.abc import Awaitable, Callable, Sequence

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from flowstart.errors import FlowstartError
from flowstart.explorer import body, job_routes, map_routes, requests
from flowstart.explorer.about import about
from flowstart.explorer.answers import Answers
from flowstart.explorer.body import TooLarge
from flowstart.explorer.guard import Guard
from flowstart.explorer.page import Page
from flowstart.explorer.replies import binary, html, json, refusal
from flowstart.explorer.settings import Settings
from flowstart.explorer.working import TookTooLong, done
from flowstart.simulation.trajectories import Cancelled

_STATUS: dict[type, int] = {TooLarge: 413, TookTooLong: 422, Cancelled: 499}
"""HTTP's of refusals; 400 of all others. Nobody reads the last: the request was taken back."""


VIEWS: tuple[Callable[[Settings], Sequence[Route]], ...] = (map_routes.routes, job_routes.routes)
"""The routes of views that have a module of their own: each function makes those of some."""


def app(settings: Settings, page: Page, port: int, token: str) -> ASGIApp:
    """What answers requests to this port.

    Every refusal is one sentence in JSON, with a status from 400 to 499.
    """
    answering = Starlette(
        routes=routes(settings, page),
        exception_handlers={HTTPException: _refused, FlowstartError: _failed, Exception: _defect},
    )
    answering.router.redirect_slashes = False
    return Guard(answering, port, token)


def routes(settings: Settings, page: Page) -> list[Route]:
    """Every address."""
    return [
        Route("/", _page(page)),
        Route("/api/about", _about(settings)),
        *_of_paths(Answers(settings)),
        *(route for view in VIEWS for route in view(settings)),
    ]


Handler = Callable[[Request], Awaitable[Response]]


def _page(page: Page) -> Handler:
    async def handle(_: Request) -> Response:
        return html(page.html, page.policy)

    return handle


def _about(settings: Settings) -> Handler:
    async def handle(_: Request) -> Response:
        return json(about(settings))

    return handle


def _of_paths(answers: Answers) -> list[Route]:
    """What is asked about a path."""

    async def compare(request: Request) -> Response:
        asked = requests.CompareRequest.of(await body.document(request))
        return binary(await done(request, lambda stop: answers.compare(asked, stop)))

    async def intervals(request: Request) -> Response:
        given = requests.given_of(await body.document(request))
        return json(await done(request, lambda stop: answers.intervals(given, stop)))

    async def packets(request: Request) -> Response:
        asked = requests.PacketsRequest.of(await body.document(request))
        return json(await done(request, lambda stop: answers.packets(asked, stop)))

    return [
        Route("/api/packets", packets, methods=["POST"]),
        Route("/api/compare", compare, methods=["POST"]),
        Route("/api/intervals", intervals, methods=["POST"]),
    ]


async def _refused(request: Request, error: Exception) -> Response:
    """An address that there is not, or another method than its own."""
    status = error.status_code if isinstance(error, HTTPException) else 400
    path = request.scope["path"][:100]
    words = {
        404: f"`{path}` is no address of the explorer; its page is at /",
        405: f"`{request.method[:20]}` is no method of `{path}`",
    }
    return refusal(status, words.get(status, "the request is wrong"))


async def _failed(_: Request, error: Exception) -> Response:
    status = _STATUS.get(type(error), 400)
    return refusal(status, str(error))


async def _defect(_: Request, error: Exception) -> Response:
    """What a start-up in Python has raised, or what is our own fault."""
    place = "; ".join(getattr(error, "__notes__", []))
    what = f"{type(error).__name__}: {error}"
    if place:  # the simulator's border says in which hook it was
        return refusal(422, f"{what} ({place})")
    traceback.print_exception(error)
    return refusal(500, f"a defect of flowstart: {what}")
