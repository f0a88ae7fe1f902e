"""CAV-HOST: what capacity reduction costs, by how long a host takes to read SACK and by buffer.

A window of 154 000 packets that lost most of itself comes back as tens of thousands of SACKs.
Kernels of 2008 walked the queue of sent packets for each block; the simulator lets a host take
a fixed time for each.
"""

from typing import TYPE_CHECKING, TypedDict

import numpy as np

from flowstart.papers.experiment import Cell, Findings, Picture, Table
from flowstart.papers.lab import Lab
from flowstart.papers.slow_start_high_speed import outcomes, traces
from flowstart.papers.slow_start_high_speed.setups import SCHEMES, Host, Path, transfer
from flowstart.simulation.run import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PATH = Path(10_000, 1000)
READINGS = (0.0, 1.0, 2.0, 5.0, 10.0, 30.0, 100.0, 150.0)
"""Microseconds for a SACK block per Gbit/s of the interface."""
PATIENCE_S = 60.0
"""After so long without progress somebody gives up."""
BUFFERS = (0.05, 0.1, 0.2, 0.5, 1.0)
BUFFER_PATHS = (Path(10_000, 1000), Path(1000, 100))


class Silence(TypedDict):
    """A transfer and its longest time without progress."""

    seconds: float
    longest_s: float
    timeouts: int
    reset: bool


def run(lab: Lab) -> Findings:
    """Completion and silence by SACK reading, completion and repeats by buffer."""
    cases = [(us, scheme) for us in READINGS for scheme in SCHEMES]
    documents = [transfer(scheme, PATH, Host(sack_us=us)) for us, scheme in cases]
    read = dict(zip(cases, lab.runs(documents, silence, trace=True), strict=True))
    slowest = [us for us in READINGS if _slowest(read, us) == "QS-app"]
    silent = [us for us in READINGS if read[us, "QS-app"]["longest_s"] >= PATIENCE_S]
    resets = sum(one["reset"] for one in read.values())
    ideal = read[0.0, "QS-app"]["seconds"]
    return Findings(
        answers=[
            (
                f"If SACK is read in no time QS-app takes {ideal:.0f} s on {PATH.name} and LSS"
                f" {read[0.0, 'LSS']['seconds']:.0f} s; QS-app is the slowest from"
                f" {min(slowest, default=float('nan')) * _gbits():g} us for a block on."
            ),
            (
                f"QS-app is silent for {PATIENCE_S:g} s, so that somebody may give up, from"
                f" {min(silent, default=float('nan')) * _gbits():g} us on; eight timeouts in a row"
                f" end {resets} of {len(read)} transfers."
            ),
        ],
        tables=[_reading_table(read), _buffer_table(lab)],
        pictures=[_picture(read)],
    )


def silence(run: Run) -> Silence:
    """The longest time in which the cumulative acknowledgement did not move."""
    samples = traces.samples(run)
    acks = samples["event"] == traces.ACK
    reached = np.maximum.accumulate(samples["seq"][acks])
    moved = samples["time_ns"][acks][np.diff(reached, prepend=0) > 0] / 1e9
    row = run.rows[0]
    return {
        "seconds": row["fct_s"] if row["complete"] else row["duration_s"],
        "longest_s": float(np.diff(moved).max()),
        "timeouts": row["timeouts"],
        "reset": row["reset"],
    }


Read = dict[tuple[float, str], Silence]


def _slowest(read: Read, us: float) -> str:
    return max(SCHEMES, key=lambda scheme: read[us, scheme]["seconds"])


def _gbits() -> float:
    return PATH.interface / 1000


def _reading_table(read: Read) -> Table:
    rows: list[dict[str, Cell]] = [
        {
            "SACK block, us": us * _gbits(),
            **{f"{scheme}, s": round(read[us, scheme]["seconds"], 1) for scheme in SCHEMES},
            "QS-app silent, s": round(read[us, "QS-app"]["longest_s"], 1),
            "QS-app timeouts": read[us, "QS-app"]["timeouts"],
            "QS-app reset": read[us, "QS-app"]["reset"],
        }
        for us in READINGS
    ]
    caption = f"{PATH.name}, 180 ms, by the time that a host takes to read one SACK block."
    return Table("sack-reading", caption, rows)


def _buffer_table(lab: Lab) -> Table:
    cases = [(path, buffer) for path in BUFFER_PATHS for buffer in BUFFERS]
    documents = [
        transfer(scheme, path, buffer=f"{buffer}bdp")
        for path, buffer in cases
        for scheme in SCHEMES
    ]
    found = iter(each[0] for each in lab.runs(documents, outcomes.transfers))
    rows: list[dict[str, Cell]] = []
    for path, buffer in cases:
        of = {scheme: next(found) for scheme in SCHEMES}
        rows.append(
            {
                "interface - path": path.name,
                "buffer, BDP": buffer,
                **{f"{scheme}, s": round(one["seconds"], 1) for scheme, one in of.items()},
                **{f"{scheme}, again": one["again"] for scheme, one in of.items()},
            }
        )
    return Table("reduction-buffer", "Capacity reduction by the narrowest link's buffer.", rows)


def _picture(read: Read) -> Picture:
    def draw() -> "Figure":
        from flowstart.papers.drawing import Axis, single

        some = [us for us in READINGS if us]
        cost = [us * _gbits() for us in some]
        return single(
            Axis("time to read a SACK block, us", "log", ticks=cost),
            Axis("completion time, s", "log"),
            {scheme: (cost, [read[us, scheme]["seconds"] for us in some]) for scheme in SCHEMES},
        )

    caption = f"{PATH.name}: completion time by how long a host takes to read a SACK block."
    return Picture("sack-reading", caption, draw)
