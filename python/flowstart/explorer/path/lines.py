"""Lines over time as a frame has them: JSON says where in its tail their numbers are."""

from typing import Any

from flowstart.explorer.http.frames import Tail
from flowstart.simulation.trajectories import Line, Traced, Trajectory


def document(traced: Traced, run: int, place: int, row: dict[str, Any], tail: Tail) -> Any:
    """What the flow at a `place` among those traced of a run did; `row` is its row of the table.

    The numbers are appended to `tail`.
    """
    found = traced.found[run][place]
    return {
        "startup": row["variant"],
        "flow": row["flow"],
        "bdp_pkts": row["bdp_pkts"],
        "done_s": None if row["fct_s"] is None else row["opened_s"] + row["fct_s"],
        "end_s": _end(row, found, traced),
        "exit": _exit(row),
        "lines": {name: _line(line, tail) for name, line in found.lines.items()},
        "events": {
            name: _line(points, tail) | {"total": points.total}
            for name, points in found.events.items()
        },
    }


def _line(line: Line, tail: Tail) -> dict[str, int]:
    bins, values = tail.add(line.bins), tail.add(line.values)
    return {"bins": bins, "values": values, "count": len(line.bins) // 2}


def _end(row: dict[str, Any], found: Trajectory, traced: Traced) -> float:
    """When the last byte was acknowledged; else when anything happened last."""
    if row["duration_s"] is not None:
        return float(row["opened_s"] + row["duration_s"])
    last = (line.bins[-2:] for line in found.lines.values() if line.bins)
    bins = max((int.from_bytes(piece, "little") + 1 for piece in last), default=0)
    return traced.from_s + bins * traced.bin_s


def _exit(row: dict[str, Any]) -> dict[str, Any] | None:
    """When, at which window and why startup ended; None where it did not."""
    if row["startup_exit_s"] is None:
        return None
    return {
        "at_s": row["opened_s"] + row["startup_exit_s"],
        "cwnd_segments": row["startup_exit_cwnd_segments"],
        "reason": row["startup_exit_reason"],
    }
