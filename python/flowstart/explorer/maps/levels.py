"""The map of rate and round trip: who is soonest where, with all else as it was chosen.

A level of the map is a grid of cells. The next one has cells between those of the one before, so
nothing is run twice when the page asks for level after level.
"""

import dataclasses
import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from flowstart import _native, text
from flowstart.comparison.execute import prepare
from flowstart.comparison.plan import Plan
from flowstart.comparison.summary import Summary, summarised
from flowstart.errors import RequestError
from flowstart.maps.measures import MARGIN
from flowstart.model.document import plain
from flowstart.model.path import NetworkPath
from flowstart.model.quantities import NS_PER_S, Kind, read
from flowstart.simulation.batch import run_many

Progress: TypeAlias = Callable[[int, int], object]
"""Told of runs, done and in all; what it raises ends them."""

COLUMNS, ROWS = 4, 3
"""Cells of the first level, its ends included: few, so that 10 MB take a tenth of a second."""
LEVELS = 4
RATES = ("1Mbps", "1Gbps")
RTTS = ("5ms", "500ms")
"""From where to where the map goes unless asked otherwise."""
MOST_PACKETS = 60_000_000
"""A level that sends more is refused: it would take minutes."""


@dataclass(frozen=True)
class LevelSide:
    """One side of the map: from its first to its last value, in equal ratios."""

    low: float
    high: float
    """In bits per second, or in seconds."""
    unit: tuple[str, float]
    """Of the values as they are written, and what one is."""

    def value(self, share: float) -> str:
        """The value at a share of the way, in three digits, as a flag takes it."""
        name, factor = self.unit
        value = self.low * (self.high / self.low) ** share / factor
        return f"{float(f'{value:.3g}'):.15g}{name}"


@dataclass(frozen=True)
class LevelCell:
    """Where a cell stands in the finest grid that has it, and what it is run with."""

    x: int
    y: int
    rate: str
    rtt: str


@dataclass(frozen=True)
class Extent:
    """From where to where the map goes."""

    rates: LevelSide
    rtts: LevelSide

    @classmethod
    def of(cls, rates: object = None, rtts: object = None) -> "Extent":
        """From two rates and two round trips as people write them; None for the usual ones."""
        return cls(
            _side("rates", RATES if rates is None else rates, Kind.RATE),
            _side("rtts", RTTS if rtts is None else rtts, Kind.TIME),
        )

    def level(self, number: int) -> tuple[int, int]:
        """How many columns and rows a level has."""
        return (COLUMNS - 1) * 2**number + 1, (ROWS - 1) * 2**number + 1

    def cells(self, number: int) -> list[LevelCell]:
        """The cells that a level has and the one before it has not."""
        columns, rows = self.level(number)
        return [
            LevelCell(x, y, self.rates.value(x / (columns - 1)), self.rtts.value(y / (rows - 1)))
            for y in range(rows)
            for x in range(columns)
            if number == 0 or x % 2 or y % 2
        ]


def _side(name: str, ends: object, kind: Kind) -> LevelSide:
    """A side from the texts of its ends."""
    example = "1Mbps and 1Gbps" if kind is Kind.RATE else "5ms and 500ms"
    right = f"two {'rates' if kind is Kind.RATE else 'times'} such as {example} are needed"
    if not isinstance(ends, list | tuple) or len(ends) != 2:
        raise RequestError(f"{name}: `{ends}`: {right}")
    low, high = (_number(name, end, kind, right) for end in ends)
    if not 0 < low < high:
        raise RequestError(
            f"{name}: `{ends[0]}` to `{ends[1]}`: the first must be above 0 and below the second"
        )
    if kind is Kind.RATE:
        return LevelSide(low, high, ("Mbps", 1e6))
    return LevelSide(low / NS_PER_S, high / NS_PER_S, ("ms", 1e-3))


def _number(name: str, said: object, kind: Kind, right: str) -> float:
    quantity = read(said)
    if quantity is None or quantity.kind is not kind or not math.isfinite(quantity.base):
        raise RequestError(f"{name}: `{said}`: {right}")
    return quantity.base


