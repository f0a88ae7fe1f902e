"""The rows of sweeps as questions, each for every startup: medians over seeds.

A *question* is a path, a transfer and a competing. Where anything is random it was run with several
seeds: a startup's time is the median over them, its other numbers are the means. The best time of
a question is the minimum of the reference set's medians.
"""

import dataclasses
import functools
import pathlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

import flowstart as fs
from flowstart.maps.outcomes import Flags, Floats, LeftOut, Outcomes, Shares, numbered
from flowstart.maps.reading import CELL, scan

OF_STARTUPS = ("time", "retransmitted", "harm", "rounds", "net_rounds")
"""The results of each startup in a question."""
NEVER = float("inf")


@dataclass(frozen=True)
class Judged(Outcomes):
    """Outcomes whose regret is over the fastest of a reference set.

    A startup that is not in the set may be faster than all of it: its regret is then below 1.
    """

    rounds: Shares
    """What competing flows lost in time, in round trips, at least 0; NaN where nobody is beside
    it."""
    net_rounds: Shares
    """The same, below 0 where the competing flows was quicker."""
    reference: tuple[str, ...]

    @functools.cached_property
    def best(self) -> Floats:
        """The minimum time of the reference set in each question."""
        places = [self.startups.index(name) for name in self.reference]
        found: Floats = self.times[:, places].min(axis=1)
        return found

    def kept(self, questions: Flags) -> "Judged":
        """Some of the questions."""
        return dataclasses.replace(
            self,
            cells=self.cells.filter(pl.Series(questions)),
            times=self.times[questions],
            retransmitted=self.retransmitted[questions],
            harm=self.harm[questions],
            rounds=self.rounds[questions],
            net_rounds=self.net_rounds[questions],
        )

    def beside(self, companies: Sequence[str]) -> Flags:
        """Which questions have one of these competing flows."""
        return np.isin(self.cells["competing"].to_numpy(), companies)


def read(
    folders: Sequence[pathlib.Path],
    reference: Sequence[str],
    startups: Sequence[str] | None = None,
) -> Judged:
    """The questions that all `startups`, those of the sweeps in `folders`, have answered.

    Those in which none of the reference set was ever done are left out. Raises RequestError
    where none is left.
    """
    rows = pl.concat([_rows(folder) for folder in folders]).collect()
    rows = rows.unique(["question", "seed", "startup"], keep="first", maintain_order=True)
    startups = tuple(startups or rows["startup"].unique(maintain_order=True))
    rows = rows.filter(pl.col("startup").is_in(startups))
    asked = collapsed(rows)
    cells = rows.select(*CELL, "question").unique("question", keep="first", maintain_order=True)
    answered = (pl.len() == len(startups)) & ~pl.col("failed").any()
    whole = asked.group_by("question").agg(whole=answered).filter("whole")
    found = whole["question"].implode()
    missing = cells.filter(~pl.col("question").is_in(found))
    cells = cells.filter(pl.col("question").is_in(found)).sort("question")
    if cells.is_empty():
        raise fs.RequestError(f"{folders[0]}: no question has an answer of every startup")
    matrix = _matrices(asked.filter(pl.col("question").is_in(found)), startups)
    judged = Judged(
        startups=startups,
        cells=numbered(cells.with_columns(pl.col(pl.String).fill_null(""))),
        times=matrix["time"],
        retransmitted=matrix["retransmitted"],
        harm=matrix["harm"],
        rounds=matrix["rounds"],
        net_rounds=matrix["net_rounds"],
        left_out=LeftOut(missing.select("cell", "hash")),
        reference=tuple(reference),
    )
    hopeless = np.isinf(judged.best)
    known = judged.kept(~hopeless)
    return dataclasses.replace(
        known, left_out=LeftOut(judged.left_out.missing, int(hopeless.sum()))
    )


def _rows(folder: pathlib.Path) -> pl.LazyFrame:
    """The rows of a sweep; `question` is common to those that differ in seed and startup only."""
    seedless = pl.col("scenario").str.replace(r'"seed": ?\d+', "")
    done = pl.when("complete").then("fct_s").otherwise(NEVER).fill_null(NEVER)
    lost = pl.col("harm_s").cast(pl.Float64) / pl.col("rtt_s")
    return scan(folder).select(
        *CELL,
        pl.col("startup").cast(pl.String),
        question=pl.concat_str(pl.col("competing").fill_null(""), seedless).hash(),
        failed=pl.col("error").fill_null("") != "",
        time=done,
        retransmitted=pl.col("retransmitted_share").fill_null(0.0),
        harm=pl.col("harm").cast(pl.Float64),
        rounds=lost.clip(0),
        net_rounds=lost,
    )


def collapsed(rows: pl.DataFrame) -> pl.DataFrame:
    """A row per question and startup: the median of its times, the means of the rest."""
    return rows.group_by("question", "startup", maintain_order=True).agg(
        pl.col("time").median(),
        pl.col(OF_STARTUPS[1:]).mean(),
        pl.col("failed").any(),
    )


def _matrices(asked: pl.DataFrame, startups: Sequence[str]) -> dict[str, Any]:
    """Each of `OF_STARTUPS`, questions × startups, the questions in rising order."""
    numbers = asked["question"].unique().sort().to_numpy()
    rows = np.searchsorted(numbers, asked["question"].to_numpy())
    places = {name: place for place, name in enumerate(startups)}
    columns = np.array([places[name] for name in asked["startup"]])
    found = {}
    for name in OF_STARTUPS:
        matrix = np.full((len(numbers), len(startups)), np.nan)
        matrix[rows, columns] = asked[name].cast(pl.Float64).fill_null(float("nan")).to_numpy()
        found[name] = matrix
    return found
