"""What is read from a run: exits, windows over time, losses, rounds and their ACK trains."""

import itertools
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from flowstart.render import thinning
from flowstart.simulation import frames
from flowstart.simulation.run import Run

MSS = 1460
SEND, ACK, DROP = 0, 2, 6
"""Events of a trace."""
COLUMNS = 600
"""Pixels of a figure that a curve's points are thinned to."""
SPACED_S = 0.002
"""ACKs further apart do not belong to one train (Algorithm 1)."""
SAMPLES = 8
"""RTTs of a round that Algorithm 1 looks at."""

Curve: TypeAlias = dict[str, list[float | None]]
Columns: TypeAlias = dict[str, NDArray[Any]]


def columns(run: Run, flow: int = 0) -> Columns:
    """The samples of a flow as arrays, times in seconds."""
    samples = run.flow_samples
    assert samples is not None
    mine = samples.filter(samples["flow"] == flow)
    found: Columns = {name: mine[name].to_numpy() for name in mine.columns}
    found["time"] = found["time_ns"] / 1e9
    found["seq_bytes"] = found["seq_bytes"].astype(np.int64)
    return found


def window(run: Run, flow: int = 0) -> Curve:
    """The window and the threshold over time, thinned for a picture."""
    trace = columns(run, flow)
    known = trace["event"] != DROP
    time, cwnd, ssthresh = (trace[name][known] for name in ("time", "cwnd", "ssthresh"))
    kept = drawn(time, cwnd, ssthresh)
    return {
        "time_s": [round(float(at), 4) for at in time[kept]],
        "cwnd": [round(float(packets), 1) for packets in cwnd[kept]],
        "ssthresh": [
            round(float(packets), 1) if np.isfinite(packets) else None for packets in ssthresh[kept]
        ],
    }


def exits(run: Run) -> list[dict[str, Any]]:
    """Where each flow leaves slow start, and what it loses."""
    return [
        {
            "by": row["startup_exit_reason"],
            "cwnd": row["startup_exit_cwnd_segments"],
            "after_s": row["startup_exit_s"],
            "lost": row["packets_dropped"],
            "peak": row["max_cwnd_segments"],
            "bdp": row["bdp_pkts"],
            "bytes": row["bytes_delivered"],
            "timeouts": row["timeouts"],
            "opened_s": row["opened_s"],
        }
        for row in run.records
        if row["size_bytes"] is None
    ]


def windows(run: Run) -> dict[str, Any]:
    """The exits and the windows of two flows."""
    return {"exits": exits(run), "windows": [window(run, flow) for flow in (0, 1)]}


def drawn(time: NDArray[Any], *lines: NDArray[Any]) -> NDArray[np.intp]:
    """Which points of lines over time a figure of a paper draws."""
    return thinning.thin(thinning.columns(time, COLUMNS), *lines)


def overshoot(run: Run) -> dict[str, Any]:
    """Slow start's peak, its losses until the sender knows of them, and how it recovers.

    The first flow's window has recovered when it is above its share of the BDP for good.
    """
    trace, row = columns(run), run.records[0]
    left = row["opened_s"] + row["startup_exit_s"]
    lost = trace["time"][trace["event"] == DROP]
    burst = lost[lost <= left]
    count = np.arange(1, len(lost) + 1)
    kept = drawn(lost, count)
    small = (trace["time"] > left) & (trace["cwnd"] < row["bdp_pkts"] / len(run.records))
    return {
        **capacity(run),
        "peak": row["max_cwnd_segments"],
        "drops": len(burst),
        "lost": len(lost),
        "span_s": float(burst[-1] - burst[0]),
        "repair_s": repair_s(trace, left),
        "small_s": float(trace["time"][small].max() - left) if small.any() else 0.0,
        "timeouts": row["timeouts"],
        "window": window(run),
        "drop_times": [0.0, *map(float, lost[kept]), run.about["simulated_s"]],
        "dropped": [0, *map(int, count[kept]), len(lost)],
    }


def first_loss(run: Run) -> dict[str, float]:
    """Slow start's peak, and what it loses until the sender knows of it."""
    trace, row = columns(run), run.records[0]
    left = row["opened_s"] + row["startup_exit_s"]
    lost = (trace["event"] == DROP) & (trace["time"] <= left)
    return {"peak": row["max_cwnd_segments"], "lost": int(lost.sum())}


def recovery(run: Run) -> dict[str, Any]:
    """From the end of slow start until what was sent by then has arrived."""
    trace, row = columns(run), run.records[0]
    left = row["opened_s"] + row["startup_exit_s"]
    acks = trace["event"] == ACK
    new = np.diff(trace["seq_bytes"][acks], prepend=0) > 0
    progress = trace["time"][acks][new]
    return {
        "repair_s": repair_s(trace, left),
        "silence_s": float(np.diff(progress[progress > left - 1]).max()),
        "timeouts": row["timeouts"],
        "lost": row["packets_dropped"],
        "window": window(run),
    }


def steady(run: Run) -> dict[str, float]:
    """Packets per second that arrive anew in the last two seconds, and all losses."""
    trace = columns(run)
    late = (trace["event"] == ACK) & (trace["time"] > run.about["simulated_s"] - 2)
    times, acked = trace["time"][late], trace["seq_bytes"][late]
    return {
        "per_s": float((acked[-1] - acked[0]) / MSS / (times[-1] - times[0])),
        "dropped": run.records[0]["packets_dropped"],
    }


