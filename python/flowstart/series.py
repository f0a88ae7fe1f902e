"""A flow's trace as the lines that figures draw."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from flowstart.simulation import Run

EVENTS = ("send", "retransmit", "ack", "timeout", "syn", "open", "drop", "mark")
"""What a sample of a flow is about, by its number in the trace."""

FORWARD = 0
"""The number of the bottleneck's forward direction in the trace."""


@dataclass(frozen=True)
class Series:
    """One flow over time, and the bottleneck queue in its direction."""

    label: str
    bdp_pkts: float
    time_s: "NDArray[Any]"
    event: "NDArray[Any]"
    seq: "NDArray[Any]"
    """The first byte of what was sent, dropped or marked; of an ACK, the byte it expects."""
    cwnd: "NDArray[Any]"
    """In segments."""
    flight: "NDArray[Any]"
    """In bytes."""
    queue_time_s: "NDArray[Any]"
    queue_packets: "NDArray[Any]"

    def of(self, event: str) -> "NDArray[Any]":
        """The indices of the samples about one kind of event."""
        return np.flatnonzero(self.event == EVENTS.index(event))

    @property
    def at_sender(self) -> "NDArray[Any]":
        """The indices of the samples that tell the window: not those of drops and marks."""
        return np.flatnonzero(self.event < EVENTS.index("drop"))


def of_run(run: "Run", most: int = 6) -> list[Series]:
    """The series of a traced run's first `most` flows, labelled by number where several."""
    rows = run.rows[:most] if run.outcome["trace"] else []
    several = len(rows) > 1
    return [
        of_flow(run, row, f"{row['flow']}: {row['startup']}" if several else row["startup"])
        for row in rows
    ]


def of_flow(run: "Run", row: dict[str, Any], label: str) -> Series:
    """The series of the flow of a traced run that `row` describes."""
    trace = run.outcome["trace"]
    if trace is None:
        raise ValueError("the run has no trace")
    samples, queue = trace["flow_samples"], trace["queue_samples"]
    mine = samples["flow"] == row["flow"]
    bottleneck = (queue["direction"] == FORWARD) == (row["direction"] == "forward")
    return Series(
        label=label,
        bdp_pkts=row["bdp_pkts"],
        time_s=samples["time_ns"][mine] / 1e9,
        **{name: samples[name][mine] for name in ("event", "seq", "cwnd", "flight")},
        **_drained(
            queue["time_ns"][bottleneck] / 1e9,
            queue["packets"][bottleneck],
            queue["empty_ns"][bottleneck] / 1e9,
        ),
    )


def _drained(
    time_s: "NDArray[Any]", packets: "NDArray[Any]", empty_s: "NDArray[Any]"
) -> dict[str, "NDArray[Any]"]:
    """A queue that is sampled when packets come, with the draining in between.

    It falls evenly until it is empty or the next packet comes; at the end it runs empty.
    """
    upcoming = np.append(time_s[1:], np.inf)
    turn = np.minimum(empty_s, upcoming)
    span = np.where(empty_s > time_s, empty_s - time_s, 1.0)
    left = packets * np.clip(1 - (turn - time_s) / span, 0, 1)
    left[empty_s <= upcoming] = 0
    last = np.where(np.isinf(upcoming), turn, upcoming)
    return {
        "queue_time_s": np.stack([time_s, turn, last], axis=1).ravel(),
        "queue_packets": np.stack([packets, left, left], axis=1).ravel(),
    }
