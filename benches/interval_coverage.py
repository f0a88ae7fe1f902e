"""How often the intervals of a whole table hold, on made-up transfers whose truth is known.

    python benches/interval_coverage.py                 # 2000 tables of each design, minutes
    python benches/interval_coverage.py --tables 200

Each design draws clusters from an endless population. The truth is what a sample of a million
transfers of the same population comes to, computed here by other means than the package's.
"""

import argparse
import functools
import multiprocessing
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from flowstart.inference.data import HARM_THRESHOLD, Row, Statistic, TransferGroup
from flowstart.inference.intervals import intervals

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Sample = tuple[Floats, Ints, Ints]
"""Times (transfers × variants, the baseline first), clusters, classes."""
Draw = Callable[[np.random.Generator, int], Sample]
"""A sample of so many clusters."""

POPULATION = 300_000
"""Clusters that stand for all."""


@dataclass(frozen=True)
class Design:
    """A population of transfers, and how many of its clusters a table sees."""

    name: str
    clusters: int
    variants: int
    classes: int
    draw: Draw
    null: bool = False
    """Whether no variant does better than the baseline in any class."""

    @property
    def names(self) -> list[str]:
        """The variants', the baseline first."""
        return ["base", *(f"variant {i}" for i in range(1, self.variants))]

    def groups(self, rng: np.random.Generator, clusters: int) -> list[TransferGroup]:
        """A sample."""
        times, numbers, classes = self.draw(rng, clusters)
        chosen = [np.flatnonzero(classes == c) for c in range(self.classes)]
        return [
            TransferGroup.of(f"class {c}", times[rows], numbers[rows])
            for c, rows in enumerate(chosen)
        ]


def sizes(rng: np.random.Generator, clusters: int, most: int = 40) -> NDArray[np.int64]:
    """Transfers per cluster, of a long tail: a few have many times the others' number."""
    return np.minimum(1 + rng.pareto(1.5, clusters).astype(np.int64), most)


def noisy(
    rng: np.random.Generator, base: Floats, effects: Sequence[float], spread: float
) -> Floats:
    """Every variant's times: the base's times an effect and a noise of each transfer."""
    noise = np.exp(rng.normal(0, spread, (len(base), len(effects))))
    return np.column_stack([base, base[:, None] * np.array(effects) * noise])


def _independent(rng: np.random.Generator, clusters: int) -> Sample:
    base = np.exp(rng.normal(0, 1, clusters))
    times = noisy(rng, base, (1.0, 0.9, 1.05, 1.3), 0.2)
    return times, np.arange(clusters), np.zeros(clusters, dtype=np.int64)


def _unequal(rng: np.random.Generator, clusters: int) -> Sample:
    """Large clusters are slower and gain more; what a variant does to one is shared within."""
    size = sizes(rng, clusters)
    numbers = np.repeat(np.arange(clusters), size)
    slow = rng.normal(0, 0.8, clusters) + 0.3 * np.log(size)
    base = np.exp(slow[numbers] + rng.normal(0, 0.5, len(numbers)))
    shared = np.exp(rng.normal(0, 0.15, (clusters, 3)) - 0.05 * np.log(size)[:, None])
    times = noisy(rng, base, (1.0, 0.85, 1.1), 0.1)
    times[:, 1:] *= shared[numbers]
    return times, numbers, np.zeros(len(numbers), dtype=np.int64)


def _heavy(rng: np.random.Generator, clusters: int) -> Sample:
    """Pareto tails of index 1.1; some transfers are never done, under one variant more."""
    numbers = np.repeat(np.arange(clusters), rng.integers(1, 6, clusters))
    base = (1 + rng.pareto(1.1, len(numbers))) * np.exp(rng.normal(0, 0.5, clusters))[numbers]
    times = noisy(rng, base, (1.0, 0.8, 1.2), 0.3)
    lost = rng.random(times.shape) < np.array([0.002, 0.002, 0.01, 0.03])
    return np.where(lost, np.inf, times), numbers, np.zeros(len(numbers), dtype=np.int64)


def _ties(rng: np.random.Generator, clusters: int) -> Sample:
    """Times are whole round trips of a few lengths, and most variants change none of them."""
    numbers = np.repeat(np.arange(clusters), rng.integers(1, 9, clusters))
    rtt = rng.choice([0.02, 0.05, 0.1], clusters)[numbers]
    trips = 2 + rng.poisson(1.5, len(numbers))
    often = rng.random(len(numbers)) < 0.3
    saved = [np.zeros(len(numbers), dtype=bool), often, trips > 3, trips > 4]
    variants = [np.maximum(trips - less.astype(np.int64), 1) for less in saved]
    return (
        np.column_stack([trips * rtt, *(v * rtt for v in variants)]),
        numbers,
        np.zeros(len(numbers), dtype=np.int64),
    )


def _rare(rng: np.random.Generator, clusters: int) -> Sample:
    """Two variants are the baseline but in a few clusters, where all transfers are hurt."""
    numbers = np.repeat(np.arange(clusters), rng.integers(1, 7, clusters))
    base = np.exp(rng.normal(0, 0.7, clusters)[numbers] + rng.normal(0, 0.5, len(numbers)))
    hit = rng.random((clusters, 2)) < np.array([0.01, 0.04])
    times = np.column_stack([base, *(base * np.where(h, 2.0, 1.0)[numbers] for h in hit.T)])
    return times, numbers, np.zeros(len(numbers), dtype=np.int64)


