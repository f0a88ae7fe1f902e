"""Several runs of a transfer in real time, where no two are the same: medians, and how far apart."""

import itertools
from collections.abc import Iterator, Sequence
from statistics import median

from flowstart.live_runs.rows import COMPARED, Row, difference
from flowstart.live_runs.tables import percent
from flowstart.render import footnotes, text
from flowstart.render.grid import Column, Grid

COLUMNS = (
    "Medians of all runs; in {stack}: the same of the live runs, and the least and the most of them; "
    "difference: of the medians of FCT; exit cwnd: the window just before start-up ended, packets; "
    "dropped: by the path, packets."
)
"""What the columns of `table` mean."""
PLACE = ("variant", "startup", "avoidance", "size", "size_bytes")
NUMBERS = tuple(
    f"{side}_{name}"
    for side in ("simulated", "live")
    for name in COMPARED
    if name != "startup_exit_reason"
)
REASONS = ("simulated_startup_exit_reason", "live_startup_exit_reason")


def medians(pairs: Sequence[Row]) -> list[Row]:
    """A row for each transfer, with the medians of its runs and all reasons of its exits."""
    return [_median(list(runs)) for runs in _transfers(pairs)]


def _transfers(pairs: Sequence[Row]) -> Iterator[list[Row]]:
    """The runs of one transfer after the other, in the order in which they first appear."""
    found: dict[tuple[object, ...], list[Row]] = {}
    for pair in pairs:
        found.setdefault(tuple(pair[name] for name in PLACE), []).append(pair)
    yield from found.values()


def _median(runs: Sequence[Row]) -> Row:
    first = runs[0]
    row = {name: first[name] for name in PLACE}
    row |= {name: _middle(runs, name) for name in NUMBERS}
    for name in REASONS:
        known = dict.fromkeys(run[name] for run in runs)
        row[name] = ", ".join(reason or text.ABSENT for reason in known)
    for of, name in (("fct_difference", "fct_s"), ("startup_exit_cwnd_difference", EXIT)):
        row[of] = difference(row[f"simulated_{name}"], row[f"live_{name}"])
    whys = {name: next((run[name] for run in runs if run[name]), None) for name in WHYS}
    return row | whys


EXIT = "startup_exit_cwnd_pkts"
WHYS = ("refused", "failure")


def _middle(runs: Sequence[Row], name: str) -> float | None:
    known = _known(runs, name)
    return median(known) if known else None


def _known(runs: Sequence[Row], name: str) -> list[float]:
    return [run[name] for run in runs if run[name] is not None]


def table(pairs: Sequence[Row], stack: str) -> Grid:
    """A group per size, a row per start-up, with the spread of its live runs."""
    columns = [Column("start-up", number=False), Column("FCT"), Column(f"in {stack}")]
    columns += [Column("from"), Column("to"), Column("difference")]
    columns += [Column("exit reason", number=False, spare=2)]
    columns += [Column("exit cwnd"), Column(f"in {stack}")]
    columns += [Column("dropped", spare=1), Column(f"in {stack}", spare=1)]
    grid = Grid(columns)
    before = None
    for place, runs in enumerate(_transfers(pairs)):
        row = _median(runs)
        if row["size"] != before:
            grid.groups[place] = text.size(row["size_bytes"])
        before = row["size"]
        grid.rows.append([footnotes.marked(row["variant"]), *_cells(row, runs)])
    return grid


def _cells(row: Row, runs: Sequence[Row]) -> list[str]:
    times = _known(runs, "live_fct_s")
    live = text.seconds(row["live_fct_s"])
    if row["refused"] or row["failure"]:
        live = "cannot" if row["refused"] else "failed"
    ends = [text.seconds(end) for end in (min(times), max(times))] if times else [text.ABSENT] * 2
    ours, theirs = (row[name] for name in REASONS)
    whole = row["refused"] or ours == theirs
    names = (EXIT, "packets_dropped")
    counts = [text.count(row[f"{side}_{name}"]) for name in names for side in ("simulated", "live")]
    return [
        text.seconds(row["simulated_fct_s"]),
        *(live, *ends, percent(row["fct_difference"])),
        ours if whole else f"{ours} / {theirs}",
        *counts,
    ]


def stalled(rows: Sequence[Row]) -> str:
    """How many runs the relay spoilt by being late; empty where it spoilt none."""
    counts = [row["stalls"] for row in rows if row["stalls"]]
    if not counts:
        return ""
    late = sum(1 for row in rows if row["stalls"] and row["relay_late_most_s"] > STALL_S)
    kept = f" {late} of the runs shown are late all the same." if late else ""
    return f"{sum(counts)} runs were late by more than 2 ms and were run again.{kept}"


STALL_S = 0.002
"""A relay that is later than this has stalled."""


def answered(rows: Sequence[Row]) -> str:
    """How long start-ups took to answer the kernel; empty where they were not asked."""
    times = [row["answered_median_s"] for row in rows if row["answered_median_s"] is not None]
    return f"Events answered within {text.seconds(median(times))} in the median." if times else ""
