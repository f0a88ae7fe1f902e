"""The scores of cases: how a startup does beside others, by medians over seeds.

The best of the others is the one with the best median, not whoever was lucky with a seed.
"""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from flowstart.model.custom import CustomStartups
from flowstart.model.document import Document, resolve
from flowstart.model.perturbation import drawn
from flowstart.model.variants import Variant
from flowstart.simulation.run import simulate
from flowstart.sweeps.cell import DRAWN_COMPANY, Cell
from flowstart.sweeps.runs.batch import run_cells
from flowstart.sweeps.runs.table import Planned
from flowstart.worst_paths.space import PathCase

if TYPE_CHECKING:
    from flowstart.simulation.series import Series

MEASURES = {
    "regret": "completion time over the minimum of the others",
    "loss": "share of retransmitted packets, beyond the minimum of the others",
    "harm": "harm to the competing flows, beyond the minimum of the others",
}
"""What a search can look for, in words."""
NOTHING = {"regret": 1.0, "loss": 0.0, "harm": 0.0}
"""The score of a startup that does as well as the best of the others."""
COLUMNS = {"regret": "fct_s", "loss": "retransmitted_share", "harm": "harm"}
"""The columns of a sweep that are compared; the less, the better."""
NEVER = 1000.0
"""The regret of a transfer that was never finished where another's was."""
Row = dict[str, Any]


@dataclass(frozen=True)
class Evaluation:
    """A case, and what became of it."""

    score: float
    row: Row
    """That of the startup whose worst is looked for, with the seed nearest to the score."""
    best: Row
    """That of the best of the others, with the same seed."""
    cell: Cell
    """Of that seed."""
    seeds: tuple[int, ...]


@dataclass
class Evaluator:
    """Runs cases, each once."""

    variants: tuple[Variant, ...]
    """The one whose worst is looked for, then the others."""
    measure: str
    stack: Document
    cc: str | None
    seed: int
    seeds: int
    """How many where anything is drawn."""
    workers: int | None
    custom: CustomStartups
    runs: int = 0
    """Simulations so far, those of the competing flows by itself aside."""
    cases: int = 0
    """How many cases have been run, and of them how many failed."""
    failed: int = 0
    error: str = ""
    """Why the first of them did."""
    _known: dict[str, Evaluation] = field(default_factory=dict)

    def scores(self, cases: Sequence[PathCase]) -> list[float]:
        """The scores of cases."""
        return [evaluation.score for evaluation in self.evaluate(cases)]

    def evaluate(self, cases: Sequence[PathCase]) -> list[Evaluation]:
        """What became of cases."""
        keys = [repr(case) for case in cases]
        new = {key: case for key, case in zip(keys, cases, strict=True) if key not in self._known}
        if new:
            self._run(new)
        return [self._known[key] for key in keys]

    def series(self, evaluation: Evaluation) -> "list[Series]":
        """The startup and the best of the others over time; simulated again for it."""
        from flowstart.simulation.series import of_flow  # loads numpy

        series = []
        for row in (evaluation.row, evaluation.best):
            variant = next(v for v in self.variants if v.name == row["startup"])
            planned = Planned.of(evaluation.cell, [variant], self.custom)
            document = planned.competing.scenario(planned.base, planned.flows[0], planned.facts)
            run = simulate(document | {"trace": True}, self.custom)
            series.append(of_flow(run.outcome, planned.competing.place, variant.name))
        return series

    def _run(self, new: dict[str, PathCase]) -> None:
        cells: list[Cell] = []
        places: dict[str, list[int]] = {}
        for key, case in new.items():
            seeds = [self.seed + n for n in range(self.seeds if self._is_drawn(case) else 1)]
            places[key] = [len(cells) + n for n in range(len(seeds))]
            cells += [self._cell(case, len(cells) + n, seed) for n, seed in enumerate(seeds)]
        rows = run_cells(cells, self.variants, self.custom, self.workers)
        self.runs += rows.height
        by_cell: list[list[Row]] = [[] for _ in cells]
        for row in rows.iter_rows(named=True):
            by_cell[row["cell"]].append(row)
        for key, numbers in places.items():
            self._known[key] = self._judged(
                [cells[number] for number in numbers], [by_cell[number] for number in numbers]
            )

    def _judged(self, cells: Sequence[Cell], rows: Sequence[list[Row]]) -> Evaluation:
        """The evaluation of a case: its cells differ in their seeds."""
        column = COLUMNS[self.measure]
        variants = range(len(self.variants))
        middles = [statistics.median_low(_value(row[v], column) for row in rows) for v in variants]
        best = min(variants[1:], key=lambda v: middles[v])
        errors = [row[0]["error"] for row in rows if row[0]["error"]]
        self.cases += 1
        self.failed += bool(errors)
        self.error = self.error or next(iter(errors), "")
        score = NOTHING[self.measure] if errors else self._score(middles[0], middles[best])
        scores = [self._score(*(_value(row[v], column) for v in (0, best))) for row in rows]
        shown = min(range(len(rows)), key=lambda seed: abs(scores[seed] - score))
        seeds = tuple(cell.seed for cell in cells)
        return Evaluation(score, rows[shown][0], rows[shown][best], cells[shown], seeds)

    def _score(self, own: float, best: float) -> float:
        """How much worse the startup's value is than another's."""
        if not math.isfinite(best):
            return NOTHING[self.measure]
        if self.measure == "regret":
            return own / best if math.isfinite(own) else NEVER
        return own - best if math.isfinite(own) else 0.0

    def _cell(self, case: PathCase, number: int, seed: int) -> Cell:
        competing = case.competing
        return Cell(number, case.path, case.flow, self.stack, self.cc, competing, seed, "", "")

    def _is_drawn(self, case: PathCase) -> bool:
        document = {"path": case.path, "stack": self.stack, "flows": [case.flow]}
        return case.competing in DRAWN_COMPANY or bool(drawn(resolve(document)))


def _value(row: Row, column: str) -> float:
    """What a run came to; infinite where it came to nothing."""
    value = row[column]
    return math.inf if value is None else float(value)
