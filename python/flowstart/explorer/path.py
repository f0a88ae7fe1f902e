"""The addresses of the explore view: table, lines, packets and intervals of a path."""

import json
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from flowstart._native import split
from flowstart.comparison import request as options
from flowstart.comparison.execute import prepare, with_intervals
from flowstart.comparison.plan import Plan
from flowstart.errors import RequestError
from flowstart.explorer.about import about
from flowstart.explorer.requests import Fields, read
from flowstart.explorer.settings import PageSettings
from flowstart.explorer.working import Stop, done
from flowstart.model.custom import CustomStartups
from flowstart.questions.compare import Compare
from flowstart.simulation.batch import run_many
from flowstart.simulation.trajectories import Cancel, Cancelled

if TYPE_CHECKING:
    from flowstart import _native

T = TypeVar("T")
Means: TypeAlias = "tuple[_native.CustomStartups, int, Cancel]"
"""Startups in Python, threads, and what ends the runs."""
USUAL_SIZE = "1MB"
"""What is transferred where no size is given."""


def routes(settings: PageSettings) -> list[Route]:
    """`/api/about`, `/api/compare`, `/api/intervals` and `/api/packets`."""

    async def choices(_: Request) -> Response:
        return JSONResponse(about(settings))

    async def compare(request: Request) -> Response:
        body = await read(request)
        native = settings.native.compare
        frame = await done(request, lambda stop: answered(native, body, settings, stop))
        return Response(frame, media_type="application/octet-stream")

    async def packets(request: Request) -> Response:
        body = await read(request)
        native = settings.native.packets
        content = await done(request, lambda stop: answered(native, body, settings, stop))
        return Response(content, media_type="application/json")

    async def ranges(request: Request) -> Response:
        state = Fields(await read(request), ("given",)).any("given")
        return JSONResponse(await done(request, lambda stop: intervals(state, settings, stop)))

    return [
        Route("/api/about", choices),
        Route("/api/compare", compare, methods=["POST"]),
        Route("/api/intervals", ranges, methods=["POST"]),
        Route("/api/packets", packets, methods=["POST"]),
    ]


def answered(
    native: Callable[[bytes, Means], T], request: bytes, settings: PageSettings, stop: Stop
) -> T:
    """What the native page makes of a request. Startups in Python are loaded for each."""
    custom = CustomStartups()
    custom.names(settings.native.custom(request))
    workers = 1 if custom.known else settings.workers or os.cpu_count() or 1
    try:
        return native(request, (custom.natives(), workers, stop.cancel))
    except KeyboardInterrupt:
        stop.check()
        raise


def intervals(state: object, settings: PageSettings, stop: Stop) -> dict[str, Any]:
    """The table again with intervals, and what they make of it."""
    plan = checked(state, settings)
    # A copy of this process would have the server's sockets.
    workers = 1 if plan.custom.known else settings.workers
    try:
        ready = prepare(plan)
        batch = run_many(ready.scenarios, workers, stop.progress, plan.custom)
        stop.check()
        result = ready.result(batch)
        if result.records:
            result = with_intervals(result, workers=workers, progress=stop.progress)
    except RequestError as error:
        raise error.in_options(written(state)) from None
    except KeyboardInterrupt:
        raise Cancelled("the runs were cancelled") from None
    stop.check()
    return {"table": result.table.document(), "legend": result.legend, "verdict": result.verdict}


def checked(state: object, settings: PageSettings) -> Plan:
    """As `plan_of`; raises RequestError also where the runs are more than a response may cost."""
    plan = plan_of(state, settings)
    settings.native.check(json.dumps(state), plan.custom.natives())
    return plan


def plan_of(state: object, settings: PageSettings) -> Plan:
    """What is compared; `state` is the page's state by flag, of any type.

    Raises RequestError, whose text calls options as the command line does.
    """
    fields = settings.typed(state)
    size = fields.get("size", USUAL_SIZE)
    fields |= {"startups": fields.get("startup"), "sizes": split(size) or [size]}
    try:
        return options.plan(Compare(**options.question_of(fields)))
    except RequestError as error:
        raise error.in_options(written(state)) from None


def written(state: object) -> set[str]:
    """The options that a page's state has, as the command line names them."""
    names = state if isinstance(state, dict) else {}
    return {f"--{str(name).replace('_', '-')}" for name in names}
