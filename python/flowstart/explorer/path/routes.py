"""The addresses of the explore view: what there is to choose from, and what is asked of a path."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from flowstart.explorer.http import body
from flowstart.explorer.http.replies import binary, json
from flowstart.explorer.path import requests
from flowstart.explorer.path.about import about
from flowstart.explorer.path.answers import Answers
from flowstart.explorer.running.working import done
from flowstart.explorer.settings import Settings


def routes(settings: Settings) -> list[Route]:
    """`/api/about`, `/api/compare`, `/api/intervals` and `/api/packets`."""
    answers = Answers(settings)

    async def choices(_: Request) -> Response:
        return json(about(settings))

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
        Route("/api/about", choices),
        Route("/api/compare", compare, methods=["POST"]),
        Route("/api/intervals", intervals, methods=["POST"]),
        Route("/api/packets", packets, methods=["POST"]),
    ]