def level(
    plan: Plan,
    extent: Extent,
    number: int,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """A level of the map of what `plan` compares, as JSON: its size, and the cells that are new.

    `plan` has one size. Of a cell there are, in the order of `startups`, the mean completion times
    in seconds (null where a transfer was not completed), the regrets (times over the least), the
    changes against the baseline, and the places of the soonest and of those within the margin.
    Raises RequestError where the level is too much work or cannot be.
    """
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < LEVELS:
        raise RequestError(f"level: `{number}`: a whole number from 0 to {LEVELS - 1} is needed")
    if len(plan.sizes) != 1:
        raise RequestError(f"size: {len(plan.sizes)} sizes are given; a map is of one")
    plan = prepare(plan).plan  # a rate that is none is refused, though others are run
    cells = extent.cells(number)
    plans = [_at(plan, cell) for cell in cells]
    cases = plan.cases()
    scenarios = [text for cell_plan in plans for text in cell_plan.native.scenarios(cases)]
    refuse = functools.partial(_refuse_what_takes_long, number)
    _native.calls_python(scenarios, plan.custom.natives(), refuse)
    batch = run_many(scenarios, workers, progress, plan.custom)
    rows = plan.native.rows(batch, cases * len(cells))
    begins = range(0, len(scenarios), len(cases))
    columns, tall = extent.level(number)
    return {
        "level": number,
        "levels": LEVELS,
        "columns": columns,
        "rows": tall,
        "startups": list(plan.startups),
        "baseline": plan.baseline,
        "margin": MARGIN,
        "size": plan.sizes[0],
        "x": _ticks(extent.rates, "rate", text.rate),
        "y": _ticks(extent.rtts, "round trip", text.seconds),
        "cells": [
            _outcome(cell, plan, rows.of_runs(begin, begin + len(cases)))
            for cell, begin in zip(cells, begins, strict=True)
        ],
    }


def _at(plan: Plan, cell: LevelCell) -> Plan:
    """The plan with a cell's rate and round trip."""
    path = NetworkPath(**plan.base["path"]).replace(rate=cell.rate, rtt=cell.rtt)
    return dataclasses.replace(plan, base=plan.base | {"path": plain(path)})


def _refuse_what_takes_long(number: int, counted: "_native.Estimated") -> None:
    """By the packets that all runs of a level send together."""
    packets = counted["packets"]
    if packets > MOST_PACKETS:
        raise RequestError(
            f"size: level {number} of the map would send {packets / 1e6:,.0f} million packets, and "
            f"at most {MOST_PACKETS / 1e6:.0f} million are possible; a smaller size, fewer "
            "startups or fewer flows are needed"
        )


def _outcome(cell: LevelCell, plan: Plan, rows: "_native.ComparisonRows") -> dict[str, Any]:
    """What the startups came to in a cell."""
    known, _ = summarised(rows, [1])
    by_startup = {s.startup: s for s in known}
    summaries = [by_startup.get(name) for name in plan.startups]
    times = [_time(s) for s in summaries]
    best = min((time for time in times if time is not None), default=None)
    regrets = [None if time is None or not best else time / best for time in times]
    within = [at for at, r in enumerate(regrets) if r is not None and r <= 1 + MARGIN]
    return {
        **dataclasses.asdict(cell),
        "fct_s": times,
        "regret": regrets,
        "change": [s.change if s and _time(s) is not None else None for s in summaries],
        "winner": None if best is None else times.index(best),
        "within": within,
    }


def _time(summary: Summary | None) -> float | None:
    """The mean completion time; None where a flow did not complete."""
    return summary.fct_s if summary and summary.complete == summary.flows else None


def _ticks(side: LevelSide, title: str, words: Callable[[float], str]) -> dict[str, Any]:
    """An axis: its title, and where along it round values stand, as shares of the way."""
    low, high = math.log10(side.low), math.log10(side.high)
    ticks = [
        {"at": (at - low) / (high - low), "label": text.brief(words(10**at))}
        for at in _round(low, high)
    ]
    return {"title": title, "ticks": ticks}


def _round(low: float, high: float) -> list[float]:
    """Logarithms of round numbers between two: powers of ten, and 2 and 5 where those are few."""
    digits = (1,) if high - low > DECADES else (1, 2, 5)
    return [
        decade + math.log10(digit)
        for decade in range(math.floor(low), math.ceil(high) + 1)
        for digit in digits
        if low - 1e-9 <= decade + math.log10(digit) <= high + 1e-9
    ]


DECADES = 4
"""Over more than these an axis has powers of ten alone."""
