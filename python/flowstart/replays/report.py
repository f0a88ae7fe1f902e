"""The report of a replay: rows, figures and a page."""

import dataclasses
import pathlib
from typing import TYPE_CHECKING, Any

from flowstart.render import figure_files, html, interactive
from flowstart.render.columns import CLASSES, Column
from flowstart.render.files import Content, columns, encoded, streamed
from flowstart.render.grid import Grid, RowSource
from flowstart.render.listed import (
    MOST_ROWS,
    Chart,
    ListedRows,
    RowCommand,
    variant_options,
    without,
)
from flowstart.replays import calibration, overview
from flowstart.replays import tables as grids
from flowstart.replays.answer import EVERYTHING
from flowstart.replays.summary import ClassSummary

if TYPE_CHECKING:
    import polars as pl

    from flowstart.replays.result import Replay


def requested(replay: "Replay") -> list[Grid]:
    """Those that only an option of their own brings about."""
    extra = [grids.rollout(replay.rollout)] if replay.rollout else []
    if replay.competing is not None:
        extra.append(grids.competing(replay.competing, replay.answer.baseline))
    return extra


def further(replay: "Replay") -> list[Grid]:
    """The tables of what was asked, as far as it was."""
    extra = [grids.gates(replay.verdict)] if replay.verdict.judgements else []
    extra += requested(replay)
    if replay.bands:
        extra.append(grids.bands(replay.answer, replay.bands))
    if replay.calibration and replay.calibration.classes:
        grid = calibration.table(replay.calibration)
        extra.append(dataclasses.replace(grid, title=calibration.headline(replay.calibration)))
    return extra


COLUMNS = (
    *("transfer", "connection", "variant", "mode", "network", "size_class", "size_bytes"),
    *("complete", "fct_s", "slowdown", "packets_sent", "packets_dropped"),
    *("packets_retransmitted", "timeouts", "startup_exit_reason", "startup_exit_cwnd_segments"),
    *("max_queue_pkts",),
)
"""What a report lists of a row; all columns are in the files beside it."""
SIZE_CLASS = Column("size_class", "string", "The class of the transfer's size.")


