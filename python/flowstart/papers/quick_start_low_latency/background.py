"""What the background that the paper describes would do to its Table I."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from flowstart.model.document import Document
from flowstart.papers import measures
from flowstart.papers.experiment import Cell, Findings, Picture, Table
from flowstart.papers.lab import Lab
from flowstart.papers.quick_start_low_latency import grid, published
from flowstart.papers.quick_start_low_latency.setups import (
    DELAYS,
    RATES,
    SLOW_START,
    TABLE1,
    transfer,
)
from flowstart.papers.quick_start_low_latency.transfers import Ending, Pair, ending

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAIRS = (2, 10)
"""Further clients with a server each: N/2 of the paper's N, which it does not give."""
SEEDS = tuple(range(1, 13))
WARM = 5.0
"""Seconds, and ten one-way delays, before the transfer may begin."""
JITTER = 5.0
"""Seconds within which it then does, so that no phase is preferred."""
PATIENCE = {"384kbps": 900, "100Mbps": 6, "1Gbps": 3}
"""Seconds, and sixty one-way delays, that it may take."""
CLOSE = 0.3
"""Points within which a cell counts as the published one."""

SESSIONS = {
    "interval": "exponential:mean=0.2s",
    "pages": 30,
    "page_pause": "exponential:mean=0.8s",
    "objects": 10,
    "object_pause": "exponential:mean=10ms",
    "size": "pareto2:mean=400,shape=1.2",
    "direction": "alternate",
}
"""As printed, with ns-2's example for the rest: how objects follow each other and vary."""

Place = tuple[str, int]


def document(rate: str, delay: int, startup: str, pairs: int, seed: int) -> Document:
    """Table I's transfer among web sessions, all of whose servers have the same start-up."""
    alone = transfer(TABLE1, rate, delay, startup)
    begin = WARM + 0.01 * delay
    alone["flows"][0] |= {"start": f"{begin:g}s", "jitter": f"{JITTER:g}s"}
    return alone | {
        "seed": seed,
        "web": [SESSIONS | {"startup": startup, "sessions": pairs}],
        "duration": f"{begin + JITTER + PATIENCE[rate] + 0.06 * delay:g}s",
    }


def run(lab: Lab) -> Findings:
    """Runs the table among sessions, with several seeds."""
    cases = [(pairs, seed) for pairs in PAIRS for seed in SEEDS]
    startups = (SLOW_START, TABLE1.quick_start)
    documents = [
        document(rate, delay, startup, pairs, seed)
        for pairs, seed in cases
        for rate, delay in grid.PLACES
        for startup in startups
    ]
    found = _tables(lab.runs(documents, ending))
    seeds = {
        pairs: [table for (of, _), table in zip(cases, found, strict=True) if of == pairs]
        for pairs in PAIRS
    }
    return Findings(
        answers=[_sentence(pairs, tables) for pairs, tables in seeds.items()],
        tables=[_errors(seeds), _cells(seeds)],
        pictures=[
            Picture(
                "background",
                "Table I among web sessions: medians over seeds, published as rings",
                lambda: _draw(seeds),
            )
        ],
    )


def _tables(ends: Sequence[Ending]) -> list[dict[Place, Pair]]:
    both = [Pair(slow, quick) for slow, quick in zip(ends[::2], ends[1::2], strict=True)]
    size = len(grid.PLACES)
    return [
        dict(zip(grid.PLACES, both[i : i + size], strict=True)) for i in range(0, len(both), size)
    ]


Tables = Sequence[Mapping[Place, Pair]]
"""One for each seed."""


def _values(tables: Tables, place: Place) -> list[float]:
    return [table[place].improvement for table in tables]


def _medians(tables: Tables) -> dict[Place, float]:
    return {place: float(np.median(_values(tables, place))) for place in grid.PLACES}


def _sentence(pairs: int, tables: Tables) -> str:
    errors = [grid.rms(grid.improvements(table)) for table in tables]
    close = sum(abs(error) <= CLOSE for error in grid.errors(_medians(tables)))
    return (
        f"Among {pairs} web sessions a table of one run per cell lies {min(errors):.0f} to "
        f"{max(errors):.0f} points (rms) from the published one; the medians of {len(tables)} "
        f"seeds are within {CLOSE} points in {close} of {len(grid.PLACES)} cells."
    )


def _errors(seeds: Mapping[int, Tables]) -> Table:
    rows: list[dict[str, Cell]] = []
    for pairs, tables in seeds.items():
        for rate, name in RATES.items():
            medians = _medians(tables)
            column = {place: medians[place] for place in grid.PLACES if place[0] == rate}
            endings = [pair for table in tables for (at, _), pair in table.items() if at == rate]
            rows.append(
                {
                    "sessions": pairs,
                    "rate": name,
                    "rms error of medians (points)": round(grid.rms(column), 2),
                    "cells as published": sum(abs(e) <= CLOSE for e in grid.errors(column)),
                    "loss-free transfers (%)": round(
                        100 * sum(pair.loss_free for pair in endings) / len(endings)
                    ),
                }
            )
    return Table("background-errors", f"Distance from Table I, {len(SEEDS)} seeds", rows)


def _cells(seeds: Mapping[int, Tables]) -> Table:
    rows: list[dict[str, Cell]] = []
    for pairs, tables in seeds.items():
        for rate, delay in grid.PLACES:
            values = _values(tables, (rate, delay))
            low, high = measures.interval(values, np.median)
            rows.append(
                {
                    "sessions": pairs,
                    "rate": RATES[rate],
                    "delay (ms)": delay,
                    "published (%)": published.TABLE1[rate, delay],
                    "median (%)": round(float(np.median(values)), 1),
                    "95 % from (%)": round(low, 1),
                    "95 % to (%)": round(high, 1),
                }
            )
    return Table("background", "Improvement among web sessions", rows)


def _draw(seeds: Mapping[int, Tables]) -> "Figure":
    from flowstart.papers import drawing

    delay = drawing.Axis("one-way delay (ms)", "log", ticks=DELAYS)
    return drawing.panels(
        *(
            drawing.Panel(
                delay,
                drawing.Axis("improvement (%)", limits=(-30, 80)),
                {name: grid.over_delays(_medians(tables), rate) for rate, name in RATES.items()},
                published={
                    name: grid.over_delays(published.TABLE1, rate) for rate, name in RATES.items()
                },
                title=f"{pairs} sessions",
            )
            for pairs, tables in seeds.items()
        )
    )
