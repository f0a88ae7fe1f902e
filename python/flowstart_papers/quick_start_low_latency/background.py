"""What the background that the paper describes does to Table I, as the words and as decoded."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from flowstart.model.document import Document
from flowstart_papers import measures
from flowstart_papers.experiment import Cell, Experiment, Findings, Picture, Table
from flowstart_papers.lab import Lab
from flowstart_papers.quick_start_low_latency import cells, published
from flowstart_papers.quick_start_low_latency.measures import Ending, Pair, ending
from flowstart_papers.quick_start_low_latency.setups import (
    DECODED,
    DELAYS,
    LITERAL,
    RATES,
    SLOW_START,
    TABLE1_KB,
    WEB_SESSION,
    Setting,
    transfer,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SETTINGS = {"literal": LITERAL, "decoded": DECODED}
CASES = (("literal", 2), ("decoded", 2))
"""Set-ups, and further clients with a server each: N/2 of the paper's N, which it does not give."""
SEEDS = tuple(range(1, 13))
WARM = 5.0
"""Seconds, and ten one-way delays, before the transfer may begin."""
JITTER = 5.0
"""Seconds within which it then does, so that no phase is preferred."""
PATIENCE = {"384kbps": 900, "100Mbps": 6, "1Gbps": 3}
"""Seconds, and sixty one-way delays, that it may take."""
CLOSE = 0.3
"""Points within which a cell counts as the published one."""

Place = tuple[str, int]


Case = tuple[str, int]
"""A set-up's name and the sessions."""


def document(setting: Setting, place: Place, startup: str, sessions: int, seed: int) -> Document:
    """Table I's transfer among web sessions, all of whose servers have the same startup."""
    rate, delay = place
    alone = transfer(setting, rate, delay, setting.packets(TABLE1_KB), startup)
    begin = WARM + 0.01 * delay
    alone["flows"][0] |= {"start": f"{begin:g}s", "jitter": f"{JITTER:g}s"}
    return alone | {
        "seed": seed,
        "web": [WEB_SESSION | {"startup": startup, "sessions": sessions, "direction": "alternate"}],
        "duration": f"{begin + JITTER + PATIENCE[rate] + 0.06 * delay:g}s",
    }


def run(lab: Lab) -> Findings:
    """Runs the table among sessions, with several seeds."""
    keys = [(case, seed) for case in CASES for seed in SEEDS]
    documents = [
        document(setting, place, startup, sessions, seed)
        for (name, sessions), seed in keys
        for setting in [SETTINGS[name]]
        for place in cells.PLACES
        for startup in (SLOW_START, setting.quick_start)
    ]
    found = _tables(lab.runs(documents, ending))
    seeds = {
        case: [table for (of, _), table in zip(keys, found, strict=True) if of == case]
        for case in CASES
    }
    return Findings(
        answers=[_sentence(case, tables) for case, tables in seeds.items()],
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
    size = len(cells.PLACES)
    return [
        dict(zip(cells.PLACES, both[i : i + size], strict=True)) for i in range(0, len(both), size)
    ]


Tables = Sequence[Mapping[Place, Pair]]
"""One for each seed."""


def _values(tables: Tables, place: Place) -> list[float]:
    return [table[place].improvement for table in tables]


def _medians(tables: Tables) -> dict[Place, float]:
    return {place: float(np.median(_values(tables, place))) for place in cells.PLACES}


def _sentence(case: Case, tables: Tables) -> str:
    errors = [cells.rms(cells.improvements(table)) for table in tables]
    close = sum(abs(error) <= CLOSE for error in cells.errors(_medians(tables)))
    return (
        f"Among {case[1]} web sessions, {case[0]}, a table of one run per cell is "
        f"{min(errors):.0f} to "
        f"{max(errors):.0f} points (rms) from the published one; the medians of {len(tables)} "
        f"seeds are within {CLOSE} points in {close} of {len(cells.PLACES)} cells."
    )


def _errors(seeds: Mapping[Case, Tables]) -> Table:
    rows: list[dict[str, Cell]] = []
    for (name, sessions), tables in seeds.items():
        for rate, title in RATES.items():
            medians = _medians(tables)
            column = {place: medians[place] for place in cells.PLACES if place[0] == rate}
            endings = [pair for table in tables for (at, _), pair in table.items() if at == rate]
            rows.append(
                {
                    "set-up": name,
                    "sessions": sessions,
                    "rate": title,
                    "rms error of medians (points)": round(cells.rms(column), 2),
                    "cells as published": sum(abs(e) <= CLOSE for e in cells.errors(column)),
                    "loss-free transfers (%)": round(
                        100 * sum(pair.loss_free for pair in endings) / len(endings)
                    ),
                }
            )
    return Table("background-errors", f"Distance from Table I, {len(SEEDS)} seeds", rows)


def _cells(seeds: Mapping[Case, Tables]) -> Table:
    rows: list[dict[str, Cell]] = []
    for (name, sessions), tables in seeds.items():
        for rate, delay in cells.PLACES:
            values = _values(tables, (rate, delay))
            low, high = measures.interval(values, np.median)
            rows.append(
                {
                    "set-up": name,
                    "sessions": sessions,
                    "rate": RATES[rate],
                    "delay (ms)": delay,
                    "published (%)": published.TABLE1[rate, delay],
                    "median (%)": round(float(np.median(values)), 1),
                    "95 % from (%)": round(low, 1),
                    "95 % to (%)": round(high, 1),
                }
            )
    return Table("background", "Improvement among web sessions", rows)


def _draw(seeds: Mapping[Case, Tables]) -> "Figure":
    from flowstart_papers import drawing

    delay = drawing.Axis("one-way delay (ms)", "log", ticks=DELAYS)
    return drawing.panels(
        *(
            drawing.Panel(
                delay,
                drawing.Axis("improvement (%)", limits=(None, 80)),
                {each: cells.over_delays(_medians(tables), rate) for rate, each in RATES.items()},
                published={
                    each: cells.over_delays(published.TABLE1, rate) for rate, each in RATES.items()
                },
                title=f"{name}, {sessions} sessions",
            )
            for (name, sessions), tables in seeds.items()
        )
    )


EXPERIMENTS = (
    Experiment(
        id="QS-BG",
        figure="study",
        question="What would the background that the paper describes do to Table I?",
        run=run,
    ),
)
