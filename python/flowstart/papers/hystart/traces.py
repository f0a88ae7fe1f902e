"""What the paper's figures show of a trace: windows over time, rounds and their ACK trains."""

import itertools
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from flowstart.render import thinning
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
    found["seq"] = found["seq"].astype(np.int64)
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


def drawn(time: NDArray[Any], *lines: NDArray[Any]) -> NDArray[np.intp]:
    """Which points of lines over time a figure of a paper draws."""
    return thinning.thin(thinning.columns(time, COLUMNS), *lines)


def repair_s(trace: Columns, left: float) -> float:
    """From a time until all that was sent by then has been acknowledged."""
    sent = trace["seq"][(trace["event"] == SEND) & (trace["time"] <= left)].max()
    repaired = (trace["event"] == ACK) & (trace["seq"] > sent)
    return float(trace["time"][repaired].min() - left)


def capacity(run: Run) -> dict[str, float]:
    """What the path held when it first refused a packet: in all, and without the queue."""
    trace, queue = columns(run), run.queue_samples
    assert queue is not None
    first = int(np.flatnonzero(trace["event"] == DROP)[0])
    held = int(trace["flight"][first - 1]) // MSS - 1
    waiting = int(queue.filter(queue["dropped"])["packets"][0])
    return {"held": held, "bdp": held - waiting, "time_s": float(trace["time"][first])}


def round_trips(trace: Columns) -> tuple[NDArray[Any], NDArray[Any]]:
    """When the ACKs of new data came, and the round-trip time that each one shows."""
    sends, acks = trace["event"] == SEND, trace["event"] == ACK
    cumulative = trace["seq"][acks]
    new = np.diff(cumulative, prepend=0) > 0
    last = np.searchsorted(trace["seq"][sends], cumulative[new] - MSS)
    times = trace["time"][acks][new]
    return times, times - trace["time"][sends][last]


def rounds(run: Run, flow: int, until_s: float) -> list[dict[str, float]]:
    """The rounds of slow start as Algorithm 1 has them, with their trains, until a time.

    A round ends with the first ACK beyond what was sent when it began.
    """
    trace = columns(run, flow)
    sends = trace["event"] == SEND
    early = (trace["event"] == ACK) & (trace["time"] <= until_s)
    times, acked, cwnd = (trace[name][early] for name in ("time", "seq", "cwnd"))
    _, rtts = round_trips(trace)
    sent = np.searchsorted(trace["time"][sends], times, side="left")
    beyond = trace["seq"][sends][sent - 1] + MSS
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
