"""Every named path: median times as a multiple of HyStart++'s."""

from collections.abc import Iterator

import numpy as np
import polars as pl

import flowstart as fs
from asking import COMPARED, HYSTART
from crowd import FIRST_SEED
from flowstart.maps.outcomes import Floats
from flowstart.model.path import named_paths
from measures import ALL
from resampling import Estimate, Paths
from results import Place, Row

SIZES = ("15kB", "100kB", "1MB", "10MB")
SETTING = "named paths"


def named(seeds: int, workers: int | None) -> list[Row]:
    """Four sizes alone on each named path; the interval of the mean is over paths."""
    cells = [(path, size) for path in named_paths() for size in SIZES]
    logs = np.log(_medians(cells, seeds, workers))
    place = Place("named", SETTING, COMPARED)
    of_path = np.repeat(np.arange(len(named_paths())), len(SIZES))
    mean = Paths(of_path).means(logs, np.ones(len(logs), dtype=np.bool_)).exp()
    at = COMPARED.index(HYSTART)
    rows = list(place.rows("median ratio", ALL, mean.over(at), len(cells), HYSTART))
    of_cells = [Estimate(np.exp(own), np.exp(own)[None], 0).over(at) for own in logs]
    for (path, size), one in zip(cells, of_cells, strict=True):
        rows += place.rows("median ratio", f"{path} {size}", one, seeds, HYSTART)
    largest = np.max([one.value for one in of_cells], axis=0)
    worst = Estimate(largest, largest[None], 0)
    return [*rows, *place.rows("largest median ratio", ALL, worst, len(cells), HYSTART)]


def _medians(cells: list[tuple[str, str]], seeds: int, workers: int | None) -> Floats:
    """Median completion times, cells × startups, in seconds."""
    batch = fs.run_many(list(_scenarios(cells, seeds)), workers=workers)
    times = batch.frame.sort("run").with_columns(
        cell=pl.int_range(pl.len()) // seeds, time=pl.col("fct_s").fill_null(float("inf"))
    )
    found = times.group_by("cell", maintain_order=True).agg(pl.col("time").median())
    return found["time"].to_numpy().reshape(len(cells), len(COMPARED))


def _scenarios(cells: list[tuple[str, str]], seeds: int) -> Iterator[fs.Scenario]:
    for path, size in cells:
        for startup in COMPARED:
            for seed in range(seeds):
                flow = fs.Flow(size=size, startup=startup)
                setting = fs.NetworkPath.named(path)
                yield fs.Scenario(path=setting, flows=[flow], stack="linux", seed=FIRST_SEED + seed)
