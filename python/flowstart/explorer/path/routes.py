"""The addresses of the explore view: what there is to choose from, and what is asked of a path."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from flowstart.explorer.http import body
from flowstart.explorer.http.fields import Fields
from flowstart.explorer.http.replies import binary, json, written
from flowstart.explorer.path import answers
from flowstart.explorer.path.about import about
from flowstart.explorer.running.working import done
from flowstart.explorer.settings import Settings


def routes(settings: Settings) -> list[Route]:
    """`/api/about`, `/api/compare`, `/api/intervals` and `/api/packets`."""

    async def choices(_: Request) -> Response:
        return json(about(settings))

    async def compare(request: Request) -> Response:
        asked = await body.read(request)
        return binary(await done(request, lambda stop: answers.compare(asked, settings, stop)))

    async def intervals(request: Request) -> Response:
        given = Fields(await body.document(request), ("given",)).needed("given")
        return json(await done(request, lambda stop: answers.intervals(given, settings, stop)))

    async def packets(request: Request) -> Response:
        asked = await body.read(request)
        return written(await done(request, lambda stop: answers.packets(asked, settings, stop)))

    return [
        Route("/api/about", choices),
        Route("/api/compare", compare, methods=["POST"]),
        Route("/api/intervals", intervals, methods=["POST"]),
        Route("/api/packets", packets, methods=["POST"]),
    ]
