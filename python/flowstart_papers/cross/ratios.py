"""Times over slow start's: geometric means with intervals, and the words for them.

A frame of ratios has the columns `ratio`, `low` and `high`, the ends of the 95 % interval. The ends
are null where nothing is drawn.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from flowstart.inference.clusters import NORMAL, student
from flowstart_papers.bootstrap import CONFIDENCE

Ratio: TypeAlias = Mapping[str, Any]
"""A row with a ratio and the ends of its interval."""

ALIKE = 0.005
"""Ratios so near to each other are the same, as one is a matter of a packet."""
DOUBLE = 2.0
"""From here on a ratio is a factor."""
NEVER = "never"
"""Where transfers are not done at all."""
IN_DOUBT = "?"

LOW, HIGH = pl.coalesce("low", "ratio"), pl.coalesce("high", "ratio")
LONGER = LOW > 1 + ALIKE
"""Certainly longer than with slow start."""
SHORTER = HIGH < 1 - ALIKE
CERTAIN = pl.col("low").is_null() | LONGER | SHORTER
"""Whether draws leave no doubt of a change."""

SCHEMA = dict.fromkeys(("ratio", "low", "high"), pl.Float64)


def estimate(logs: Sequence[Sequence[float]]) -> dict[str, float | None]:
    """The geometric mean of ratios over scenarios, each of the same weight, with its interval.

    `logs` has their logarithms by scenario and seed, infinite where the transfers were never done.
    The interval is Student's, with Welch's degrees of freedom over several scenarios. Some
    scenarios have so few seeds that a bootstrap over them would be far too short.
    """
    center = float(np.mean([np.mean(seeds) for seeds in logs]))
    drawn = [np.array(seeds) for seeds in logs if len(seeds) > 1]
    if not drawn:
        return {"ratio": math.exp(center), "low": None, "high": None}
    if math.isinf(center):
        return dict.fromkeys(SCHEMA, math.exp(center))
    parts = [seeds.var(ddof=1) / len(seeds) / len(logs) ** 2 for seeds in drawn]
    variance = float(sum(parts))
    reach = 0.0
    if variance:
        each = zip(parts, drawn, strict=True)
        freedom = variance**2 / sum(part**2 / (len(seeds) - 1) for part, seeds in each)
        normal = NORMAL.inv_cdf((1 + CONFIDENCE / 100) / 2)
        reach = student(normal, freedom) * math.sqrt(variance)
    ends = {"low": math.exp(center - reach), "high": math.exp(center + reach)}
    return {"ratio": math.exp(center), **ends}


def pooled(times: pl.DataFrame, *by: str) -> pl.DataFrame:
    """The ratios of groups of rows with `logs`; groups keep their order."""
    groups = times.group_by(by, maintain_order=True).agg("logs")
    found = [estimate(logs) for logs in groups["logs"].to_list()]
    return groups.select(by).hstack(pl.DataFrame(found, schema=SCHEMA))


def change(value: float) -> str:
    """A ratio as a change: `−28`, `+7`, `0`, `×3.1`, `×12`."""
    if math.isinf(value):
        return NEVER
    if value >= DOUBLE:
        return f"×{_factor(value)}"
    percent = round(100 * (value - 1))
    return f"{percent:+d}".replace("-", "−") if percent else "0"


def short(ratio: Ratio) -> str:
    """With half its interval: `−28±3`, `+2±5?`, `×3.1±.2`; without it where that is nothing."""
    value, low, high = (ratio[name] for name in SCHEMA)
    shown = change(value)
    if low is None or shown == NEVER:
        return shown
    half = max(high - value, value - low)
    width = f"{round(100 * half)}" if value < DOUBLE else _half(half)
    if not float(width):
        return shown
    return f"{shown}±{width}{IN_DOUBT if in_doubt(ratio) else ''}"


def _half(factor: float) -> str:
    return f"{factor:.0f}" if factor >= 1 else f"{factor:.1f}".removeprefix("0")


def in_doubt(ratio: Ratio) -> bool:
    """Whether draws leave it open if there is a change."""
    low, high = ratio["low"], ratio["high"]
    return low is not None and low <= 1 + ALIKE and high >= 1 - ALIKE


def spelled(ratio: Ratio) -> str:
    """For a sentence: `−28 % (−31 to −25)`, `×3.1 (2.9 to 3.3)`."""
    value, low, high = (ratio[name] for name in SCHEMA)
    shown = change(value)
    if shown == NEVER:
        return "never done"
    if value >= DOUBLE:
        return shown if low is None else f"{shown} ({_factor(low)} to {_factor(high)})"
    if low is None:
        return f"{shown} %"
    ends = (f"{round(100 * (end - 1)):+d}".replace("-", "−") for end in (low, high))
    return f"{shown} % ({' to '.join(ends)})".replace("+0", "0").replace("−0", "0")


def _factor(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}"


def in_words(ratios: pl.DataFrame) -> pl.Series:
    """The ratios of a frame as `spelled`, null where there is none."""
    rows = ratios.select(*SCHEMA).rows(named=True)
    return pl.Series(
        [None if row["ratio"] is None else spelled(row) for row in rows], dtype=pl.String
    )