def _table(effects: Sequence[float], rng: np.random.Generator, clusters: int) -> Sample:
    """Four classes of the same clusters, under many variants."""
    size = sizes(rng, clusters, 25) + 3
    numbers = np.repeat(np.arange(clusters), size)
    classes = rng.integers(0, 4, len(numbers))
    path = rng.normal(0, 0.6, clusters)[numbers]
    base = np.exp(path + classes + rng.standard_t(4, len(numbers)) * 0.4)
    shared = np.exp(rng.normal(0, 0.1, (clusters, len(effects))))
    times = noisy(rng, base, effects, 0.15)
    times[:, 1:] *= shared[numbers]
    return times, numbers, classes


MIX = (1.0, 1.0, 1.0, 0.95, 0.9, 0.7, 1.05, 1.2)
DESIGNS = (
    Design("independent transfers", 300, 5, 1, _independent),
    Design("unequal clusters, shared effects", 120, 4, 1, _unequal),
    Design("heavy tails, some never done", 150, 4, 1, _heavy),
    Design("ties: whole round trips", 80, 5, 1, _ties),
    Design("few clusters differ", 100, 3, 1, _rare, null=True),
    Design("4 classes × 8 variants, a mix", 150, 9, 4, functools.partial(_table, MIX)),
    Design("the same, no effect", 150, 9, 4, functools.partial(_table, (1.0,) * 8), null=True),
    Design("30 clusters, no effect", 30, 9, 4, functools.partial(_table, (1.0,) * 8), null=True),
)
Key = tuple[str, str, str]


def truth(design: Design, clusters: int = POPULATION) -> dict[Key, float]:
    """Every statistic in the population, of which so many clusters are drawn."""
    found: dict[Key, float] = {}
    for group in design.groups(np.random.default_rng(20261123), clusters):
        base = group.times[:, 0]
        for name, times in zip(design.names[1:], group.times.T[1:], strict=True):
            for statistic in (Statistic.P50, Statistic.P95, Statistic.P99):
                p = statistic.quantile or 0.0
                new, old = (np.quantile(t, p, method="inverted_cdf") for t in (times, base))
                found[group.name, name, statistic] = float(new / old - 1)
            both = np.isfinite(base) & np.isfinite(times)
            logs = np.log(times[both]) - np.log(base[both])
            found[group.name, name, Statistic.GEOMEAN_RATIO] = float(np.exp(logs.mean()) - 1)
            known = np.isfinite(base)
            own = times[known] / base[known] - 1
            middle = np.quantile(own, 0.5, method="inverted_cdf")
            found[group.name, name, Statistic.MEDIAN_RATIO] = float(middle)
            found[group.name, name, Statistic.HARMED_SHARE] = float(np.mean(own > HARM_THRESHOLD))
    return found


@dataclass(frozen=True)
class Outcome:
    """What one table came to."""

    missed: tuple[Key, ...]
    """The rows whose interval does not hold."""
    stated: int
    """How many rows have an interval."""
    rows: int
    gains: bool
    """Whether a geometric mean of ratios is significantly smaller in any class."""


def outcome(design: Design, known: dict[Key, float], seed: int) -> Outcome:
    """One table of a design."""
    rng = np.random.default_rng([seed, len(design.name), design.clusters])
    groups = design.groups(rng, design.clusters)
    rows = intervals(groups, design.names, "base")
    missed = [
        key for row in rows if not holds(row, known[key := (row.group, row.variant, row.statistic)])
    ]
    stated = sum(row.enough for row in rows)
    gains = any(row.gains for row in rows if row.statistic == Statistic.GEOMEAN_RATIO)
    return Outcome(tuple(missed), stated, len(rows), gains)


def holds(row: Row, true: float) -> bool:
    """Whether a row's interval has the truth, or states nothing."""
    if row.low is None or row.high is None:
        return True
    return row.low - 1e-9 <= true <= row.high + 1e-9


def outcomes(
    design: Design, tables: int, workers: int, population: int = POPULATION
) -> list[Outcome]:
    """So many tables of a design."""
    work = functools.partial(outcome, design, truth(design, population))
    if workers == 1:
        return [work(seed) for seed in range(tables)]
    with multiprocessing.Pool(workers) as pool:
        return pool.map(work, range(tables), chunksize=20)


def line(design: Design, found: Sequence[Outcome]) -> str:
    """A design's line of the page's table."""
    hold = np.mean([not o.missed for o in found])
    stated = sum(o.stated for o in found) / sum(o.rows for o in found)
    chosen = f"{np.mean([o.gains for o in found]):.1%}" if design.null else ""
    return f"| {design.name} | {found[0].rows} | {stated:.0%} | {hold:.1%} | {chosen} |"


HEADING = """\
| design | rows | stated | tables in which all hold | a gain, though there is none |
| --- | --- | --- | --- | --- |"""


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tables", type=int, default=2000)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    print(HEADING)
    for design in DESIGNS:
        print(line(design, outcomes(design, given.tables, given.workers)), flush=True)


if __name__ == "__main__":
    main()
