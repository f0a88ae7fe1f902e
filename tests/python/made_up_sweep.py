"""A sweep whose rows are made up: for tests of how sweeps are run and kept.

python made_up_sweep.py FOLDER [FIELD=VALUE ...]
"""

import importlib
import os
import pathlib
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from flowstart.model.custom import CustomStartups
from flowstart.model.variants import Variant
from flowstart.render import columns
from flowstart.sweeps.cell import Cell
from flowstart.sweeps.execution.execute import Way, run
from flowstart.sweeps.execution.task import PACKETS
from flowstart.sweeps.runs.table import TABLE

if TYPE_CHECKING:
    import polars as pl

VARIANTS = (Variant("slow-start", "slow-start"), Variant("jump-start", "jump-start"))
CELLS_OF_A_BATCH = 4


@dataclass
class MadeUp:
    """A sweep of so many cells."""

    count: int = 40
    path: dict[str, Any] = field(default_factory=dict)
    """What every cell's path has beside its rate."""
    variants: tuple[Variant, ...] = VARIANTS
    custom: CustomStartups = field(default_factory=CustomStartups)
    split: str = ""
    made: int = 0
    """How many cells have been asked for."""

    @property
    def document(self) -> dict[str, Any]:
        return {"count": self.count, "path": self.path}

    @property
    def collapsed(self) -> Mapping[str, int]:
        return {"queue": self.count}

    def cells(self) -> Iterator[Cell]:
        for number in range(self.count):
            self.made += 1
            path = {"rate": f"{number + 1}Mbps", "rtt": "50ms", **self.path}
            yield Cell(number, path, {"size": "1MB"}, {}, None, "alone", 1, self.split, "")

    def only(self, split: str) -> Self:
        return type(self)(self.count, self.path, self.variants, self.custom, split)


def run_cells(
    cells: Sequence[Cell], variants: Sequence[Variant], _custom: CustomStartups
) -> "pl.DataFrame":
    """Rows that say what was asked, after what the path says is to happen."""
    rows = []
    for cell in cells:
        _happen(cell)
        for variant in variants:
            rows.append(
                {
                    "cell": cell.number,
                    "split": cell.split,
                    "startup": variant.name,
                    "error": "too slow" if cell.path["rate"] == cell.path.get("fails_at") else None,
                    "fct_s": (cell.number + 1) / 7,
                }
            )
    return columns.frame(rows, TABLE)


def _happen(cell: Cell) -> None:
    time.sleep(float(cell.path.get("sleep", 0)))
    if cell.path["rate"] == cell.path.get("raises_at"):
        raise ArithmeticError("made up")
    if cell.path["rate"] == cell.path.get("kills_at"):
        mark = pathlib.Path(cell.path["kills_until"])
        deaths = len(mark.read_text()) if mark.exists() else 0
        if deaths < int(cell.path["kills"]):
            mark.write_text("x" * (deaths + 1))
            os.kill(os.getpid(), signal.SIGKILL)


def cost(_cell: Cell, _variants: Sequence[Variant]) -> float:
    return PACKETS / CELLS_OF_A_BATCH


def way(**given: Any) -> Way:
    """One that runs made-up rows, in this process unless told otherwise."""
    usual: dict[str, Any] = {"workers": 1, "approve": lambda _: True}
    return Way(run_cells, cost, **(usual | given))


def main(folder: str, *given: str) -> None:
    """Runs one into a folder."""
    words = dict(one.split("=", 1) for one in given)
    address = words.pop("dask", None)
    workers = None if address else int(words.pop("workers", 1))
    question = MadeUp(int(words.pop("count", 40)), dict(words))
    run(question, pathlib.Path(folder), way(workers=workers, dask=address))


if __name__ == "__main__":
    # Its functions are to be found by other processes, so they are not this module's.
    importlib.import_module("made_up_sweep").main(*sys.argv[1:])