def threshold(run: Run) -> float | None:
    """The last threshold that was set, in packets."""
    thresholds = columns(run)["ssthresh"]
    known = thresholds[np.isfinite(thresholds)]
    return float(known[-1]) if len(known) else None


def highest_threshold(run: Run) -> float:
    """The largest threshold until the window first reaches the one that there was at first."""
    trace = columns(run)
    acks = trace["event"] == ACK
    cwnd, ssthresh = trace["cwnd"][acks], trace["ssthresh"][acks]
    reached = np.flatnonzero(cwnd >= ssthresh[0])
    return float(ssthresh[: reached[0] + 1 if len(reached) else None].max())


def use(run: Run) -> dict[str, Any]:
    """The link's utilisation in percent from the first opening on, exits and losses."""
    forward = frames.rows(run.outcome["links"])[0]
    flows = exits(run)
    seconds = run.about["simulated_s"]
    return {
        "use": 100 * forward["utilisation"] * seconds / (seconds - flows[0]["opened_s"]),
        "lost": sum(flow["lost"] for flow in flows),
        "timeouts": sum(flow["timeouts"] for flow in flows),
        "exits": flows,
    }


def shown(run: Run) -> dict[str, Any]:
    """Windows and round-trip times of two flows, and the rounds of the first in slow start."""
    row = run.records[0]
    curves = []
    for flow in (0, 1):
        times, rtts = round_trips(columns(run, flow))
        kept = drawn(times, rtts)
        curves.append(
            {
                **window(run, flow),
                "at_s": [round(float(t), 4) for t in times[kept]],
                "rtt_ms": [round(1e3 * float(rtt), 3) for rtt in rtts[kept]],
            }
        )
    left = row["opened_s"] + row["startup_exit_s"]
    return {"curves": curves, "left_s": left, "rounds": rounds(run, 0, left)}


def leaving(run: Run) -> dict[str, Any]:
    """How the first flow leaves slow start, and its rounds until then."""
    row = run.records[0]
    left = row["startup_exit_s"]
    until = run.about["simulated_s"] if left is None else row["opened_s"] + left
    return {
        "by": row["startup_exit_reason"],
        "cwnd": row["startup_exit_cwnd_segments"],
        "rounds": rounds(run, 0, until),
    }


def repair_s(trace: Columns, left: float) -> float:
    """From a time until all that was sent by then has been acknowledged."""
    sent = trace["seq_bytes"][(trace["event"] == SEND) & (trace["time"] <= left)].max()
    repaired = (trace["event"] == ACK) & (trace["seq_bytes"] > sent)
    return float(trace["time"][repaired].min() - left)


def capacity(run: Run) -> dict[str, float]:
    """What the path held when it first refused a packet: in all, and without the queue."""
    trace, queue = columns(run), run.queue_samples
    assert queue is not None
    first = int(np.flatnonzero(trace["event"] == DROP)[0])
    held = int(trace["flight_bytes"][first - 1]) // MSS - 1
    waiting = int(queue.filter(queue["dropped"])["packets"][0])
    return {"held": held, "bdp": held - waiting, "time_s": float(trace["time"][first])}


def round_trips(trace: Columns) -> tuple[NDArray[Any], NDArray[Any]]:
    """When the ACKs of new data came, and the round-trip time that each one shows."""
    sends, acks = trace["event"] == SEND, trace["event"] == ACK
    cumulative = trace["seq_bytes"][acks]
    new = np.diff(cumulative, prepend=0) > 0
    last = np.searchsorted(trace["seq_bytes"][sends], cumulative[new] - MSS)
    times = trace["time"][acks][new]
    return times, times - trace["time"][sends][last]


def rounds(run: Run, flow: int, until_s: float) -> list[dict[str, float]]:
    """The rounds of slow start as Algorithm 1 has them, with their trains, until a time.

    A round ends with the first ACK beyond what was sent when it began.
    """
    trace = columns(run, flow)
    sends = trace["event"] == SEND
    early = (trace["event"] == ACK) & (trace["time"] <= until_s)
    times, acked, cwnd = (trace[name][early] for name in ("time", "seq_bytes", "cwnd"))
    _, rtts = round_trips(trace)
    sent = np.searchsorted(trace["time"][sends], times, side="left")
    beyond = trace["seq_bytes"][sends][sent - 1] + MSS
    starts, end = [], 0
    for i, (una, nxt) in enumerate(zip(acked, beyond, strict=True)):
        if una > end:
            starts.append(i)
            end = nxt
    bounds = [*starts, len(times)]
    return [_round(times[i:j], rtts[i:j], cwnd[i:j]) for i, j in itertools.pairwise(bounds)]


def _round(times: NDArray[Any], rtts: NDArray[Any], cwnd: NDArray[Any]) -> dict[str, float]:
    gaps = np.diff(times)
    wide = np.flatnonzero(gaps > SPACED_S)
    first = int(wide[0]) if len(wide) else len(times) - 1
    return {
        "start_s": float(times[0]),
        "length_s": float(times[-1] - times[0]),
        "acks": len(times),
        "trains": len(wide) + 1,
        "train_acks": first + 1,
        "train_s": float(times[first] - times[0]),
        "rtt_s": float(rtts[:SAMPLES].min()),
        "cwnd": float(cwnd[-1]),
    }
