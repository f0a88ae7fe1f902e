"""CAV-READINGS: what the slides leave open, and which of their statements hold under which reading.

The plots are lost and the slides print neither queues nor kernels, so nearly everything is open.
Each input is moved alone. Hand-over and queue, which decide most, are moved together, also with
somebody who gives up; all products would be hours of simulation.
"""

from collections.abc import Sequence
from dataclasses import replace

from flowstart_papers import readings
from flowstart_papers.experiment import Findings
from flowstart_papers.lab import Lab
from flowstart_papers.readings import Reading, Tried
from flowstart_papers.slow_start_high_speed import statements
from flowstart_papers.slow_start_high_speed.setups import LITERAL, Patience, Setup
from flowstart_papers.slow_start_high_speed.statements import PUBLISHED, STATEMENTS
from flowstart_papers.target import Measured

HANDOVER, QUEUE, PATIENCE = "window", "queue", "reset after"
PATIENCES = ("15 timeouts", "3 s")
"""Those that are tried with every hand-over and queue."""

INPUTS = readings.open_inputs("flowstart_papers.slow_start_high_speed")
CHICAGO_ORDER = "cav.chi.order.exp"
UNPACED_LOSES = ("cav.nc.cwnd", "cav.nc.rtx.exp", "cav.nc.rtx.red", "cav.b2b")
"""Statements, of North Carolina and the final slide, that unpaced Quick Start loses by."""


def setup_of(reading: Reading) -> Setup:
    """The set-up that a reading stands for."""
    changes = readings.changes(INPUTS, reading)
    patience = Patience(**changes.pop("patience", {}))
    return replace(LITERAL, patience=patience, **changes)


def cells() -> list[Reading]:
    """Each input alone; hand-over, queue and two patiences together."""
    together = [
        cell
        for cell in readings.crossed(INPUTS, [HANDOVER, QUEUE, PATIENCE])
        # A queue that never drops has no size.
        if (cell[HANDOVER] != "never dropped" or cell[QUEUE] == "1000 packets")
        and cell[PATIENCE] in PATIENCES
    ]
    return readings.grid(readings.alone(INPUTS), together)


def measure(lab: Lab, chosen: Sequence[Reading]) -> list[dict[str, Measured]]:
    """What every statement comes to under each reading."""
    setups = [setup_of(reading) for reading in chosen]
    # Somebody's patience changes no packet until it ends.
    networks = [replace(setup, patience=LITERAL.patience) for setup in setups]
    cases = list(dict.fromkeys(case for each in STATEMENTS for case in each.cases))
    found = statements.find(lab, [(network, case) for network in networks for case in cases])
    return [
        {
            each.name: each.test({case: found[network, case] for case in cases}, setup.patience)
            for each in STATEMENTS
        }
        for setup, network in zip(setups, networks, strict=True)
    ]


def show(tried: Tried) -> Findings:
    """The grid, and what both places' statements ask of their servers."""
    found = tried.findings()
    missing = [tried.missing(i) for i in range(len(tried.cells))]
    more = [_one_server(missing), _two_servers(tried.cells, missing)]
    return replace(found, answers=[*found.answers, *more])


def _one_server(missing: Sequence[frozenset[str]]) -> str:
    """Whether one reading has Chicago's order and anything that unpaced Quick Start loses by."""
    chicago = [gone for gone in missing if CHICAGO_ORDER not in gone]
    others = [gone for gone in chicago if not set(UNPACED_LOSES) <= gone]
    return (
        f"{CHICAGO_ORDER} holds in {len(chicago)} readings; any of {', '.join(UNPACED_LOSES)} in"
        f" {len(others)} of these."
    )


def _two_servers(cells: Sequence[Reading], missing: Sequence[frozenset[str]]) -> str:
    """The most that holds if the window may enter the queue otherwise at each place."""
    known = list(zip(cells, missing, strict=True))
    pairs = [
        (_at_chicago(gone) | (other_gone - _at_chicago(other_gone)), cell, other)
        for cell, gone in known
        for other, other_gone in known
        if all(cell[name] == other[name] for name in cell if name != HANDOVER)
    ]
    gone, chicago, carolina = min(pairs, key=lambda pair: len(pair[0]))
    return (
        f"If the servers may differ, {len(STATEMENTS) - len(gone)} of {len(STATEMENTS)} hold at"
        f" most: window {chicago[HANDOVER]} at Chicago, {carolina[HANDOVER]} at North Carolina and"
        f" on the final slide, queue {chicago[QUEUE]}, reset after {chicago[PATIENCE]}; all but"
        f" {', '.join(sorted(gone))}. Three inputs are fitted then."
    )


def _at_chicago(names: frozenset[str]) -> frozenset[str]:
    return frozenset(name for name in names if name.startswith("cav.chi."))


CAV_READINGS = readings.experiment(
    name="CAV-READINGS",
    question="Which of the slides' statements hold under which reading of their open inputs?",
    inputs=INPUTS,
    cells=cells(),
    targets=PUBLISHED.targets,
    measure=measure,
    show=show,
)
