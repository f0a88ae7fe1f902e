"""The rows that the report of a replay lists, and which of them its tables are made of."""

import dataclasses
import shlex
from typing import TYPE_CHECKING, Any

from flowstart.render.columns import Column
from flowstart.render.grid import Grid, Source
from flowstart.render.listed import MOST_ROWS, Chart, Command, Rows
from flowstart.render.size_classes import CLASSES
from flowstart.replays import tables
from flowstart.replays.result import Replay
from flowstart.replays.summary import ClassSummary
from flowstart.replays.times import EVERYTHING

if TYPE_CHECKING:
    import polars as pl

COLUMNS = (
    *("transfer", "connection", "variant", "mode", "network", "size_class", "size_bytes"),
    *("complete", "fct_s", "slowdown", "packets_sent", "packets_dropped"),
    *("packets_retransmitted", "timeouts", "startup_exit_reason", "startup_exit_cwnd_segments"),
    *("max_queue_pkts",),
)
"""What a report lists of a row; all columns are in the files beside it."""
SIZE_CLASS = Column("size_class", "string", "The class of the transfer's size.")


def rows(replay: Replay) -> Rows | None:
    """The rows of a replay; of too many, those of every so manieth transfer."""
    import polars as pl

    height = replay.store.height
    if not height:
        return None
    found = replay.store.scan().with_columns(_size_class())
    left_out = ""
    if height > MOST_ROWS:
        transfers = replay.facts["transfer"].unique().sort()
        step = -(-height // MOST_ROWS)
        kept = transfers.gather_every(step)
        found = found.filter(pl.col("transfer").is_in(kept.implode()))
        left_out = (
            f"These are the rows of {len(kept):,} of {len(transfers):,} transfers, one in {step}; "
            f"rows.parquet and rows.csv next to this page have all {height:,}."
        )
    frame = found.select(COLUMNS).collect()
    y = ("slowdown", "fct_s", "packets_retransmitted", "packets_dropped", "timeouts")
    baseline = replay.answer.baseline
    chart = Chart("Over size", ("size_bytes",), y, "variant", tables.TOGETHER, baseline)
    command = _command(replay)
    return Rows(frame, "replay-rows", height, left_out, command, charts=[chart], more=[SIZE_CLASS])


def _size_class() -> "pl.Expr":
    import polars as pl

    bounds = [below for _, _, below in CLASSES if below is not None]
    names = [name for name, *_ in CLASSES]
    place = sum((pl.col("size_bytes") >= bound).cast(pl.Int64) for bound in bounds)
    assert isinstance(place, pl.Expr)
    return place.replace_strict(range(len(names)), names).alias("size_class")


def traced_times(replay: Replay) -> Grid:
    """The table of times, which says what each of its rows is made of."""
    sources = [_source(s, replay) for s in replay.summaries]
    return dataclasses.replace(tables.times(replay.summaries), sources=sources)


def traced_changes(replay: Replay) -> Grid:
    """The same of the changes."""
    sources = [_source(s, replay) for s in replay.summaries if s.geomean_ratio]
    return dataclasses.replace(tables.changes(replay.summaries), sources=sources)


def _source(s: ClassSummary, replay: Replay) -> Source:
    where: dict[str, Any] = {"variant": s.variant, **tables.TOGETHER}
    where |= {"size_class": s.size_class} if s.size_class != EVERYTHING else {}
    return Source(where, {"variant": replay.answer.baseline})


def _command(replay: Replay) -> Command:
    """The replay's command with the variant of a row beside the baseline."""
    words = shlex.split(replay.command)
    given = ("--startup", "--variant", "--baseline")
    kept = [
        word
        for place, word in enumerate(words)
        if word not in given and (place == 0 or words[place - 1] not in given)
    ]
    options = {
        v.name: shlex.join(
            ["--startup", v.name] if v.name == v.startup else ["--variant", v.written]
        )
        for v in replay.settings.compared
    }
    note = "The command that replays all transfers under this variant; its rows have this one:"
    return Command(shlex.join(kept), {"variant": options}, note)
