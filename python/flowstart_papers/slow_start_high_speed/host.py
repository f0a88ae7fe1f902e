"""CAV-HOST: what capacity reduction costs, by how long a host takes to read SACK and by buffer.

A window of 154 000 packets that lost most of itself comes back as tens of thousands of SACKs.
Kernels of 2008 walked the queue of sent packets for each block; the simulator lets a host take
a fixed time for each.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from flowstart_papers.experiment import Cell, Experiment, Findings, Picture, Table
from flowstart_papers.lab import Lab
from flowstart_papers.slow_start_high_speed import statements
from flowstart_papers.slow_start_high_speed.measures import Transfer
from flowstart_papers.slow_start_high_speed.setups import (
    LITERAL,
    SCHEMES,
    Handover,
    Path,
    Setup,
)
from flowstart_papers.slow_start_high_speed.statements import REDUCTION, Case, of_schemes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

READINGS = (0.0, 1.0, 2.0, 5.0, 10.0, 30.0)
"""Microseconds for a SACK block per Gbit/s of the interface."""
BUFFERS = ("0.05bdp", "0.1bdp", "0.2bdp", "0.5bdp", "1bdp")
BUFFER_PATHS = (REDUCTION, Path(1000, 100))
HANDOVERS: tuple[Handover, ...] = ("at once", "never dropped")
CALLED = {
    "at once": "the interface's queue drops",
    "never dropped": "the interface's queue never drops",
}

Found = Mapping[tuple[Setup, Case], Sequence[Transfer]]


def run(lab: Lab) -> Findings:
    """Completion by SACK reading, completion and repeats by buffer."""
    setups = {
        (how, us): replace(LITERAL, handover=how, sack_us=us)
        for how in HANDOVERS
        for us in READINGS
    }
    found = statements.find(
        lab, [(setup, case) for setup in setups.values() for case in of_schemes(REDUCTION)]
    )
    read = {key: _seconds(found, setup, REDUCTION) for key, setup in setups.items()}
    return Findings(
        answers=[_says(how, {us: read[how, us] for us in READINGS}) for how in HANDOVERS],
        tables=[_reading_table(read), _buffer_table(lab)],
        pictures=[_picture(read)],
    )


Read = Mapping[tuple[Handover, float], Mapping[str, float]]
"""Completion times by hand-over and reading, then by scheme."""


def _seconds(found: Found, setup: Setup, path: Path) -> dict[str, float]:
    return {scheme: found[setup, Case(scheme, path)][0]["seconds"] for scheme in SCHEMES}


def _gbits() -> float:
    return REDUCTION.interface / 1000


def _says(how: Handover, by_reading: Mapping[float, Mapping[str, float]]) -> str:
    slowest = [
        f"{us * _gbits():g}" for us, of in by_reading.items() if statements.longest(of) == "QS-app"
    ]
    ideal = by_reading[0.0]
    return (
        f"{REDUCTION.name}, {CALLED[how]}: with SACK read in no time QS-app takes"
        f" {ideal['QS-app']:.0f} s, Reno {ideal['Reno']:.0f} s and LSS {ideal['LSS']:.0f} s; QS-app"
        f" is the slowest with {', '.join(slowest) or 'no time tried'} us for a block."
    )


def _reading_table(read: Read) -> Table:
    rows: list[dict[str, Cell]] = [
        {
            "interface's queue": CALLED[how],
            "SACK block, us": us * _gbits(),
            **{f"{scheme}, s": round(of[scheme], 1) for scheme in SCHEMES},
        }
        for (how, us), of in read.items()
    ]
    caption = f"{REDUCTION.name}, 180 ms, by the time that a host takes to read one SACK block."
    return Table("sack-reading", caption, rows)


def _buffer_table(lab: Lab) -> Table:
    setups = {buffer: replace(LITERAL, buffer=buffer) for buffer in BUFFERS}
    found = statements.find(
        lab,
        [
            (setup, case)
            for setup in setups.values()
            for path in BUFFER_PATHS
            for case in of_schemes(path)
        ],
    )
    rows: list[dict[str, Cell]] = []
    for path in BUFFER_PATHS:
        for buffer, setup in setups.items():
            of = {scheme: found[setup, Case(scheme, path)][0] for scheme in SCHEMES}
            rows.append(
                {
                    "interface - path": path.name,
                    "buffer, BDP": float(buffer.removesuffix("bdp")),
                    **{f"{scheme}, s": round(one["seconds"], 1) for scheme, one in of.items()},
                    **{f"{scheme}, again": one["again"] for scheme, one in of.items()},
                }
            )
    return Table("reduction-buffer", "Capacity reduction by the narrowest link's buffer.", rows)


def _picture(read: Read) -> Picture:
    def draw() -> "Figure":
        from flowstart_papers.drawing import Axis, Panel, panels

        some = [us for us in READINGS if us]
        cost = [us * _gbits() for us in some]
        x = Axis("time to read a SACK block, us", "log", ticks=cost)
        y = Axis("completion time, s", limits=(0, 300))
        return panels(
            *(
                Panel(
                    x,
                    y,
                    {s: (cost, [read[how, us][s] for us in some]) for s in SCHEMES},
                    title=CALLED[how],
                )
                for how in HANDOVERS
            ),
        )

    caption = (
        f"{REDUCTION.name}: completion time by how long a host takes to read a SACK block, where"
        f" the interface's queue drops and where it never does."
    )
    return Picture("sack-reading", caption, draw)


EXPERIMENTS = (
    Experiment(
        id="CAV-HOST",
        figure="study",
        question="What do SACK reading and buffers make of capacity reduction?",
        run=run,
    ),
)
