"""Several runs of a transfer in real time, where no two are the same: medians and their spread."""

from collections.abc import Iterable, Sequence
from statistics import median

from flowstart.live_runs.rows import COMPARED, Row, difference
from flowstart.live_runs.tables import percent
from flowstart.render import footnotes, text
from flowstart.render.grid import Column, Grid

COLUMNS = (
    "Medians of all runs; in {stack}: medians, minima and maxima of the live "
    "runs; difference: of the medians of FCT; exit cwnd: the window just before startup ended, "
    "packets; dropped: by the path, packets."
)
"""What the columns of `table` mean."""
STALL_S = 0.002
"""A relay that is later than this has stalled."""

PLACE = ("variant", "startup", "cc", "size", "size_bytes")
"""What tells transfers apart."""
EXIT, REASON = "startup_exit_cwnd_segments", "startup_exit_reason"
SIDES = ("simulated", "live")


def medians(pairs: Sequence[Row]) -> list[Row]:
    """A row for each transfer, with the medians of its runs and all reasons of its exits."""
    return [_median(runs) for runs in _transfers(pairs)]


def _transfers(pairs: Sequence[Row]) -> Iterable[list[Row]]:
    """The runs of one transfer after the other, in the order in which they first appear."""
    found: dict[tuple[object, ...], list[Row]] = {}
    for pair in pairs:
        found.setdefault(tuple(pair[name] for name in PLACE), []).append(pair)
    return found.values()


def _median(runs: Sequence[Row]) -> Row:
    row: Row = {name: runs[0][name] for name in PLACE}
    for side in SIDES:
        for name in (f"{side}_{name}" for name in COMPARED):
            known = _known(runs, name)
            row[name] = _reasons(runs, name) if name.endswith(REASON) else _middle(known)
    for of, name in (("fct_difference", "fct_s"), ("startup_exit_cwnd_difference", EXIT)):
        row[of] = difference(*(row[f"{side}_{name}"] for side in SIDES))
    for why in ("refused", "failure"):
        row[why] = next(iter(_known(runs, why)), None)
    return row


def _known(runs: Sequence[Row], name: str) -> list[float]:
    return [run[name] for run in runs if run[name] is not None]


def _middle(known: Sequence[float]) -> float | None:
    return median(known) if known else None


def _reasons(runs: Sequence[Row], name: str) -> str:
    """Those of all runs, once each."""
    return ", ".join(dict.fromkeys(run[name] or text.ABSENT for run in runs))


def table(pairs: Sequence[Row], stack: str) -> Grid:
    """A group per size, a row per startup, with the spread of its live runs."""
    columns = [Column("startup", number=False), Column("FCT"), Column(f"in {stack}")]
    columns += [Column("from"), Column("to"), Column("difference")]
    columns += [Column("exit reason", number=False, spare=2)]
    columns += [Column("exit cwnd"), Column(f"in {stack}")]
    columns += [Column("dropped", spare=1), Column(f"in {stack}", spare=1)]
    grid = Grid(columns)
    size = None
    for place, runs in enumerate(_transfers(pairs)):
        row = _median(runs)
        if row["size"] != size:
            size = row["size"]
            grid.groups[place] = text.size(row["size_bytes"])
        grid.rows.append([footnotes.marked(row["variant"]), *_cells(row, runs)])
    return grid


def _cells(row: Row, runs: Sequence[Row]) -> list[str]:
    times = _known(runs, "live_fct_s")
    live = text.seconds(row["live_fct_s"])
    if row["refused"] or not times:
        live = "cannot" if row["refused"] else "failed"
    ends = [text.seconds(end) for end in (min(times), max(times))] if times else [text.ABSENT] * 2
    ours, theirs = (row[f"{side}_{REASON}"] for side in SIDES)
    counts = [row[f"{side}_{name}"] for name in (EXIT, "packets_dropped") for side in SIDES]
    return [
        text.seconds(row["simulated_fct_s"]),
        *(live, *ends, percent(row["fct_difference"])),
        ours if row["refused"] or ours == theirs else f"{ours} / {theirs}",
        *(text.count(count) for count in counts),
    ]


def stalled(rows: Sequence[Row]) -> str:
    """How many runs the relay spoilt by being late; empty where it spoilt none."""
    stalls = sum(row["stalls"] or 0 for row in rows)
    late = sum((row["relay_late_most_s"] or 0) > STALL_S for row in rows)
    if not stalls:
        return ""
    kept = f"; {late} of those shown are late all the same" if late else ""
    return f"{stalls} runs were more than 2 ms late, and run again{kept}."


def answered(rows: Sequence[Row]) -> str:
    """How long startups took to answer the kernel; empty where they were not asked."""
    times = _known(rows, "answered_median_s")
    return f"Events answered within {text.seconds(median(times))} in the median." if times else ""
