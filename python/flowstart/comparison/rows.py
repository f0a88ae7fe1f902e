"""The rows of a comparison: one for each flow, or for each request on a connection."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from flowstart.comparison import landing
from flowstart.comparison.plan import Case, Plan
from flowstart.simulation import frames

if TYPE_CHECKING:
    from flowstart._native import Batch, Outcomes

Row: TypeAlias = dict[str, Any]
Writes: TypeAlias = Mapping[tuple[int, int, int], Row]
"""Rows of `transfers` by run, flow and write."""

OBJECT_FIELDS = ("web", "session", "page", "object", "requested_s", "response_s", "done_s")
"""Columns that only responses of web sessions have."""
NANOSECOND = 9
"""Digits of a time in seconds."""
COUNTED = ("packets_sent", "packets_dropped", "packets_retransmitted", "timeouts")
"""Columns of a flow that its writes have as well."""
EXIT_FIELDS = (
    "startup_exit_s",
    "startup_exit_cwnd_segments",
    "startup_exit_flight_bytes",
    "startup_exit_reason",
)


def placed(outcomes: "Outcomes", cases: list[Case], plan: Plan) -> list[Row]:
    """The flows' rows with their places in the comparison.

    Requests are left out: the time of a response or an object counts from its request.
    """
    places, requesting = plan.places(), plan.requesting()
    objects = {(row["run"], row["flow"]): row for row in frames.rows(outcomes["objects"])}
    writes = {
        (row["run"], row["flow"], row["transfer"]): row
        for row in (frames.rows(outcomes["transfers"]) if plan.has_requests() else [])
    }
    measured = landing.measured(outcomes)
    none = dict.fromkeys(landing.MEASURES) if measured else {}
    found = []
    for row in frames.rows(outcomes["flows"]):
        run, flow = row["run"], row["flow"]
        part, entry = objects.get((run, flow)), None
        if part:
            is_tested = part["web"] in plan.tested_web
        elif flow < len(places) and places[flow] not in requesting:
            entry = places[flow]
            is_tested = entry in plan.tested
        else:
            continue
        more = {name: part and part[name] for name in OBJECT_FIELDS} if plan.base.get("web") else {}
        case = cases[run]
        more |= measured.get((run, flow), none)
        more |= {"tested": is_tested, "variant": case.startup, "size": case.size}
        if is_tested:  # a startup under test as it was asked for
            more["startup"] = plan.variant(case.startup).begins
        listed = plan.base["flows"][entry].get("writes", []) if entry is not None else []
        if is_tested and len(listed) > 1:
            found += [one | more for one in _requests(row, listed, writes)]
        else:
            found.append(row | {"request": None} | more)
    return found


def _requests(flow: Row, listed: list[dict[str, Any]], writes: Writes) -> Iterator[Row]:
    """A row for each write of a flow.

    Its time counts from the write that it waits for: the client's request.
    """
    for number, entry in enumerate(listed):
        mine = writes[flow["run"], flow["flow"], number]
        asked = mine
        if cause := entry.get("after"):
            asked = writes[flow["run"], cause["flow"], cause.get("write", 0)]
        begin, available = asked["available_s"], mine["available_s"]
        fct, duration = (
            None if end is None else round(end - begin, NANOSECOND)
            for end in (mine["delivered_s"], mine["acked_s"])
        )
        ideal = None if available is None else available - begin + mine["ideal_fct_s"]
        exits = _exits_within(flow, available, mine["acked_s"])
        yield (
            flow
            | {name: mine[name] for name in COUNTED}
            | {
                "request": number + 1,
                "size_bytes": mine["bytes"],
                "fct_s": fct,
                "duration_s": duration,
                "ideal_fct_s": ideal,
                "slowdown": fct / ideal if fct is not None and ideal else None,
                "complete": duration is not None,
            }
            | ({} if exits else dict.fromkeys(EXIT_FIELDS))
        )


def _exits_within(flow: Row, begin: float | None, end: float | None) -> bool:
    """Whether the flow's startup ended between two times."""
    exit_s = flow["startup_exit_s"]
    if exit_s is None or begin is None:
        return False
    at = flow["opened_s"] + exit_s
    return begin <= at and (end is None or at <= end)


def failed(batch: "Batch", cases: Sequence[Case]) -> list[str]:
    """Why runs failed, where any did."""
    runs = frames.rows(batch["runs"])
    return [_failure(cases[run["run"]], run["error"]) for run in runs if run["error"]]


def _failure(case: Case, error: str) -> str:
    size = f" with {case.size}" if case.size else ""
    return f"{case.startup}{size}, seed {case.seed}: {error}"
