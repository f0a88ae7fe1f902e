"""Slide 4: the window that QS-app opens with."""

from flowstart.model.document import Document
from flowstart.simulation.run import Run
from flowstart_papers.experiment import Cell, Experiment, Findings, Table
from flowstart_papers.lab import Lab
from flowstart_papers.slow_start_high_speed import measures
from flowstart_papers.slow_start_high_speed.setups import (
    CHICAGO,
    NORTH_CAROLINA,
    Path,
    transfer,
)
from flowstart_papers.target import Measured

WINDOWS = {
    "cav.cwnd.chicago.100m": Path(100, 100, CHICAGO),
    "cav.cwnd.chicago.1g": Path(1000, 1000, CHICAGO),
    "cav.cwnd.chicago.10g": Path(10_000, 10_000, CHICAGO),
    "cav.cwnd.ncsu.100m": Path(100, 100, NORTH_CAROLINA),
    "cav.cwnd.ncsu.1g": Path(1000, 1000, NORTH_CAROLINA),
}


def run(lab: Lab) -> Findings:
    """The window after the handshake, by interface and round-trip time."""
    found = lab.runs([_opening(path) for path in WINDOWS.values()], opening, trace=True)
    rows: list[dict[str, Cell]] = [
        {
            "interface, Mbit/s": path.interface,
            "RTT": path.rtt,
            "first window, packets": window,
            "path holds, packets": path.holds,
        }
        for path, window in zip(WINDOWS.values(), found, strict=True)
    ]
    excess = [
        100 * (window / path.holds - 1)
        for path, window in zip(WINDOWS.values(), found, strict=True)
    ]
    return Findings(
        measured={name: Measured(window) for name, window in zip(WINDOWS, found, strict=True)},
        answers=[
            (
                f"The formula counts payload: its windows exceed what the path holds by"
                f" {max(excess):.1f} %, the headers' share, and the interface's queue must hold it."
            )
        ],
        tables=[Table("windows", "The first window: interface speed x RTT / MSS.", rows)],
    )


def _opening(path: Path) -> Document:
    # Long enough for the handshake; of the first flight nothing needs to be seen.
    return transfer("QS-app", path) | {"duration": "225ms"}


def opening(run: Run) -> float:
    """The window when the connection opens."""
    samples = measures.samples(run)
    return float(samples["cwnd"][(samples["event"] == measures.OPEN).argmax()])


EXPERIMENTS = (
    Experiment(
        id="CAV-WINDOW",
        figure="slide 4",
        question="With which window does QS-app open?",
        run=run,
        quick=True,
    ),
)
