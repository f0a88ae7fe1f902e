"""The cells of Table I: nine delays and three rates, in one or several settings."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from flowstart.papers.lab import Lab
from flowstart.papers.quick_start_low_latency import published
from flowstart.papers.quick_start_low_latency.setups import DELAYS, RATES, Setting
from flowstart.papers.quick_start_low_latency.transfers import Pair, pairs
from flowstart.papers.target import Measured

PLACES = [(rate, delay) for delay in DELAYS for rate in RATES]
"""Rate and delay in milliseconds of each cell."""

Improvements = Mapping[tuple[str, int], float]
"""In percent, by place."""


def grids(lab: Lab, settings: Sequence[Setting]) -> list[Improvements]:
    """The table in each of the settings."""
    return [improvements(found) for found in runs(lab, settings)]


def runs(lab: Lab, settings: Sequence[Setting]) -> list[dict[tuple[str, int], Pair]]:
    """The transfers of the table in each of the settings."""
    cells = [(setting, *place) for setting in settings for place in PLACES]
    found = pairs(lab, cells)
    starts = range(0, len(found), len(PLACES))
    return [dict(zip(PLACES, found[start : start + len(PLACES)], strict=True)) for start in starts]


def improvements(found: Mapping[tuple[str, int], Pair]) -> Improvements:
    """The paper's measure of each."""
    return {place: pair.improvement for place, pair in found.items()}


def measured(table: str, found: Improvements) -> dict[str, Measured]:
    """The cells of which something is published, by target."""
    cells = {
        published.cell(table, rate, delay): Measured(round(value, 2))
        for (rate, delay), value in found.items()
    }
    return {name: cell for name, cell in cells.items() if name in published.NUMBERS}


def errors(found: Improvements) -> list[float]:
    """How far each cell is from the published one, in points."""
    return [value - published.TABLE1[place] for place, value in found.items()]


def rms(found: Improvements) -> float:
    """The root of their mean square."""
    return math.sqrt(np.mean(np.square(errors(found))).item())


def over_delays(found: Improvements, rate: str) -> tuple[Sequence[float], Sequence[float]]:
    """One column as a curve."""
    return DELAYS, [found[rate, delay] for delay in DELAYS]