def rows(replay: "Replay") -> ListedRows | None:
    """The rows of a replay; of too many, those of every so manieth transfer."""
    import polars as pl

    height = replay.store.height
    if not height:
        return None
    stored = replay.store.scan().with_columns(_size_class())
    left_out = ""
    if height > MOST_ROWS:
        transfers = replay.facts["transfer"].unique().sort()
        step = -(-height // MOST_ROWS)
        kept = transfers.gather_every(step)
        stored = stored.filter(pl.col("transfer").is_in(kept.implode()))
        left_out = (
            f"These are the rows of {len(kept):,} of {len(transfers):,} transfers, one in {step}; "
            f"rows.parquet and rows.csv next to this page have all {height:,}."
        )
    frame = stored.select(COLUMNS).collect()
    y = ("slowdown", "fct_s", "packets_retransmitted", "packets_dropped", "timeouts")
    baseline = replay.answer.baseline
    chart = Chart("Over size", ("size_bytes",), y, "variant", grids.TOGETHER, baseline)
    command = _command(replay)
    return ListedRows(
        frame, "replay-rows", height, left_out, command, charts=[chart], more=[SIZE_CLASS]
    )


def _size_class() -> "pl.Expr":
    import polars as pl

    bounds = [below for _, _, below in CLASSES if below is not None]
    names = [name for name, *_ in CLASSES]
    index = sum((pl.col("size_bytes") >= bound).cast(pl.Int64) for bound in bounds)
    assert isinstance(index, pl.Expr)
    return index.replace_strict(range(len(names)), names).alias("size_class")


def traced_times(replay: "Replay") -> Grid:
    """The table of times, which says what each of its rows is made of."""
    sources = [_source(s, replay) for s in replay.summaries]
    return dataclasses.replace(grids.times(replay.summaries), sources=sources)


def traced_changes(replay: "Replay") -> Grid:
    """The same of the changes."""
    sources = [_source(s, replay) for s in replay.summaries if s.geomean_ratio]
    return dataclasses.replace(grids.changes(replay.summaries), sources=sources)


def _source(s: ClassSummary, replay: "Replay") -> RowSource:
    where: dict[str, Any] = {"variant": s.variant, **grids.TOGETHER}
    where |= {"size_class": s.size_class} if s.size_class != EVERYTHING else {}
    return RowSource(where, {"variant": replay.answer.baseline})


def _command(replay: "Replay") -> RowCommand:
    """The replay's command with the variant of a row beside the baseline."""
    words = without(replay.command, ("--startup", "--variant", "--baseline"))
    options = {"variant": variant_options(replay.settings.compared)}
    note = "The command that replays all transfers under this variant; its rows have this one:"
    return RowCommand(words, options, note)


CAPTIONS = {
    "changes": "Change of completion times by size class, with 95 % intervals",
    "classes": "Completion as a multiple of an unhindered transfer on an empty path, and the share "
    "of transfers that take more than a tenth longer than under the baseline.",
}
"""Of the figures, by the name of their files."""


def tables(replay: "Replay", *, rows: bool = False) -> dict[str, Content]:
    """The rows and intervals, and all else as JSON; with `rows` those as well.

    What takes longest comes last, and a replay that was stopped does without it.
    """
    kept = streamed(replay.store.scan(), "rows", "replay-rows")

    def result(file: pathlib.Path) -> None:
        file.write_bytes(encoded(replay.to_dict(rows=rows)))

    contents = {"rows.parquet": kept.pop("rows.parquet"), "result.json": result}
    contents |= columns(replay.interval_frame, "intervals", "replay-intervals")
    return contents if replay.interrupted else contents | kept


def _further(replay: "Replay") -> list[str]:
    """What was asked beyond the table, as far as it was."""
    parts = []
    for grid in further(replay):
        parts += [html.heading(grid.title), html.table(dataclasses.replace(grid, title=""))]
    for notes in replay.notes_to_deploy:
        title, *lines = notes.lines
        parts += [html.heading(title), html.code("\n".join(lines))]
    return parts


def _summary(replay: "Replay", figure: list[str]) -> list[str]:
    """What a reader needs who decides: verdict, gain and cost, risk, and the next step."""
    table, risk = overview.table(replay), overview.risk(replay)
    cost = [html.heading("Gain and cost"), html.table(table), *figure] if table else []
    return [
        *map(html.paragraph, overview.opening(replay)),
        *map(html.headline, overview.verdict(replay)),
        *cost,
        *([html.heading("Risk"), *map(html.paragraph, risk)] if risk else []),
        html.heading("Next"),
        *map(html.paragraph, [*overview.next_steps(replay), *overview.partial(replay)]),
    ]


def pictures(replay: "Replay", progress: figure_files.Progress | None = None) -> dict[str, bytes]:
    """The figures, and the page that holds them."""
    drawn = [] if figure_files.wanting() else list(figure_files.drawn(_drawn(replay), progress))
    # Whole, and not for the script to draw: so they are on paper too.
    inside = {files.name: [html.picture(files.svg, files.caption)] for files in drawn}
    parts = [
        html.first_page(_summary(replay, inside.get("changes", []))),
        html.heading("Size classes"),
        html.paragraph(overview.headline(replay)),
        html.table(traced_changes(replay)),
        html.table(traced_times(replay)),
        html.paragraph(overview.table_legend(replay)),
        interactive.CHARTS,
        *_further(replay),
        *inside.get("classes", []),
        *figure_files.apology(),
        html.heading("Paths"),
        html.table(grids.paths(replay.paths)),
        html.paragraph(overview.sources(replay)),
        *map(html.paragraph, overview.methods(replay)),
        html.heading("What is not in these numbers"),
        *map(html.paragraph, overview.LIMITS),
        *map(html.paragraph, (*replay.capture.warnings, *replay.capture.notes)),
        html.heading("Reproduce"),
        html.code(replay.command),
    ]
    page = interactive.page("Your transfers under other settings", parts, rows(replay))
    contents = {name: content for f in drawn for name, content in f.contents.items()}
    return contents | {"report.html": page.encode()}


def _drawn(replay: "Replay") -> dict[str, figure_files.Draw]:
    """What draws each figure; that of changes where there is more than one variant."""
    draw: dict[str, figure_files.Draw] = {"classes": lambda: (replay.plot(), CAPTIONS["classes"])}
    if len(replay.settings.names) > 1:
        draw["changes"] = lambda: (replay.plot_changes(), CAPTIONS["changes"])
    return draw
