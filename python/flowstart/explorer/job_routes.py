"""The addresses of jobs, and of the views that have some."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from flowstart.explorer import body, capture_routes, paper_routes
from flowstart.explorer.checked import Fields
from flowstart.explorer.jobs import Jobs
from flowstart.explorer.replies import json
from flowstart.explorer.settings import Settings


def routes(settings: Settings) -> list[Route]:
    """`/api/jobs/...`, and what begins jobs: captures and papers."""
    jobs = Jobs()

    async def look(request: Request) -> Response:
        fields = Fields(await body.document(request), ("job", "seen"))
        return json(jobs[fields.text("job")].document(fields.whole("seen", 0)))

    async def cancel(request: Request) -> Response:
        job = jobs[Fields(await body.document(request), ("job",)).text("job")]
        job.cancel()
        return json(job.document(job.version))

    return [
        Route("/api/jobs/look", look, methods=["POST"]),
        Route("/api/jobs/cancel", cancel, methods=["POST"]),
        *capture_routes.routes(settings, jobs),
        *paper_routes.routes(settings, jobs),
    ]
