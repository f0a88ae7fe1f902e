"""Transfers under both startups, and Table I's cells: nine delays and three rates."""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from flowstart_papers.lab import Lab
from flowstart_papers.quick_start_low_latency import published
from flowstart_papers.quick_start_low_latency.measures import Pair, ending
from flowstart_papers.quick_start_low_latency.setups import (
    DELAYS,
    RATES,
    SLOW_START,
    TABLE1_KB,
    Setting,
    transfer,
)

Transfer = tuple[Setting, str, float, int]
"""A setting, a rate, a delay in milliseconds and packets."""

PLACES = [(rate, delay) for delay in DELAYS for rate in RATES]
"""Rate and delay in milliseconds of each cell of Table I."""

Cells = Mapping[tuple[str, int], Pair]
"""The transfers of the table, by place."""
Improvements = Mapping[tuple[str, int], float]
"""In percent, by place."""


def pairs(lab: Lab, transfers: Iterable[Transfer]) -> list[Pair]:
    """Runs each transfer with both startups."""
    documents = [
        transfer(setting, rate, delay, packets, startup)
        for setting, rate, delay, packets in transfers
        for startup in (SLOW_START, setting.quick_start)
    ]
    ends = lab.runs(documents, ending)
    return [Pair(slow, quick) for slow, quick in zip(ends[::2], ends[1::2], strict=True)]


def table(lab: Lab, setting: Setting) -> Cells:
    """The table's transfers in a setting."""
    return tables(lab, [(setting, setting.packets(TABLE1_KB))])[0]


def tables(lab: Lab, variants: Sequence[tuple[Setting, int]]) -> list[Cells]:
    """The table in several settings, with so many packets for its 120 kB."""
    found = pairs(
        lab, [(setting, *place, packets) for setting, packets in variants for place in PLACES]
    )
    starts = range(0, len(found), len(PLACES))
    return [dict(zip(PLACES, found[start : start + len(PLACES)], strict=True)) for start in starts]


def improvements(found: Cells) -> Improvements:
    """The paper's measure of each."""
    return {place: pair.improvement for place, pair in found.items()}


def errors(found: Improvements) -> list[float]:
    """How far each cell is from the published one, in points."""
    return [value - published.TABLE1[place] for place, value in found.items()]


def rms(found: Improvements) -> float:
    """The root of their mean square."""
    return math.sqrt(np.mean(np.square(errors(found))).item())


def over_delays(found: Improvements, rate: str) -> tuple[Sequence[float], Sequence[float]]:
    """One column as a curve."""
    return DELAYS, [found[rate, delay] for delay in DELAYS]
