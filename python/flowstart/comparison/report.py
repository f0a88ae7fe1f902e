"""The report of a comparison: rows, figures and a page."""

import dataclasses
import functools
import json
import shlex
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flowstart import text
from flowstart.comparison import tables as grids
from flowstart.comparison.overview import overview, verdict
from flowstart.comparison.plan import Case, Plan
from flowstart.comparison.summary import Summary
from flowstart.render import figure_files, html, interactive
from flowstart.render.files import columns, encoded
from flowstart.render.grid import Grid, RowSource
from flowstart.render.listed import (
    MOST_ROWS,
    Chart,
    ListedRows,
    OverTime,
    RowCommand,
    variant_options,
    without,
)
from flowstart.simulation.trajectories import Points, StepLine, TimeWindow, Trajectory, trajectories

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

    from flowstart.comparison.result import Comparison
    from flowstart.simulation.figures import FigureFacts
    from flowstart.simulation.series import Series


COLUMNS = (
    *("run", "variant", "size", "size_bytes", "seed", "flow", "tested", "complete", "fct_s"),
    *("duration_s", "slowdown", "packets_sent", "packets_dropped", "packets_retransmitted"),
    *(
        "timeouts",
        "startup_exit_reason",
        "startup_exit_s",
        "startup_exit_cwnd_segments",
        "bdp_pkts",
    ),
    *("max_cwnd_segments", "max_queue_pkts", "web"),
)
"""What a report lists of a row; all columns are in the files beside it."""
_VARYING = ("--startup", "--variant", "--baseline", "--size", "--seed", "--repeat")
"""Options of a command that are given anew for a row."""


def listed_rows(result: "Comparison") -> ListedRows:
    """The rows of a comparison; of too many, those of the first runs of each size."""
    frame = result.frame.select(name for name in COLUMNS if name in result.frame.columns)
    shown = _first_seeds(frame)
    left_out = ""
    if shown.height < frame.height:
        left_out = (
            f"These are {shown.height:,} of {frame.height:,} rows, those of the lowest seeds; "
            "rows.parquet and rows.csv next to this page have all."
        )
    y = ("slowdown", "fct_s", "packets_retransmitted", "packets_dropped", "max_queue_pkts")
    chart = Chart(
        "Over size",
        ("size_bytes", "seed"),
        y,
        "variant",
        {"tested": True},
        result.baseline,
    )
    plan = result.plan
    sized = len(set(plan.sizes)) > 1 or len(plan.seeds) > 1
    charts = [chart] if sized else []
    return ListedRows(shown, "comparison-rows", frame.height, left_out, _command(plan), charts)


