"""The table of live runs, and what stands below it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from flowstart import text
from flowstart.comparison.live.rows import COMPARED, Row, difference
from flowstart.model import custom
from flowstart.render import footnotes
from flowstart.render.grid import Column, Grid

if TYPE_CHECKING:
    from flowstart._native import Lateness


NEAR = 0.01
"""Completion times that differ by no more agree."""
NEAR_EXIT = 0.05
"""The same of windows at the end of a startup."""


@dataclass(frozen=True)
class Agreement:
    """How far two transports agree."""

    pairs: int
    """Transfers that both completed."""
    median: float | None
    """The median of the differences of completion times, without sign."""
    near: int
    """How many of them differ by at most `NEAR`."""
    exits: int
    """Startups that ended in both."""
    near_exits: int
    """Those whose windows at the end differ by at most `NEAR_EXIT`."""


def agreement(pairs: Sequence[Row]) -> Agreement:
    """How far the two agree over all pairs."""
    times = [abs(pair["fct_difference"]) for pair in pairs if pair["fct_difference"] is not None]
    exits = [pair["startup_exit_cwnd_difference"] for pair in pairs]
    exits = [abs(difference) for difference in exits if difference is not None]
    return Agreement(
        pairs=len(times),
        median=median(times) if times else None,
        near=sum(time <= NEAR for time in times),
        exits=len(exits),
        near_exits=sum(window <= NEAR_EXIT for window in exits),
    )


def said(agreement: Agreement) -> str:
    """The last line: how far the two agree."""
    if agreement.median is None:
        return "No transfer was completed by both."
    near, near_exit = (f"{100 * share:g} %" for share in (NEAR, NEAR_EXIT))
    middle = f"median {100 * agreement.median:.2f} %"
    times = f"{middle}, {agreement.near} of {agreement.pairs} rows within {near}"
    exits = f"exit cwnd within {near_exit} in {agreement.near_exits} of {agreement.exits}"
    return f"Difference of FCT: {times}" + (f"; {exits}." if agreement.exits else ".")


def late(lateness: "Lateness") -> str:
    """How late the relay delivered, in the worst of the runs."""
    return (
        f"Relay late by {text.seconds(lateness['median_s'])} in the median, "
        f"{text.seconds(lateness['p99_s'])} at p99, {text.seconds(lateness['most_s'])} at most."
    )


COLUMNS = (
    "in {stack}: of the live run; difference: of its FCT from the simulated one; "
    "exit cwnd: cwnd at the end of startup, packets; dropped: by the path, packets."
)
"""What the columns of `table` mean."""


def legend(columns: str, pairs: Sequence[Row], stack: str, notes: Sequence[str]) -> str:
    """What the columns mean, whom the stack could not run, and the `notes` on startups."""
    return "\n".join([columns.format(stack=stack), *refusals(pairs, stack), *notes])


def refusals(pairs: Sequence[Row], stack: str) -> list[str]:
    """The startups that the stack could not run, and why."""
    lines = []
    for word in ("refused", "failure"):
        whys: dict[str, list[str]] = {}
        for pair in (pair for pair in pairs if pair[word]):
            names = whys.setdefault(pair[word], [])
            name = custom.short(pair["variant"])
            names += [] if name in names else [name]
        what = "cannot run" if word == "refused" else "failed under"
        for why, names in whys.items():
            lines.append(f"{stack} {what} {text.listed(names)}: {why}.")
    return lines


def table(pairs: Sequence[Row], stack: str) -> Grid:
    """A group per size, a row per startup and seed."""
    several = len({pair["seed"] for pair in pairs}) > 1
    columns = [Column("startup", number=False)]
    columns += [Column("seed")] if several else []
    columns += [Column("FCT"), Column(f"in {stack}"), Column("difference")]
    columns += [Column("exit reason", number=False, spare=2)]
    columns += [Column("exit cwnd"), Column(f"in {stack}")]
    columns += [Column("dropped", spare=1), Column(f"in {stack}", spare=1)]
    grid = Grid(columns)
    for index, pair in enumerate(pairs):
        if index == 0 or pairs[index - 1]["size"] != pair["size"]:
            grid.groups[index] = text.size(pair["size_bytes"])
        cells = [footnotes.marked(pair["variant"])]
        cells += [str(pair["seed"])] if several else []
        grid.rows.append(cells + _cells(pair))
    return grid


def _cells(pair: Row) -> list[str]:
    cells = [text.seconds(pair["simulated_fct_s"]), _live_time(pair)]
    cells += [percent(pair["fct_difference"]), _reason(pair)]
    names = ("startup_exit_cwnd_segments", "packets_dropped")
    return cells + [
        text.count(pair[f"{of}_{name}"]) for name in names for of in ("simulated", "live")
    ]


def _live_time(pair: Row) -> str:
    if pair["refused"]:
        return "cannot"
    return "failed" if pair["failure"] else text.seconds(pair["live_fct_s"])


def _reason(pair: Row) -> str:
    """Why startups ended; both reasons where they differ."""
    ours, theirs = pair["simulated_startup_exit_reason"], pair["live_startup_exit_reason"]
    if pair["refused"] or pair["failure"] or ours == theirs:
        return ours or text.ABSENT
    return f"{ours or text.ABSENT}, {theirs or text.ABSENT}"


def percent(share: float | None) -> str:
    """A difference: `+0.12 %`, `−0.05 %`, `0 %`."""
    if share is None:
        return text.ABSENT
    rounded = round(100 * share, 2)
    return f"{rounded:+.2f} %".replace("-", "−") if rounded else "0 %"


SPREAD_COLUMNS = (
    "Medians of all runs; in {stack}: medians, minima and maxima of the live "
    "runs; difference: of the medians of FCT; exit cwnd: cwnd at the end of startup, packets; "
    "dropped: by the path, packets."
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
    transfers: dict[tuple[object, ...], list[Row]] = {}
    for pair in pairs:
        transfers.setdefault(tuple(pair[name] for name in PLACE), []).append(pair)
    return transfers.values()


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


def spread_table(pairs: Sequence[Row], stack: str) -> Grid:
    """A group per size, a row per startup, with the spread of its live runs."""
    columns = [Column("startup", number=False), Column("FCT"), Column(f"in {stack}")]
    columns += [Column("from"), Column("to"), Column("difference")]
    columns += [Column("exit reason", number=False, spare=2)]
    columns += [Column("exit cwnd"), Column(f"in {stack}")]
    columns += [Column("dropped", spare=1), Column(f"in {stack}", spare=1)]
    grid = Grid(columns)
    size = None
    for index, runs in enumerate(_transfers(pairs)):
        row = _median(runs)
        if row["size"] != size:
            size = row["size"]
            grid.groups[index] = text.size(row["size_bytes"])
        grid.rows.append([footnotes.marked(row["variant"]), *_spread_cells(row, runs)])
    return grid


def _spread_cells(row: Row, runs: Sequence[Row]) -> list[str]:
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
