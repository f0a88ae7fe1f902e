"""What a search for the worst has found."""

import functools
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flowstart import _native
from flowstart.maps import worst_cells
from flowstart.maps.worst_cells import in_words
from flowstart.model.document import Document
from flowstart.model.variants import Variant
from flowstart.render import columns
from flowstart.render.grid import Column, Grid
from flowstart.worst_paths.case import Case
from flowstart.worst_paths.evaluate import MEASURES, Evaluation, Evaluator
from flowstart.worst_paths.explain import explained

if TYPE_CHECKING:
    import polars as pl

    from flowstart.simulation.series import Series


@dataclass(frozen=True)
class Failing:
    """A path on which a startup does badly."""

    case: Case
    evaluation: Evaluation

    @property
    def startup(self) -> str:
        """The startup."""
        return str(self.evaluation.row["startup"])

    @property
    def best(self) -> str:
        """The best of the others there."""
        return str(self.evaluation.best["startup"])

    @property
    def score(self) -> float:
        """By how much, as the measure has it."""
        return self.evaluation.score

    @property
    def where(self) -> str:
        """The path, the size and the competing in words."""
        return in_words(self.evaluation.row)

    @property
    def why(self) -> str:
        """What happened, in a sentence or two."""
        return explained(self.evaluation.row, self.evaluation.best)

    @functools.cached_property
    def scenario(self) -> Document:
        """The scenario, in which the flow under test names no startup."""
        found: Document = worst_cells.shortened(json.loads(self.evaluation.row["scenario"]))
        return found

    @functools.cached_property
    def command(self) -> str | None:
        """What compares the two there; None where it takes the scenario's file."""
        whole = json.loads(self.evaluation.row["scenario"])
        return worst_cells.command(whole, [self.startup, self.best])

    def again(self, file: str) -> str:
        """The same, or what does it with the scenario in a file."""
        return self.command or worst_cells.from_file(
            file, worst_cells.options([self.startup, self.best], {})
        )


@dataclass(frozen=True, repr=False)
class WorstPaths:
    """The worst paths that a search has found, worst first.

    Example:
        >>> import flowstart as fs
        >>> space = "rate=5Mbps,rtt=50ms,size=100kB,buffer=20pkt,competing=alone"
        >>> names = ["slow-start"]
        >>> found = fs.find_worst_paths("hystart", against=names, runs=2, search_space=space)
        >>> found.startup
        'hystart'
    """

    variants: tuple[Variant, ...]
    """The startup whose worst it is, then those that it is compared with."""
    measure: str
    tries: int
    evaluator: Evaluator
    failings: tuple[Failing, ...]

    @property
    def startup(self) -> str:
        """The startup whose worst it is."""
        return self.variants[0].name

    @property
    def headline(self) -> str:
        """One line on what was looked for."""
        others = len(self.variants) - 1
        against = f"{others} others" if others > 1 else self.variants[1].name
        return (
            f"{self.startup} against {against}: {MEASURES[self.measure]}; "
            f"{self.tries} paths tried, {self.evaluator.runs:,} runs, seed {self.evaluator.seed}"
        )

    @property
    def table(self) -> Grid:
        """A row for each finding."""
        grid = Grid(
            [
                Column("", number=True),
                Column(self.measure),
                Column("where", number=False),
                Column("best there", number=False),
            ]
        )
        for number, one in enumerate(self.failings, 1):
            grid.rows.append([str(number), score(self.measure, one.score), one.where, one.best])
        return grid

    @property
    def frame(self) -> "pl.DataFrame":
        """The rows of both startups in each finding, as a sweep has them."""
        rows = [
            row | {"finding": number, "score": one.score}
            for number, one in enumerate(self.failings, 1)
            for row in (one.evaluation.row, one.evaluation.best)
        ]
        return columns.frame(rows, "worst-rows")

    def to_dict(self) -> dict[str, Any]:
        """Everything as one JSON document."""
        return {
            "flowstart": _native.version(),
            "startup": self.startup,
            "against": [variant.name for variant in self.variants[1:]],
            "measure": self.measure,
            "tries": self.tries,
            "runs": self.evaluator.runs,
            "seed": self.evaluator.seed,
            "findings": [
                {
                    "score": one.score,
                    "where": one.where,
                    "why": one.why,
                    "best": one.best,
                    "command": one.command,
                    "scenario": one.scenario,
                    "seeds": list(one.evaluation.seeds),
                    "row": _plain(one.evaluation.row),
                    "best_row": _plain(one.evaluation.best),
                }
                for one in self.failings
            ],
        }

    def series(self, number: int = 0) -> "list[Series]":
        """The startup and the best of the others over time in a finding; simulated again."""
        return self.evaluator.series(self.failings[number].evaluation)

    def __str__(self) -> str:
        from flowstart.render.terminal import screen  # loads rich

        return screen(self.headline, self.table, "`.failings` has the reasons")

    def __repr__(self) -> str:
        return f"<WorstPaths of {self.startup}: {len(self.failings)} findings of {self.measure}>"


def score(measure: str, value: float) -> str:
    """A score in words: a factor, or points of a percentage."""
    return f"{value:.2f}×" if measure == "regret" else f"{100 * value:+.1f} points"


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "scenario"}
