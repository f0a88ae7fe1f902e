"""The addresses of papers: their list, and runs of an experiment."""

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from flowstart.explorer.jobs import BackgroundJob, Jobs
from flowstart.explorer.requests import posted
from flowstart.explorer.settings import PageSettings
from flowstart.explorer.threads import in_thread


def routes(settings: PageSettings, jobs: Jobs) -> list[Route]:
    """`/api/papers` and `/api/papers/run`."""

    async def listed(_: Request) -> Response:
        return JSONResponse(await in_thread(_listed))

    return [
        Route("/api/papers", listed),
        posted("/api/papers/run", ("id",), lambda fields: _begun(fields.any("id"), settings, jobs)),
    ]


def _listed() -> dict[str, Any]:
    from flowstart_papers.explorer import figures

    return {"papers": figures.listed()}


def _begun(name: object, settings: PageSettings, jobs: Jobs) -> dict[str, Any]:
    """The job that runs an experiment."""
    from flowstart_papers.explorer import figures

    figures.chosen(name)

    def work(job: BackgroundJob) -> None:
        figures.work(job, name, cache=figures.kept(), workers=settings.workers)

    return {"job": jobs.start(work).id}
