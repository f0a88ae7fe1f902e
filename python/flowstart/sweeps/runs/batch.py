"""Runs cells and makes rows of them: one for each cell and variant."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from flowstart.errors import RequestError
from flowstart.model.custom import CustomStartups
from flowstart.model.variants import Variant
from flowstart.simulation.batch import run_many
from flowstart.simulation.many import RunBatch
from flowstart.sweeps.cell import Cell
from flowstart.sweeps.runs import beside, table
from flowstart.sweeps.runs.planned import Planned

if TYPE_CHECKING:
    import polars as pl


def run_cells(
    cells: Sequence[Cell],
    variants: Sequence[Variant],
    custom: CustomStartups,
    workers: int | None = 1,
) -> "pl.DataFrame":
    """One row for each cell and variant, in that order, with the columns of `table.SCHEMA`.

    What fails is a row with its `error`, and fails nothing else. `workers` are threads, all cores
    where None. Raises KeyboardInterrupt where Ctrl-C ended it.
    """
    import polars as pl

    planned: list[Planned] = []
    refused: list[pl.DataFrame] = []
    for cell in cells:
        try:
            planned.append(Planned.of(cell, variants, custom))
        except RequestError as error:
            refused.append(table.refused(cell, variants, str(error)))
    if not planned:
        return pl.concat(refused)
    texts = [text for one in planned for text in one.scenarios()]
    batch = RunBatch(run_many(texts, workers, None, custom), len(texts))
    if batch.interrupted:
        raise KeyboardInterrupt
    harms = beside.harms(planned, batch, custom)
    rows = table.rows(planned, variants, batch).with_columns(harms)
    if not refused:
        return rows
    return pl.concat([rows, *refused]).sort("cell", maintain_order=True)
