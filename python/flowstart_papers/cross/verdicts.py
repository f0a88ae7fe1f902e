"""Which startups are never badly wrong, win, lose away from home, and change their order.

All verdicts are frames made of the table's rows, so that no word can contradict its row.
"""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from flowstart_papers.bootstrap import CONFIDENCE
from flowstart_papers.cross.ratios import ALIKE, CERTAIN, LONGER, LOW, SHORTER, pooled
from flowstart_papers.cross.startups import SLOW_START
from flowstart_papers.cross.table import OWN, STARTUP, CrossTable

BADLY = 1.10
"""More than this over slow start is badly wrong, of a startup's own time and of bystanders'."""
NEAR, MOST = 0.05, 0.9
"""A scenario in which so many of the startups are so near to slow start separates none."""
CROWDED = 5
"""Where more are alike at the top than these, nothing separates startups."""
DRAWS = 400
TIE = 0.005
"""Logarithms of ratios that differ by less share a rank."""

OTHERS = pl.col("startup") != SLOW_START
RATIO = pl.col("ratio")
Values = npt.NDArray[np.float64]


def in_order(table: CrossTable) -> pl.DataFrame:
    """The startups with their mean change over all their scenarios, the largest gain first."""
    return pooled(table.own, *STARTUP).sort("ratio", maintain_order=True)


def worst(times: pl.DataFrame, *, by: str = "ratio", most: bool = True) -> pl.DataFrame:
    """Of each startup the row with the largest value, or the smallest; in that order."""
    order = times.sort(by, descending=most, maintain_order=True)
    return order.unique("startup", keep="first", maintain_order=True)


def faults(table: CrossTable) -> pl.DataFrame:
    """Times that are badly wrong beyond doubt, the worst first."""
    found = table.times.filter(OTHERS, LOW > BADLY)
    return found.sort("ratio", descending=True, maintain_order=True)


def doubts(table: CrossTable) -> pl.DataFrame:
    """Times that seem badly wrong and may not be."""
    return table.times.filter(OTHERS, LOW <= BADLY, RATIO > BADLY)


def never_badly_wrong(table: CrossTable) -> pl.DataFrame:
    """All but slow start, which the others are compared with; the largest mean gain first."""
    sound = ~pl.col("startup").is_in(faults(table)["startup"].to_list())
    return in_order(table).filter(OTHERS, sound)


def least_regret(table: CrossTable, *, unaided: bool = False) -> pl.DataFrame:
    """The largest regret of each startup, the smallest first; `unaided`: of those without help."""
    kept = table.own.filter(~pl.col("helped")) if unaided else table.own
    return worst(kept, by="regret").sort("regret", maintain_order=True)


def level(table: CrossTable) -> list[str]:
    """The scenarios in which nine in ten startups are near slow start."""
    near = ((RATIO - 1).abs() <= NEAR).mean()
    shares = table.own.filter(OTHERS).group_by("scenario", maintain_order=True).agg(near=near)
    return shares.filter(pl.col("near") >= MOST)["scenario"].to_list()


def winners(own: pl.DataFrame, *by: str) -> pl.DataFrame:
    """The startups in groups of scenarios, and whether each is `best` there beyond doubt.

    `unaided`: whether it is the best of those that are given nothing. None is either where too
    many are alike.
    """
    found = pooled(own, *by, *STARTUP)
    unhelped = pl.when(~pl.col("helped")).then("ratio")
    best, unaided = (each <= each.min().over(by) + ALIKE for each in (RATIO, unhelped))
    few = (best.sum().over(by) <= CROWDED) & CERTAIN
    return found.with_columns(best=best & few, unaided=(unaided & few).fill_null(value=False))


def schemes(table: CrossTable) -> pl.DataFrame:
    """The rows of the papers' own schemes, with `at_home` in the scenarios of their papers."""
    papers = [each.paper for each in table.scenarios]
    own = table.own.filter(pl.col("home").is_in(papers))
    return own.with_columns(at_home=pl.col("paper") == pl.col("home"))


def harmful(table: CrossTable) -> pl.DataFrame:
    """Of each startup that makes bystanders slower beyond doubt, the worst; the worst first."""
    return worst(table.times.filter(OTHERS, LONGER, pl.col("kind") != OWN))


def helpful(table: CrossTable) -> pl.DataFrame:
    """Of each startup that makes them faster, and nowhere slower, where it does most."""
    unharmful = ~pl.col("startup").is_in(harmful(table)["startup"].to_list())
    return worst(table.times.filter(OTHERS, SHORTER, unharmful, pl.col("kind") != OWN), most=False)


def turning(table: CrossTable, alone: pl.Expr, alike: pl.Expr) -> pl.DataFrame:
    """Startups with such means over transfers alone, and among their like (`_right`)."""
    own = table.own.filter(OTHERS)
    one, many = (
        pooled(own.filter(competing=competing), *STARTUP).filter(holds)
        for competing, holds in (("alone", alone), ("alike", alike))
    )
    return one.join(many, on="startup", maintain_order="left")


def agreement(one: pl.DataFrame, other: pl.DataFrame) -> tuple[float, float, float]:
    """Spearman's rank correlation of the startups that are in both, with its interval.

    The interval is by the scenarios' seeds, with 95 % confidence.
    """
    in_other = set(other["startup"])
    both = [name for name in one["startup"].unique(maintain_order=True) if name in in_other]
    exact = _correlations(*(_means(each, both) for each in (one, other)))
    drawn = _correlations(*(_means(each, both, DRAWS) for each in (one, other)))
    spare = (100 - CONFIDENCE) / 2
    low, high = np.percentile(drawn, [spare, 100 - spare])
    return float(exact[0]), float(low), float(high)


def _means(own: pl.DataFrame, startups: Sequence[str], draws: int = 0) -> Values:
    """Mean logarithms by startup, as they are or for so many draws of the seeds.

    All startups see the same draws of a scenario, wherever the scenario counts.
    """
    found = []
    for (key,), part in own.group_by(["scenario"], maintain_order=True):
        by_name = dict(part.select("startup", "logs").rows())
        count = part["logs"].list.len()[0]
        seeds = np.arange(count)[np.newaxis]
        if draws:
            drawn = np.random.default_rng(list(str(key).encode()))
            seeds = drawn.integers(count, size=(draws, count))
        logs = np.array([by_name.get(name, [math.nan] * count) for name in startups])
        found.append(logs[:, seeds].mean(axis=2).T)
    means: Values = np.nanmean(found, axis=0)
    return means


def _correlations(one: Values, other: Values) -> Values:
    """Correlations of ranks, by row; 0 where all have one rank."""
    first, second = (_ranks(values) for values in (one, other))
    scale = np.sqrt((first**2).sum(axis=1) * (second**2).sum(axis=1))
    products = (first * second).sum(axis=1)
    return np.asarray(np.divide(products, scale, out=np.zeros_like(scale), where=scale > 0))


def _ranks(values: Values) -> Values:
    """Ranks by row, less their mean; ties share the mean of their ranks."""
    steps = np.round(values / TIE)
    others, own = steps[:, np.newaxis, :], steps[:, :, np.newaxis]
    ranks = (others < own).sum(axis=2) + ((others == own).sum(axis=2) + 1) / 2
    centred: Values = ranks - (values.shape[1] + 1) / 2
    return centred
