"""Answers to requests about a path: the table of `flowstart compare`, lines, packets, ranges."""

import os
from typing import TYPE_CHECKING, Any, TypeAlias

from flowstart.comparison.execute import prepare, with_intervals
from flowstart.errors import RequestError
from flowstart.explorer import grids
from flowstart.explorer.path import state
from flowstart.explorer.running.stopping import Stop
from flowstart.explorer.settings import Settings
from flowstart.model.custom import CustomStartups
from flowstart.simulation.batch import run_many
from flowstart.simulation.trajectories import Cancel, Cancelled

if TYPE_CHECKING:
    from flowstart import _native

Means: TypeAlias = "tuple[_native.CustomStartups, int, Cancel]"
"""Startups in Python, threads, and what ends the runs."""


def compare(request: bytes, settings: Settings, stop: Stop) -> bytes:
    """A frame with the table, and with what every startup did over time."""
    try:
        return settings.native.compare(request, _means(request, settings, stop))
    except KeyboardInterrupt:
        stop.check()
        raise


def packets(request: bytes, settings: Settings, stop: Stop) -> str:
    """The first packets of a startup's first flow, one by one, as JSON."""
    try:
        return settings.native.packets(request, _means(request, settings, stop))
    except KeyboardInterrupt:
        stop.check()
        raise


def intervals(given: Any, settings: Settings, stop: Stop) -> dict[str, Any]:
    """The table again with intervals, and what they make of it."""
    plan = state.checked(given, settings)
    # A copy of this process would have the server's sockets.
    workers = 1 if plan.custom.known else settings.workers
    try:
        ready = prepare(plan)
        batch = run_many(ready.scenarios, workers, stop.progress, plan.custom)
        stop.check()
        found = ready.result(batch)
        if found.records:
            found = with_intervals(found, workers=workers, progress=stop.progress)
    except RequestError as error:
        raise error.in_options() from None
    except KeyboardInterrupt:
        raise Cancelled("the runs were cancelled") from None
    stop.check()
    table = grids.document(found.table)
    return {"table": table, "legend": found.legend, "verdict": found.verdict}


def _means(request: bytes, settings: Settings, stop: Stop) -> Means:
    """What a request is answered with. Startups in Python are loaded for each request."""
    custom = CustomStartups()
    custom.names(settings.native.custom(request))
    workers = 1 if custom.known else settings.workers or os.cpu_count() or 1
    return custom.natives(), workers, stop.cancel
