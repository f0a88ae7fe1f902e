"""Runs the cases of a gate in the simulator."""

from collections.abc import Iterator, Sequence
from typing import Any

from flowstart.gate.beginning import Beginning
from flowstart.gate.cases import Cases
from flowstart.gate.runs import CaseRuns
from flowstart.model.variants import Variant
from flowstart.simulation.run import simulate
from flowstart.sweeps.cell import Cell
from flowstart.sweeps.runs.batch import run_cells
from flowstart.sweeps.runs.table import Planned

CELLS_AT_ONCE = 200
"""With their repeats: more would report progress too seldom."""


def simulated(cases: Cases, cells: dict[str, Cell], workers: int | None) -> Iterator[CaseRuns]:
    """The runs of each cell and variant. Raises KeyboardInterrupt where Ctrl-C ended them."""
    names, variants = list(cells), cases.sweep.variants
    at_once = max(1, CELLS_AT_ONCE // cases.repeat)
    for first in range(0, len(names), at_once):
        some = names[first : first + at_once]
        repeats = [[*cases.repeats(cells[name])] for name in some]
        rows = run_cells([c for r in repeats for c in r], variants, cases.sweep.custom, workers)
        first_row = 0
        for name, own in zip(some, repeats, strict=True):
            of_cell = rows.slice(first_row, len(own) * len(variants)).to_dicts()
            first_row += len(own) * len(variants)
            for number, variant in enumerate(variants):
                yield _of_rows(name, variant, of_cell[number :: len(variants)], own[0], cases)


def _of_rows(
    name: str, variant: Variant, rows: Sequence[dict[str, Any]], cell: Cell, cases: Cases
) -> CaseRuns:
    error = next((row["error"] for row in rows if row["error"]), None)
    beginning = None if error else _beginning(rows[0], variant, cell, cases)
    return CaseRuns(
        name,
        variant.name,
        tuple(row["fct_s"] if row["complete"] else None for row in rows),
        tuple((row["packets_dropped"] or 0) / max(row["packets_sent"] or 0, 1) for row in rows),
        tuple(row["harm"] for row in rows),
        beginning,
        error,
    )


def _beginning(row: dict[str, Any], variant: Variant, cell: Cell, cases: Cases) -> Beginning | None:
    """Of the cell itself, run again with a trace."""
    custom = cases.sweep.custom
    planned = Planned.of(cell, [variant], custom)
    document = planned.competing.scenario(planned.base, planned.flows[0], planned.facts)
    trace = simulate(document | {"trace": True}, custom).outcome["trace"]
    if not trace:
        return None
    samples = trace["flow_samples"]
    # Those of its receiver have no window, and until its first data nothing is in flight.
    own = (samples["flow"] == planned.competing.place) & (samples["cwnd"] > 0)
    own &= (own & (samples["flight_bytes"] > 0)).cumsum() > 0
    return Beginning.of(
        samples["time_ns"][own] / 1e9,
        samples["cwnd"][own],
        samples["flight_bytes"][own],
        planned.facts.rtt_s,
        (row["startup_exit_reason"], row["startup_exit_s"], row["startup_exit_cwnd_segments"]),
    )
