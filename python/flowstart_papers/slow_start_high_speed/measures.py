"""What the experiments read from a run: how long each transfer took and what it sent again."""

from collections.abc import Mapping
from typing import Any, TypedDict

import numpy as np

from flowstart.render import thinning
from flowstart.simulation.run import Run

SEND, RETRANSMIT, ACK, TIMEOUT, SYN, OPEN, DROP = range(7)
"""What a sample of a trace is about."""


class Transfer(TypedDict):
    """One object's way to the client."""

    seconds: float
    """From the SYN to the last byte."""
    again: int
    """Packets sent again."""
    lost: int
    """Packets dropped on the way."""
    timeouts: int


class Watched(Transfer):
    """A transfer whose trace was read too."""

    silent_s: float
    """The longest time without progress: none of what was missing first arrived."""
    in_a_row: int
    """The most timeouts without progress between them."""


def transfers(run: Run) -> list[Transfer]:
    """The transfers of a run in the order of their flows."""
    return [_transfer(row) for row in run.records]


def watched(run: Run) -> list[Watched]:
    """The same of a run with a trace."""
    all_samples = samples(run)
    found: list[Watched] = []
    for flow, row in enumerate(run.records):
        mine = all_samples["flow"] == flow
        silent_s, in_a_row = _silence({name: of[mine] for name, of in all_samples.items()})
        found.append({**_transfer(row), "silent_s": silent_s, "in_a_row": in_a_row})
    return found


def samples(run: Run) -> dict[str, Any]:
    """The flow samples of a run that has a trace, by column."""
    trace = run.outcome["trace"]
    if trace is None:
        raise ValueError("the run has no trace")
    return trace["flow_samples"]


def mean_seconds(found: list[Transfer]) -> float:
    """How long the transfers took on average."""
    return sum(one["seconds"] for one in found) / len(found)


def again(found: list[Transfer]) -> int:
    """What the transfers sent again together."""
    return sum(one["again"] for one in found)


def spread(values: list[float]) -> float:
    """By how much the largest exceeds the smallest, in percent of the smallest."""
    return 100 * (max(values) - min(values)) / min(values) if min(values) else float("inf")


def _transfer(row: Mapping[str, Any]) -> Transfer:
    return {
        "seconds": row["fct_s"] if row["complete"] else row["duration_s"],
        "again": row["packets_retransmitted"],
        "lost": row["packets_dropped"],
        "timeouts": row["timeouts"],
    }


def _silence(mine: Mapping[str, Any]) -> tuple[float, int]:
    """The longest time without progress, and the most timeouts in such a time."""
    event, time_s = mine["event"], mine["time_ns"] / 1e9
    acks = event == ACK
    reached = np.maximum.accumulate(mine["seq_bytes"][acks])
    moved = time_s[acks][np.diff(reached, prepend=0) > 0]
    expired = np.searchsorted(moved, time_s[event == TIMEOUT])
    in_a_row = int(np.bincount(expired).max()) if len(expired) else 0
    return float(np.diff(moved).max()), in_a_row


COLUMNS = 600
"""Pixels of a figure that a window's points are thinned to."""


def window(run: Run) -> dict[str, Any]:
    """The window over time until the last byte arrives, thinned, and the transfer's end."""
    found = samples(run)
    # A drop is not at the sender and shows no window.
    at_sender = found["event"] != DROP
    times = found["time_ns"][at_sender] / 1e9
    row = run.records[0]
    until = times < row["fct_s"]
    times, cwnd = times[until], found["cwnd"][at_sender][until]
    kept = thinning.thin(thinning.columns(times, COLUMNS), cwnd)
    return {
        "time_s": np.round(times[kept], 4).tolist(),
        "cwnd": np.round(cwnd[kept], 1).tolist(),
        "largest": row["max_cwnd_segments"],
        "seconds": row["fct_s"],
        "again": row["packets_retransmitted"],
    }


def opening(run: Run) -> float:
    """The window when the connection opens."""
    found = samples(run)
    return float(found["cwnd"][(found["event"] == OPEN).argmax()])


def first_flight(run: Run) -> dict[str, float]:
    """A transfer's losses, and those of what left before the first ACK came (`first`)."""
    found = samples(run)
    event, seq = found["event"], found["seq_bytes"]
    flight = seq[: (event == ACK).argmax()].max()
    again = (event == RETRANSMIT).argmax() or len(event)
    dropped = seq[:again][event[:again] == DROP]
    row = run.records[0]
    return {
        "seconds": row["fct_s"],
        "first": int(np.count_nonzero(dropped <= flight)),
        "lost": row["packets_dropped"],
    }


def detection(run: Run) -> dict[str, float]:
    """What became of the first flow, and what its startup had detected of the path at the end."""
    found = samples(run)
    first = _transfer(run.records[0])
    values = found["detected"][found["flow"] == 0] if "detected" in found else np.zeros(1)
    # The trace has no number where a startup has detected nothing.
    detected = float(np.nan_to_num(values[-1]))
    return {"seconds": first["seconds"], "again": first["again"], "detected": detected}
