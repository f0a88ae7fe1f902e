"""What chosen flows did over time, binned to the pixels of a picture while they run."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from flowstart import _native
from flowstart._native import Cancel
from flowstart.errors import FlowstartError
from flowstart.model.custom import CustomStartups

__all__ = [
    "Cancel",
    "Cancelled",
    "Points",
    "StepLine",
    "TimeWindow",
    "Traced",
    "Trajectory",
    "trajectories",
]


class Cancelled(FlowstartError):
    """The runs were cancelled; there is nothing to show."""


@dataclass(frozen=True)
class TimeWindow:
    """The part of the time that is looked at, and over how many pixels."""

    columns: int
    """There are no more bins than columns, and at least two thirds of them where `to_s` is None."""
    from_s: float = 0.0
    to_s: float | None = None
    """Where runs are stopped; without it they go on to their ends."""


@dataclass(frozen=True)
class StepLine:
    """A line of steps: a value holds from its bin on until the next."""

    bins: bytes
    """Numbers of bins, 16 bits each, little endian, in order; there may be several in a bin."""
    values: bytes
    """As many numbers of 32 bits, little endian; not a number: there is nothing from then on."""


@dataclass(frozen=True)
class Points(StepLine):
    """Events: a point for each bin and height of a pixel."""

    total: int
    """How many there were, of which some may share a point."""


@dataclass(frozen=True)
class Trajectory:
    """What one flow did over time."""

    lines: dict[str, StepLine]
    """`cwnd` (segments), `flight` (bytes), `sent` (one past the highest position sent), `acked`
    (all below is acknowledged), `pacing` (bits per second), `delivered` (bytes whose arrival is
    acknowledged, in order or above a hole), `queue` (packets that the bottleneck holds in the
    direction of the flow's data)."""
    events: dict[str, Points]
    """`retransmit`, `drop` and `mark` at positions in bytes, `timeout` at the window (segments)."""


@dataclass(frozen=True)
class Traced:
    """Runs, and what their flows did over time."""

    batch: "_native.Batch"
    """The tables of all runs: see `simulation.batch.run_many`. Rows are partial where `to_s`
    stopped a run."""
    from_s: float
    """When the first bin begins."""
    bin_s: float
    """How long each is; it is the same for all scenarios."""
    found: list[list[Trajectory]] = field(repr=False)
    """For each scenario the flows that were asked for; none where it failed."""


def trajectories(
    scenarios: Sequence[str],
    flows: Sequence[Sequence[int]],
    window: TimeWindow,
    custom: CustomStartups,
    workers: int | None = None,
    cancel: Cancel | None = None,
) -> Traced:
    """What the flows with the numbers `flows[i]` of scenario `i`, which is JSON, do over time.

    Runs are on up to `workers` threads, all cores where None. Startups written in Python are run
    on the calling one. Raises `Cancelled` where another thread calls `cancel.cancel()` meanwhile.
    """
    natives = custom.natives()
    numbers = [list(of) for of in flows]
    span = (window.columns, window.from_s, window.to_s)
    batch = _native.run_lines(list(scenarios), numbers, span, workers, natives, cancel)
    if cancel is not None and cancel.cancelled:
        raise Cancelled("the runs were cancelled")
    if batch["interrupted"]:
        raise KeyboardInterrupt
    traced = [[_trajectory(flow) for flow in of] for of in batch["found"]]
    return Traced(batch, batch["from_s"], batch["bin_s"], traced)


def _trajectory(flow: "_native.FlowLines") -> Trajectory:
    return Trajectory(
        lines={name: StepLine(*line) for name, line in flow["lines"].items()},
        events={name: Points(*points) for name, points in flow["events"].items()},
    )
