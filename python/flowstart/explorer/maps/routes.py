"""The addresses of the map: of rate and round trip, and of sweeps' folders.

What answers is imported when it is first asked, so that the page is there sooner.
"""

import functools
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from flowstart.errors import RequestError
from flowstart.explorer.path import plan_of, written
from flowstart.explorer.requests import Fields, posted, read
from flowstart.explorer.settings import PageSettings
from flowstart.explorer.working import Stop, done

if TYPE_CHECKING:
    from flowstart.explorer.maps.swept import Folders
    from flowstart.maps.result import SweepMap

MAP = ("map", "by")
"""Which map is asked about."""
PLACE = ("column", "row", "x", "y")
"""Where a tile is: its panel's column and row, and its place there."""


def routes(settings: PageSettings) -> list[Route]:
    """`/api/map` for a level of the map; `/api/maps/...` for folders."""

    async def level(request: Request) -> Response:
        fields = Fields(await read(request), ("given", "rates", "rtts", "level"))
        return JSONResponse(await done(request, lambda stop: _level(fields, settings, stop)))

    @functools.cache
    def folders() -> "Folders":
        from flowstart.explorer.maps.swept import Folders

        return Folders([str(folder) for folder in settings.maps])

    def found(fields: Fields) -> "SweepMap":
        return folders().map(fields.whole("map", 0), fields.texts("by", ("rate", "rtt")))

    def summary(fields: Fields) -> dict[str, Any]:
        from flowstart.explorer.maps import swept

        return swept.summary(found(fields))

    def tile(fields: Fields) -> dict[str, Any]:
        from flowstart.explorer.maps import swept

        return swept.tile(found(fields), *(fields.whole(name) for name in PLACE))

    def cell(fields: Fields) -> dict[str, Any]:
        from flowstart.explorer.maps import swept

        return swept.cell(found(fields), fields.whole("cell"))

    return [
        Route("/api/map", level, methods=["POST"]),
        posted("/api/maps/read", MAP, summary),
        posted("/api/maps/tile", (*PLACE, *MAP), tile),
        posted("/api/maps/cell", ("cell", *MAP), cell),
    ]


def _level(fields: Fields, settings: PageSettings, stop: Stop) -> dict[str, Any]:
    from flowstart.explorer.maps import levels

    plan = plan_of(fields.any("given"), settings)
    extent = levels.Extent.of(fields.any("rates"), fields.any("rtts"))
    workers = 1 if plan.custom.known else settings.workers
    try:
        level = levels.level(
            plan, extent, fields.any("level") or 0, workers=workers, progress=stop.progress
        )
    except RequestError as error:
        raise error.in_options(written(fields.any("given"))) from None
    stop.check()
    return level
