"""Answers to what a page asks about a path: the table of `flowstart compare`, and lines."""

from dataclasses import asdict
from typing import Any

from flowstart.comparison.execute import Prepared, with_intervals
from flowstart.comparison.plan import Case, Plan
from flowstart.comparison.result import Comparison
from flowstart.errors import RequestError
from flowstart.explorer import grids
from flowstart.explorer.http.frames import Tail, frame
from flowstart.explorer.path import limits, lines, scenario_file, state
from flowstart.explorer.path.remembered import Remembered
from flowstart.explorer.path.requests import CompareRequest, PacketsRequest
from flowstart.explorer.running.stopping import Stop
from flowstart.explorer.settings import Settings
from flowstart.model.catalog import suggest
from flowstart.model.document import encode, resolve
from flowstart.model.quantities import read_seconds
from flowstart.simulation.batch import run_many
from flowstart.simulation.trajectories import Traced, Window, packets, trajectories

MOST_FLOWS = 4
"""Flows of a startup whose rows and lines are answered at most; the table is of all of them."""
MOST_LINES = 12
"""The same of all startups together, as far as each startup has one."""
MOST_BINS = 3400
"""Columns times flows: with more, bins are wider, so that an answer stays below some 150 kB."""


class Answers:
    """What one explorer answers."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._remembered = Remembered()

    def compare(self, request: CompareRequest, stop: Stop) -> bytes:
        """A frame with the table, and with what every startup did over time."""
        fields = state.typed(request.given, self._settings)
        ready = limits.prepared(request.given, self._settings)
        traced = self._traced(ready, request, stop)
        if request.to_s is None:
            found = ready.result(traced.batch)
            self._remembered.put(fields, found)
        else:  # runs that were stopped at `to_s` have no rows to show
            found = self._whole(ready, fields, stop)
        tail = Tail()
        head = _told(found, _flows_of_each(ready)) | {
            "from_s": traced.from_s,
            "bin_s": traced.bin_s,
            "trajectories": _trajectories(found, traced, tail),
        }
        return frame(head, tail)

    def intervals(self, given: Any, stop: Stop) -> dict[str, Any]:
        """The table again with intervals, and what they make of it."""
        fields = state.typed(given, self._settings)
        ready = limits.prepared(given, self._settings)
        found = self._whole(ready, fields, stop)
        if found.records:
            workers = _workers(ready.plan, self._settings)
            found = with_intervals(found, workers=workers, progress=stop.progress)
        stop.check()
        table = grids.document(found.table)
        return {"table": table, "legend": found.legend, "verdict": found.verdict}

    def packets(self, request: PacketsRequest, stop: Stop) -> dict[str, Any]:
        """The first packets of a startup's first flow, one by one."""
        plan = limits.prepared(request.given, self._settings).plan
        if request.startup not in plan.startups:
            right = suggest(request.startup, list(plan.startups))
            raise RequestError(f"startup: `{request.startup}` is not among those in `given`{right}")
        document = plan.scenario(Case(request.startup, plan.sizes[0], plan.seeds[0]))
        found = packets(encode(document), 0, request.most, plan.custom, stop.cancel)
        rtt = resolve(document, plan.custom)["flows"][0]["rtt"]
        return {"rtt_s": read_seconds(rtt), **asdict(found)}

    def _traced(self, ready: Prepared, request: CompareRequest, stop: Stop) -> Traced:
        """The runs, with the lines of their first flows."""
        custom, scenarios = ready.plan.custom, ready.scenarios
        flows = range(_flows_of_each(ready))
        columns = min(request.columns, MOST_BINS // (len(flows) * len(scenarios)))
        window = Window(columns, request.from_s, request.to_s)
        workers = _workers(ready.plan, self._settings)
        try:
            return trajectories(
                scenarios, [flows] * len(scenarios), window, custom, workers, stop.cancel
            )
        except RequestError as error:
            raise error.in_options() from None

    def _whole(self, ready: Prepared, fields: dict[str, Any], stop: Stop) -> Comparison:
        """The comparison to its end, which may have been answered before."""
        if known := self._remembered.get(fields):
            return known
        workers = _workers(ready.plan, self._settings)
        batch = run_many(ready.scenarios, workers, stop.progress, ready.plan.custom)
        stop.check()
        found = ready.result(batch)
        self._remembered.put(fields, found)
        return found


def _flows_of_each(ready: Prepared) -> int:
    """How many flows of each startup have rows and lines."""
    there = len(ready.plan.places())
    return max(1, min(MOST_FLOWS, MOST_LINES // len(ready.cases), there))


def _workers(plan: Plan, settings: Settings) -> int | None:
    """Startups in Python stay in this process: a copy of it would have the server's sockets."""
    return 1 if plan.custom.known else settings.workers


def _trajectories(found: Comparison, traced: Traced, tail: Tail) -> list[Any]:
    """The lines of every startup's first flows, in the order of the table."""
    rows = {(row["run"], row["flow"]): row for row in found.records}
    documents = [
        lines.document(traced, run, flow, rows[run, flow], tail)
        for run, of_run in enumerate(traced.found)
        for flow in range(len(of_run))
        if (run, flow) in rows
    ]
    return sorted(documents, key=lambda one: found.order.index(one["startup"]))


def _told(found: Comparison, flows: int) -> dict[str, Any]:
    """What the command line prints of a comparison, and the rows of so many flows of each run."""
    first = found.plan.cases()[0]
    return {
        "headline": found.headline,
        "startups": list(found.plan.startups),
        "command": found.plan.command,
        "scenario": scenario_file.written(found.plan.scenario(first)),
        "table": grids.document(found.table),
        "legend": found.legend,
        "warnings": [*found.warnings, *found.failures],
        "rows": [row for row in found.records if row["flow"] < flows],
    }
