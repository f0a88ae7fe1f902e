"""The addresses of captures: a file is dropped, replayed, and asked about transfer by transfer."""

from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from flowstart.errors import RequestError
from flowstart.explorer.captures.uploads import MOST_BYTES, File, Uploads
from flowstart.explorer.jobs import BackgroundJob, Jobs
from flowstart.explorer.requests import LONGEST, Fields, pieces, posted
from flowstart.explorer.settings import PageSettings
from flowstart.model.path import IMPAIRING

if TYPE_CHECKING:
    from flowstart.replays.result import Replay

MEANT = (
    *("startup", "baseline", "seed", "stack", "cc", "iw", "ack"),
    *("rate", "rtt", "buffer", "loss", "reverse_rate", "reverse_buffer", *IMPAIRING),
)
"""What of a state means something beside a capture; a path's fields override what it tells."""


def routes(settings: PageSettings, jobs: Jobs) -> list[Route]:
    """`/api/captures/...`."""
    uploads = Uploads(settings.captures)

    async def listed(_: Request) -> Response:
        return JSONResponse({"files": uploads.files, "most_bytes": MOST_BYTES})

    async def upload(request: Request) -> Response:
        name = request.query_params.get("name", "").strip()
        if not 0 < len(name) <= LONGEST or not name.isprintable():
            raise RequestError(f"name: the file's name of at most {LONGEST} letters is needed")
        upload = await uploads.take(name, pieces(request, MOST_BYTES))
        return JSONResponse({"id": upload.id, "name": upload.name})

    def replay(fields: Fields) -> dict[str, str]:
        return {"job": _replay(fields, settings, uploads[fields.text("file")], jobs).id}

    def transfers(fields: Fields) -> dict[str, Any]:
        from flowstart.explorer.captures import replayed

        network = fields.text("network") if "network" in fields else None
        size_class = fields.text("class", replayed.EVERYTHING)
        return replayed.transfers(done(fields), size_class, network, fields.whole("first", 0))

    def transfer(fields: Fields) -> dict[str, Any]:
        from flowstart.explorer.captures import replayed

        return replayed.transfer(done(fields), fields.whole("transfer"))

    def done(fields: Fields) -> "Replay":
        from flowstart.replays.result import Replay

        replay = jobs[fields.text("job")].kept
        if not isinstance(replay, Replay):
            raise RequestError("job: its replay is not there; wait until it is done")
        return replay

    return [
        Route("/api/captures", listed),
        Route("/api/captures/upload", upload, methods=["POST"]),
        posted("/api/captures/replay", ("file", "given", "direction", "quick"), replay),
        posted("/api/captures/transfers", ("job", "class", "network", "first"), transfers),
        posted("/api/captures/transfer", ("job", "transfer"), transfer),
    ]


def _replay(fields: Fields, settings: PageSettings, file: File, jobs: Jobs) -> BackgroundJob:
    """Begins the replay of a file, once it is known that it can be asked for."""
    options = settings.typed(fields.any("given") or {})
    for name in options:
        if name not in MEANT:
            raise RequestError(f"--{name.replace('_', '-')}: a replay has no use for it")
    startups = options.pop("startup", None)
    workers = 1 if set(startups or ()) & set(settings.custom) else settings.workers
    if "direction" in fields:
        options["direction"] = fields.text("direction")
    if fields.flag("quick"):
        options["uncertainty"] = False

    def work(job: BackgroundJob) -> None:
        from flowstart.explorer.captures import replayed

        replayed.work(job, file.place, file.name, options, startups=startups, workers=workers)

    return jobs.start(work)
