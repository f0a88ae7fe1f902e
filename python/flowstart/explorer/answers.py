"""Answers to what a page asks about a path: the table of `flowstart compare`, and lines."""

from typing import Any

from flowstart.comparison.execute import Prepared, with_intervals
from flowstart.comparison.plan import Plan
from flowstart.comparison.result import Comparison
from flowstart.errors import RequestError
from flowstart.explorer import grids, scenario_file, state, work
from flowstart.explorer.frames import Tail, frame
from flowstart.explorer.remembered import Remembered
from flowstart.explorer.requests import CompareRequest
from flowstart.explorer.settings import Settings
from flowstart.explorer.stopping import Stop
from flowstart.simulation.batch import run_many


class Answers:
    """What one explorer answers."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._remembered = Remembered()

    def compare(self, request: CompareRequest, stop: Stop) -> bytes:
        """A frame with the table, and with what every start-up did over time."""
        fields = state.typed(request.given, self._settings)
        ready = work.prepared(request.given, self._settings)
        found = self._remembered.get(fields) or self._run(ready, fields, stop)
        tail = Tail()
        head = _told(found) | {
            "from_s": request.from_s,
            "bin_s": 0.0,
            "trajectories": [],
        }
        return frame(head, tail)

    def intervals(self, given: Any, stop: Stop) -> dict[str, Any]:
        """The table again with intervals, and what they make of it."""
        fields = state.typed(given, self._settings)
        ready = work.prepared(given, self._settings)
        found = self._remembered.get(fields) or self._run(ready, fields, stop)
        if found.rows:
            found = with_intervals(
                found, workers=_workers(ready.plan, self._settings), progress=stop.progress
            )
        stop.check()
        return {
            "table": grids.document(found.table),
            "legend": found.legend,
            "verdict": found.verdict,
        }

    def _run(self, ready: Prepared, fields: dict[str, Any], stop: Stop) -> Comparison:
        """The comparison without lines; remembered."""
        workers = _workers(ready.plan, self._settings)
        try:
            batch = run_many(ready.scenarios, workers, stop.progress, ready.plan.custom)
        except RequestError as error:
            raise state.in_options(error) from None
        stop.check()
        found = ready.result(batch)
        self._remembered.put(fields, found)
        return found


def _workers(plan: Plan, settings: Settings) -> int | None:
    """Start-ups in Python stay in this process: a copy of it would have the server's sockets."""
    return 1 if plan.custom.known else settings.workers


def _told(found: Comparison) -> dict[str, Any]:
    """What the command line prints of a comparison, and its rows."""
    first = found.plan.cases()[0]
    return {
        "headline": found.headline,
        "command": found.command,
        "scenario": scenario_file.written(found.plan.scenario(first)),
        "table": grids.document(found.table),
        "legend": found.legend,
        "warnings": [*found.warnings, *found.failures],
        "rows": found.rows,
    }
