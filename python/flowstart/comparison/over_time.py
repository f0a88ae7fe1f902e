"""What each startup's first flow under test does over time, as a report has it."""

import json
import struct
from collections.abc import Sequence
from typing import Any

from flowstart.comparison.plan import Case
from flowstart.comparison.result import Comparison
from flowstart.render import text
from flowstart.render.listed import OverTime
from flowstart.simulation.trajectories import Line, Points, Trajectory, Window, trajectories

LINES = ("cwnd", "queue", "sent", "acked", "pacing")
"""What a report holds; the delivery rate follows from what is acknowledged."""
EVENTS = ("drop", "retransmit")
MOST_BINS = 400
LEAST_BINS = 100
BINS = 24_000
"""About so many bins in all flows of a report together, so that its size has a bound."""
MOST_EVENTS = 60
"""Points of an event that a flow has; of more, one in so many."""
DIGITS = 4


def over_time(result: Comparison, sizes: Sequence[tuple[str | None, int]]) -> list[OverTime]:
    """The flows of these sizes (as asked, and their bytes) over time; simulated again for it."""
    flows = len(sizes) * len(result.order)
    bins = max(LEAST_BINS, min(MOST_BINS, BINS // max(1, flows)))
    return [_of_size(result, size, count, bins) for size, count in sizes]


def _of_size(result: Comparison, size: str | None, count: int, bins: int) -> OverTime:
    plan = result.plan
    first = [_first(result, size, startup) for startup in result.order]
    cases = [Case(startup, size, plan.seeds[0]) for startup in result.order]
    scenarios = [json.dumps(plan.scenario(case)) for case in cases]
    flows = [[row["flow"]] for row in first]
    traced = trajectories(scenarios, flows, Window(bins), plan.custom)
    told = [
        _told(row, found[0], traced.bin_s)
        for row, found in zip(first, traced.found, strict=True)
        if found
    ]
    trips = [row["min_rtt_s"] for row in first if row["min_rtt_s"] is not None]
    return OverTime(text.size(count), traced.bin_s, min(trips, default=None), told)


def _first(result: Comparison, size: str | None, startup: str) -> dict[str, Any]:
    """The row of the first flow under test."""
    asked = (size, startup, result.plan.seeds[0])
    return next(
        row
        for row in result.records
        if row["tested"] and (row["size"], row["variant"], row["seed"]) == asked
    )


def _told(row: dict[str, Any], found: Trajectory, bin_s: float) -> dict[str, Any]:
    lines = {name: _line(found.lines[name]) for name in LINES}
    events = {name: _events(found.events[name]) for name in EVENTS}
    last = max((sum(line[0]) for line in lines.values()), default=0)
    done = row["opened_s"] + row["duration_s"] if row["duration_s"] is not None else None
    end_s = done if done is not None else (last + 1) * bin_s
    left = row["startup_exit_s"], row["startup_exit_cwnd_segments"], row["startup_exit_reason"]
    return {
        "startup": row["variant"],
        "flow": row["flow"],
        "bdp_pkts": row["bdp_pkts"],
        "done_s": None if row["fct_s"] is None else _time(row["opened_s"] + row["fct_s"]),
        "end_s": _time(end_s),
        "exit": None if left[0] is None else [_time(left[0]), left[1], left[2]],
        "lines": lines,
        "events": events,
    }


def _time(value_s: float) -> float:
    return float(f"{value_s:.6g}")


def _line(line: Line, step: int = 1) -> tuple[list[int], list[float | None]]:
    """The bins, each as a step from the one before, and the values."""
    bins = [found for (found,) in struct.iter_unpack("<H", line.bins)][::step]
    values = [_rounded(found) for (found,) in struct.iter_unpack("<f", line.values)][::step]
    return [b - a for a, b in zip([0, *bins], bins, strict=False)], values


def _events(points: Points) -> tuple[list[int], list[float | None], int]:
    """The same of points, some of them where they are many, and how many there were."""
    count = len(points.bins) // 2
    return *_line(points, max(1, -(-count // MOST_EVENTS))), points.total


def _rounded(value: float) -> float | None:
    if value != value:  # nothing from then on
        return None
    near = float(f"{value:.{DIGITS}g}")
    return int(near) if near.is_integer() else near
