"""What became of each request of a load, in the simulator and in the kernel, and in summary."""

import math
from collections.abc import Iterator, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any

from flowstart.live_runs.plan import LINUX, SIMULATED
from flowstart.live_runs.rows import Row, difference
from flowstart.simulation import frames

if TYPE_CHECKING:
    from flowstart._native import LoadOutcome, Outcome

PLACE = ("web", "session", "page", "object")
"""Where an object is among the sessions."""
KEY = ("flow", *PLACE)
"""What tells requests apart."""
P95 = 0.95


def simulated(outcome: "Outcome") -> list[Row]:
    """A row for each flow that is none of a session's, and for each object."""
    flows, objects = frames.rows(outcome["flows"]), frames.rows(outcome["objects"])
    of_sessions = {o["request_flow"] for o in objects} | {o["flow"] for o in objects}
    rows = [
        _simulated(flow, flow["flow"], {}, flow["opened_s"], flow["fct_s"])
        for flow in flows
        if flow["flow"] not in of_sessions
    ]
    by_number = {flow["flow"]: flow for flow in flows}
    for found in objects:
        answer = by_number.get(found["flow"], {})
        rows.append(_simulated(answer, None, found, found["requested_s"], found["response_s"]))
    return rows


def _simulated(
    flow: Row, number: int | None, place: Row, asked_s: float, fct_s: float | None
) -> Row:
    return {
        "transport": SIMULATED,
        "repeat": 0,
        "flow": number,
        **{name: place.get(name) for name in PLACE},
        "size_bytes": flow.get("size_bytes"),
        "asked_s": asked_s,
        "fct_s": fct_s,
        "packets_retransmitted": flow.get("packets_retransmitted"),
        "startup_exit_reason": flow.get("startup_exit_reason"),
        "startup_exit_cwnd_segments": flow.get("startup_exit_cwnd_segments"),
        "failure": None,
    }


def live(outcome: "LoadOutcome", repeat: int, flows: int) -> list[Row]:
    """A row for each request of a run in the kernel; the scenario has so many flows of its own."""
    columns = outcome["requests"]
    shared = (
        *("size_bytes", "asked_s", "fct_s", "packets_retransmitted"),
        *("startup_exit_reason", "startup_exit_cwnd_segments", "failure"),
    )
    rows = []
    for at, number in enumerate(columns["number"]):
        is_flow = number < flows
        place = (None,) * len(PLACE) if is_flow else outcome["objects"][number - flows]
        rows.append(
            {
                "transport": LINUX,
                "repeat": repeat,
                "flow": number if is_flow else None,
                **dict(zip(PLACE, place, strict=True)),
                **{name: columns[name][at] for name in shared},
            }
        )
    return rows


def key(row: Row) -> tuple[Any, ...]:
    """What tells a request from the others of its run."""
    return tuple(row[name] for name in KEY)


def summary(rows: Sequence[Row]) -> list[Row]:
    """A row for each class of sizes, the smallest first: both transports, and how far apart.

    With several runs in the kernel a number of it is the median of those of the runs, beside the
    least and the most of them.
    """
    return [_class(above, under, of) for (above, under), of in _classes(rows)]


def decade(size: float) -> tuple[float, float]:
    """The class of a size: above the first and up to the second, in bytes."""
    top = 10.0 ** max(4, math.ceil(math.log10(max(size, 1)) - 1e-9))
    return (top / 10 if top > 1e4 else 0.0), top


def _classes(rows: Sequence[Row]) -> Iterator[tuple[tuple[float, float], list[Row]]]:
    by_class: dict[tuple[float, float], list[Row]] = {}
    for row in rows:
        if row["size_bytes"] is not None:
            by_class.setdefault(decade(row["size_bytes"]), []).append(row)
    yield from sorted(by_class.items())


def _class(above: float, under: float, rows: Sequence[Row]) -> Row:
    ours = [row for row in rows if row["transport"] == SIMULATED]
    runs: dict[int, list[Row]] = {}
    for row in rows:
        if row["transport"] != SIMULATED:
            runs.setdefault(row["repeat"], []).append(row)
    found: Row = {"above_bytes": above, "up_to_bytes": under, "requests": len(ours)}
    done = sum(1 for of in runs.values() for row in of if row["fct_s"] is not None)
    found["live_incomplete"] = sum(map(len, runs.values())) - done
    for name, share in (("median", 0.5), ("p95", P95)):
        simulated_s = quantile(_times(ours), share)
        per_run = [quantile(_times(of), share) for of in runs.values()]
        known = [value for value in per_run if value is not None]
        live_s = median(known) if known else None
        found |= {
            f"simulated_{name}_s": simulated_s,
            f"live_{name}_s": live_s,
            f"live_{name}_least_s": min(known, default=None),
            f"live_{name}_most_s": max(known, default=None),
            f"{name}_difference": difference(simulated_s, live_s),
        }
    again = [sum(row["packets_retransmitted"] or 0 for row in of) for of in runs.values()]
    found["simulated_retransmitted"] = sum(row["packets_retransmitted"] or 0 for row in ours)
    found["live_retransmitted"] = median(again) if again else None
    return found


def _times(rows: Sequence[Row]) -> list[float]:
    return sorted(row["fct_s"] for row in rows if row["fct_s"] is not None)


def quantile(ordered: Sequence[float], share: float) -> float | None:
    """The value at this share of ordered ones, between two neighbours by their distance."""
    if not ordered:
        return None
    at = share * (len(ordered) - 1)
    below = math.floor(at)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (at - below) * (ordered[above] - ordered[below])
