"""The addresses of jobs: how far one is, and its end."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from flowstart.explorer.http import body
from flowstart.explorer.http.fields import Fields
from flowstart.explorer.http.replies import json
from flowstart.explorer.running.jobs import Jobs


def routes(jobs: Jobs) -> list[Route]:
    """`/api/jobs/look` and `/api/jobs/cancel`."""

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
    ]
