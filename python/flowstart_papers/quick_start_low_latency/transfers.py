"""Transfers under both startups, compared; and Table I's cells."""

import math
from collections.abc import Iterable

import polars as pl

from flowstart_papers import published
from flowstart_papers.frames import Case, gain, grid, versus
from flowstart_papers.lab import Lab, Reading
from flowstart_papers.quick_start_low_latency import measures
from flowstart_papers.quick_start_low_latency.setups import (
    DELAYS,
    RATES,
    SLOW_START,
    TABLE1_KB,
    Setting,
    transfer,
)

number = published.of("flowstart_papers.quick_start_low_latency").number
SHORT = {"384kbps": "384k", "100Mbps": "100m", "1Gbps": "1g"}
"""The rates as the targets have them."""
STARTUPS = (SLOW_START, "Quick-Start")
CLOSE = 0.3
"""Points within which a cell counts as the published one, as in the targets."""
TABLE1 = pl.DataFrame(
    {**case, "published": number(f"qs.t1.{SHORT[case['rate']]}.{case['delay']}ms")}
    for case in grid(delay=DELAYS, rate=RATES)
)
"""The improvements in percent, by delay in milliseconds and rate."""


def named(setting: Setting, startup: str) -> str:
    """The startup of this name in a setting."""
    return startup if startup == SLOW_START else setting.quick_start


def pairs(
    lab: Lab,
    setting: Setting,
    cases: Iterable[Case],
    read: Reading = measures.ending,
    *,
    trace: bool = False,
) -> pl.DataFrame:
    """Each transfer with Quick-Start beside slow start's columns, and what it gains in percent."""
    both = [{**case, "startup": startup} for case in cases for startup in STARTUPS]
    found = lab.frame(
        lambda startup, **case: transfer(setting, **case, startup=named(setting, startup)),
        both,
        read,
        trace=trace,
    )
    lossless = (pl.col("dropped") == 0) & (pl.col("dropped_base") == 0)
    return versus(found, SLOW_START, ["rate", "delay", "packets"]).with_columns(
        gain("seconds"), loss_free=lossless
    )


def table1(lab: Lab, setting: Setting, packets: int | None = None) -> pl.DataFrame:
    """Table I's transfers in a setting, with so many packets for its 120 kB."""
    cases = grid(delay=DELAYS, rate=RATES, packets=[packets or setting.packets(TABLE1_KB)])
    return compared(pairs(lab, setting, cases))


def compared(found: pl.DataFrame) -> pl.DataFrame:
    """The table beside the published one, with the cells' names in the targets."""
    return found.join(TABLE1, on=["delay", "rate"], how="left", maintain_order="left").with_columns(
        short=pl.col("rate").replace(SHORT), name=pl.col("rate").replace(RATES)
    )


def rms(found: pl.DataFrame) -> float:
    """The root of the mean square of the distances from the published cells, in points."""
    errors = (found["gain"] - found["published"]).to_list()
    return math.sqrt(sum(error**2 for error in errors) / len(errors))


def close(found: pl.DataFrame) -> int:
    """How many cells count as the published ones."""
    return int(((found["gain"] - found["published"]).abs() <= CLOSE).sum())


def rings() -> dict[str, tuple[list[float], list[float]]]:
    """The published table as points, a curve for each rate."""
    return {
        RATES[str(rate)]: (part["delay"].to_list(), part["published"].to_list())
        for (rate,), part in TABLE1.group_by(["rate"], maintain_order=True)
    }