def _first_seeds(frame: "pl.DataFrame") -> "pl.DataFrame":
    """All rows, or those of the lowest seeds where all are too many: seeds are alike."""
    import polars as pl

    if frame.height <= MOST_ROWS:
        return frame
    seeds = sorted(frame["seed"].unique())
    kept = max(1, len(seeds) * MOST_ROWS // frame.height)
    return frame.filter(pl.col("seed") < seeds[0] + kept).head(MOST_ROWS)


def traced(result: "Comparison") -> Grid:
    """The table, which says what each of its rows is made of."""
    sizes = {
        (row.get("object") is not None, row["size_bytes"]): row["size"]
        for row in result.records
        if row["tested"]
    }
    summaries = grids.arranged(result.summaries, result.order)
    sources = [_source(s, sizes, result) for s in summaries]
    return dataclasses.replace(result.table, sources=sources)


def _source(
    s: Summary, sizes: dict[tuple[bool, int], str | None], result: "Comparison"
) -> RowSource:
    where: dict[str, Any] = {"variant": s.startup, "tested": True}
    if s.web:
        where["web"] = list(result.plan.tested_web)
    else:
        where |= {"size_bytes": s.size_bytes, "web": [None]}  # no object of a session
        where |= {"request": s.request} if s.request else {}
        if s.measure and not s.is_rate:
            del where["size_bytes"]
        elif s.is_rate:
            where |= {"size_bytes": s.size_bytes or None}
    size = sizes.get((s.web, s.size_bytes))
    where |= {"size": size} if size is not None else {}
    return RowSource(where, {"variant": result.baseline})


def _command(plan: Plan) -> RowCommand | None:
    """The plan's command with one variant, size and seed; None where it has none."""
    if plan.command is None:
        return None
    options = {
        "variant": variant_options(plan.variants),
        "size": {size: f"--size {shlex.quote(size)}" for size in plan.sizes if size},
        "seed": {str(seed): f"--seed {seed}" for seed in plan.seeds},
    }
    return RowCommand(f"{without(plan.command, _VARYING)} --no-uncertainty", options)


LINES = ("cwnd", "queue", "sent", "acked", "delivered", "pacing", "limit")
"""What a report holds; the delivery rate follows from what is delivered."""
EVENTS = ("drop", "retransmit")
MOST_BINS = 400
LEAST_BINS = 100
BINS = 24_000
"""About so many bins in all flows of a report together, so that its size has a bound."""
MOST_EVENTS = 60
"""Points of an event that a flow has; of more, one in so many."""
DIGITS = 4


def flows_over_time(
    result: "Comparison", sizes: Sequence[tuple[str | None, int]]
) -> list[OverTime]:
    """The flows of these sizes (as asked, and their bytes) over time; simulated again for it."""
    drawn = [
        len(result.drawn_flows(Case(s, size, result.seed)))
        for size, _ in sizes
        for s in result.order
    ]
    flows = sum(drawn)
    bins = max(LEAST_BINS, min(MOST_BINS, BINS // max(1, flows)))
    return [_of_size(result, size, count, bins) for size, count in sizes]


def _of_size(result: "Comparison", size: str | None, count: int, bins: int) -> OverTime:
    plan = result.plan
    cases = [Case(startup, size, plan.seeds[0]) for startup in result.order]
    drawn = [result.drawn_flows(case) for case in cases]
    scenarios = [json.dumps(plan.scenario(case)) for case in cases]
    flows = [[row["flow"] for row in rows] for rows in drawn]
    traced = trajectories(scenarios, flows, TimeWindow(bins), plan.custom)
    told = [
        _told(row, trajectory, traced.bin_s)
        for rows, run in zip(drawn, traced.found, strict=True)
        if run
        for row, trajectory in zip(rows, run, strict=True)
    ]
    trips = [row["min_rtt_s"] for rows in drawn for row in rows if row["min_rtt_s"] is not None]
    return OverTime(text.size(count), traced.bin_s, min(trips, default=None), told)


def _told(row: dict[str, Any], trajectory: Trajectory, bin_s: float) -> dict[str, Any]:
    lines = {name: _line(trajectory.lines[name]) for name in LINES}
    events = {name: _events(trajectory.events[name]) for name in EVENTS}
    last = max((sum(line[0]) for line in lines.values()), default=0)
    done = row["opened_s"] + row["duration_s"] if row["duration_s"] is not None else None
    end_s = done if done is not None else (last + 1) * bin_s
    left = row["startup_exit_s"], row["startup_exit_cwnd_segments"], row["startup_exit_reason"]
    return {
        "startup": row["variant"],
        "flow": row["flow"],
        "bdp_pkts": row["bdp_pkts"],
        "done_s": None if row["fct_s"] is None else _time(row["opened_s"] + row["fct_s"]),
        "end_s": _time(end_s),
        "exit": None if left[0] is None else [_time(left[0]), left[1], left[2]],
        "lines": lines,
        "events": events,
    }


def _time(value_s: float) -> float:
    return float(f"{value_s:.6g}")


def _line(line: StepLine, step: int = 1) -> tuple[list[int], list[float | None]]:
    """The bins, each as a step from the one before, and the values."""
    bins = [value for (value,) in struct.iter_unpack("<H", line.bins)][::step]
    values = [_rounded(value) for (value,) in struct.iter_unpack("<f", line.values)][::step]
    return [b - a for a, b in zip([0, *bins], bins, strict=False)], values


def _events(points: Points) -> tuple[list[int], list[float | None], int]:
    """The same of points, some of them where they are many, and how many there were."""
    count = len(points.bins) // 2
    return *_line(points, max(1, -(-count // MOST_EVENTS))), points.total


def _rounded(value: float) -> float | None:
    if value != value:  # nothing from then on
        return None
    near = float(f"{value:.{DIGITS}g}")
    return int(near) if near.is_integer() else near


LARGEST_TRACE_BYTES = 500_000_000
"""Larger transfers get no figures over time: their traces would fill the memory."""


def tables(result: "Comparison") -> dict[str, bytes]:
    """The rows, and everything as JSON."""
    files = {"result.json": encoded(result.to_dict())}
    files |= columns(result.frame, "rows", "comparison-rows")
    if result.intervals:
        files |= columns(result.interval_frame, "intervals", "comparison-intervals")
    return files


NO_TRANSFER = "No transfer began before the end of the runs"


def pictures(
    result: "Comparison", progress: figure_files.Progress | None = None
) -> dict[str, bytes]:
    """The figures, and the page that holds them; over time only where nothing is missing.

    `progress(done, total)` is called with the number of figures before each of them is drawn.
    """
    if not result.records:
        parts = [html.paragraph(result.headline), html.paragraph(f"{NO_TRANSFER}.")]
        return {"report.html": interactive.page("Startups compared", parts).encode()}
    pictures: dict[str, bytes] = {}
    parts = [html.first_page(overview(result).html())]
    parts += [html.heading("All columns"), html.paragraph(result.headline)]
    parts += [html.table(traced(result))]
    parts += [html.paragraph(line) for line in (result.legend, *verdict(result))]
    rows = _rows(result)
    parts.append(interactive.CHARTS)
    parts += figure_files.apology()
    drawn = {} if figure_files.wanting() else _drawn(result)
    for files in figure_files.drawn(drawn, progress):
        pictures |= files.contents
        charted = bool(rows.charts if files.name == "completion" else rows.over_time)
        name = f"{files.name}.svg"
        parts.append(interactive.picture(files.svg, files.caption, name, charted=charted))
    if result.command:
        parts += [html.heading("Again"), html.code(result.command)]
    page = interactive.page("Startups compared", parts, rows)
    pictures["report.html"] = page.encode()
    return pictures


def _rows(result: "Comparison") -> ListedRows:
    """What the page's script shows: the rows, and flows over time where these are drawn too."""
    rows = listed_rows(result)
    if not interactive.is_built() or result.interrupted or result.failures:
        return rows
    return dataclasses.replace(rows, over_time=flows_over_time(result, _traceable(result)))


def _drawn(result: "Comparison") -> dict[str, figure_files.Draw]:
    """What draws each figure, by file name: one at a time, for they are large."""
    figures: dict[str, figure_files.Draw] = {"completion": lambda: _completion(result)}
    if result.interrupted or result.failures:
        return figures
    for size, count in _traceable(result):
        suffix = f"-{size}" if size else ""
        traces = _Traces(result, size, count)
        figures[f"over-time{suffix}"] = traces.over_time
        figures[f"sequence{suffix}"] = traces.sequence
    return figures


def _completion(result: "Comparison") -> "tuple[Figure, str]":
    from flowstart.render.charts import MOST_LINES  # loads matplotlib

    if all(s.measure for s in result.summaries):
        return result.plot(), f"{result.summaries[-1].measure}.".capitalize()
    caption = "Completion time, and as a multiple of an unhindered transfer on an empty path."
    if len(result.plan.startups) > MOST_LINES and len({s.size_bytes for s in result.summaries}) > 1:
        caption = (
            "Completion time as a multiple of an unhindered transfer on an empty path, in the "
            "order of the averages over sizes."
        )
    return result.plot(), caption


@dataclass
class _Traces:
    """The figures over time of one size."""

    result: "Comparison"
    size: str | None
    count: int
    """Its bytes."""

    def over_time(self) -> "tuple[Figure, str]":
        from flowstart.render.charts import MOST_LINES  # loads matplotlib
        from flowstart.simulation.figures import over_time

        many = len(self.result.plan.startups) > MOST_LINES
        shown = "window" if many else "window, bytes in flight, bottleneck queue"
        caption = f"{self._sentence}: {shown}."
        return over_time(self._series, self._about), caption

    def sequence(self) -> "tuple[Figure, str]":
        from flowstart.simulation.figures import sequence  # loads matplotlib

        caption = f"{self._sentence}: what was sent, sent again and acknowledged."
        figure = sequence(self._series, self._about)
        del self._series  # the last figure of them
        return figure, caption

    @functools.cached_property
    def _series(self) -> "list[Series]":
        return self.result.series(self.size)

    @property
    def _which(self) -> str:
        """The flows that are drawn, in words, and of which seed where several were run."""
        seeds = len(self.result.plan.seeds_of(self.size))
        of_seed = f", seed {self.result.seed}, one of {seeds}" if seeds > 1 else ""
        return f"{self._flows}{self._of}{of_seed}"

    @property
    def _sentence(self) -> str:
        """The flows that are drawn, as a sentence begins."""
        return f"{self._which[0].upper()}{self._which[1:]}"

    @property
    def _flows(self) -> str:
        """The flows that are drawn, in words."""
        case = Case(self.result.order[0], self.size, self.result.seed)
        drawn, all_of_them = len(self.result.drawn_flows(case)), self.result.tested_flows(case)
        if drawn == 1:
            return "the first flow under test"
        return (
            f"{drawn} flows under test"
            if drawn == all_of_them
            else (f"the first {drawn} of {all_of_them} flows under test")
        )

    @property
    def _of(self) -> str:
        return f" of {text.size(self.count)}" if self.size else ""

    @property
    def _about(self) -> "FigureFacts":
        from flowstart.simulation.figures import FigureFacts  # loads matplotlib

        title = f"{self.result.headline_of([self.result.seed])}; {self._which}"
        return FigureFacts(title, baseline=self.result.baseline)


def _bytes(row: dict[str, Any]) -> int:
    """What a flow transfers; of one without an end, what it has delivered."""
    return int(row["bytes_delivered"] if row["size_bytes"] is None else row["size_bytes"])


def _traceable(result: "Comparison") -> list[tuple[str | None, int]]:
    """The sizes whose runs are small enough to be traced, in bytes for all flows together."""
    sizes = []
    for size in result.plan.sizes:
        rows = [row for row in result.records if row["size"] == size and row["tested"]]
        first = [row for row in rows if row["run"] == rows[0]["run"]]
        if rows and sum(map(_bytes, first)) <= LARGEST_TRACE_BYTES:
            sizes.append((size, _bytes(first[0])))
    return sizes
