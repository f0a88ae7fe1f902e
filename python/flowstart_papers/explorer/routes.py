"""The addresses of papers: their list, and runs of an experiment."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from flowstart.explorer.http import body
from flowstart.explorer.http.fields import Fields
from flowstart.explorer.http.replies import json
from flowstart.explorer.running.jobs import Job, Jobs
from flowstart.explorer.running.threads import in_thread
from flowstart.explorer.settings import Settings


def routes(settings: Settings, jobs: Jobs) -> list[Route]:
    """`/api/papers` and `/api/papers/run`."""

    async def listed(_: Request) -> Response:
        return json(await in_thread(_listed))

    async def run(request: Request) -> Response:
        name = Fields(await body.document(request), ("id",)).any("id")
        return json(await in_thread(lambda: _begun(name, settings, jobs)))

    return [
        Route("/api/papers", listed),
        Route("/api/papers/run", run, methods=["POST"]),
    ]


def _listed() -> dict[str, Any]:
    from flowstart_papers.explorer import figures

    return {"papers": figures.listed()}


def _begun(name: object, settings: Settings, jobs: Jobs) -> dict[str, Any]:
    """The job that runs an experiment."""
    from flowstart_papers.explorer import figures

    figures.chosen(name)

    def work(job: Job) -> None:
        figures.work(job, name, cache=figures.kept(), workers=settings.workers)

    return {"job": jobs.start(work).id}
