"""How well a replay of what was recorded agrees with the recording, transfer by transfer."""

import dataclasses
import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flowstart import text
from flowstart.captures import server_log
from flowstart.captures.contents import Capture
from flowstart.captures.durations import DurationKind
from flowstart.render.grid import Column, Grid
from flowstart.replays import rate_fit
from flowstart.replays.paths import ReplayPath, build
from flowstart.replays.rate_fit import fitted
from flowstart.replays.runner import TOGETHER, Meter, Runner
from flowstart.replays.settings import Settings
from flowstart.replays.summary import CLASSES, EVERYTHING, percentile
from flowstart.replays.traffic import Traffic
from flowstart.simulation.batch import Progress

if TYPE_CHECKING:
    import polars as pl


LEAST_S = 0.001
"""What takes less at the monitor says more of the hosts than of their path."""
KEPT = (
    *("network", "connection", "transfer", "capture_direction", "size_bytes", "packets_dropped"),
    *("timeouts", "leaves", "closings", "recorded_acked_s", "recorded_s", "simulated_s"),
)
"""The columns of a calibration, beside `ratio`."""
PLACES = (
    *("connection", "client_is_remote", "least_rtt_s", "server_rtt_s"),
    *("c2s_zero_windows", "s2c_zero_windows"),
)
"""What it has to know of connections."""


@dataclass(frozen=True)
class ClassCalibration:
    """Simulated over recorded times of one size class."""

    size_class: str
    transfers: int
    median: float | None
    p5: float | None
    p95: float | None


@dataclass(frozen=True)
class Calibration:
    """A capture replayed as it was recorded, beside the recording."""

    settings: Settings
    frame: "pl.DataFrame"
    """One row per transfer: what was replayed, `recorded_s`, `simulated_s` and their `ratio`."""
    every: "pl.DataFrame"
    """The same with the transfers that are not compared."""
    left_out: dict[str, int]
    """Transfers that are not compared, by reason."""
    of_log: bool = False
    """Whether recorded times are a log's durations, to which rates may have been fitted."""

    def to_dict(self) -> dict[str, Any]:
        """All but the rows as JSON types."""
        return {
            "recorded": self.settings.recorded.written,
            "ignore": sorted(self.settings.ignore),
            "classes": [dataclasses.asdict(size_class) for size_class in self.classes],
            "left_out": self.left_out,
        }

    @property
    def classes(self) -> list[ClassCalibration]:
        """One for each size class that has transfers, all sizes last."""
        import polars as pl

        size = pl.col("size_bytes")
        classes = []
        for name, least, below in (*CLASSES, (EVERYTHING, 0, None)):
            wanted = size >= least if below is None else (size >= least) & (size < below)
            ratios = self.frame.filter(wanted)["ratio"].to_list()
            if ratios:
                marks = (percentile(ratios, p) for p in (50, 5, 95))
                classes.append(ClassCalibration(name, len(ratios), *marks))
        return classes


def calibrate(
    capture: Capture,
    settings: Settings | None = None,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Calibration:
    """Replays a capture as `settings.recorded` has it. Raises RequestError where it cannot.

    Both times are those at the monitor: of data that leaves its side from the first packet to the
    acknowledgement of the last byte, of data that comes from the first to the last packet. Those
    of a log are its durations.
    """
    as_recorded = (settings or Settings()).as_recorded()
    left_out: dict[str, int] = {}
    capture = fitted(capture, as_recorded, workers=workers)
    paths = build(capture, as_recorded, left_out)
    runner = Runner(capture, as_recorded, workers, Meter(progress))
    rows = _replayed(paths, runner)
    of_log = server_log.is_log(capture)
    return Calibration(as_recorded, _without_the_unknown(rows, left_out), rows, left_out, of_log)


def _replayed(paths: list[ReplayPath], runner: Runner) -> "pl.DataFrame":
    """Both times of all transfers; some jobs at a time, so that nothing else adds up."""
    import polars as pl

    by_log = server_log.is_log(runner.capture)
    kind = server_log.kind_of(runner.capture)
    compared = functools.partial(_compared_with_log, kind=kind) if by_log else _compared
    sections = {replayed.name: replayed.section for replayed in paths}
    parts: list[pl.DataFrame] = []
    for rows in runner.run(paths, TOGETHER):
        for (name,), mine in rows.partition_by("network", as_dict=True).items():
            parts.append(compared(mine, sections[str(name)].traffic))
    whole = pl.concat(parts)
    return _spanned(whole, kind) if by_log else whole


def _compared_with_log(
    simulated: "pl.DataFrame", traffic: Traffic, kind: DurationKind
) -> "pl.DataFrame":
    """Both times of each transfer: its duration in the log, and that of its data."""
    import polars as pl

    ends_seen = (pl.col("recorded_s") > 0) & kind.gives_rates

    recorded = traffic.transfers.select("transfer", recorded_s=pl.col("end_s") - pl.col("start_s"))
    places = traffic.connections.select("connection", "least_rtt_s")
    rows = simulated.join(recorded, on="transfer").join(places, on="connection")
    return rows.with_columns(
        leaves=pl.lit(value=True),
        closings=pl.lit(0),
        recorded_acked_s=pl.when(ends_seen).then("recorded_s"),
        simulated_s=pl.col("acked_s") - pl.col("sent_s"),
    ).select(*KEPT, "least_rtt_s")


def _spanned(rows: "pl.DataFrame", kind: DurationKind) -> "pl.DataFrame":
    """Simulated times of what the log's durations span."""
    import polars as pl

    columns = ("simulated_s", "recorded_acked_s", "least_rtt_s")
    simulated_s, recorded_s, rtt_s = rows.select(*columns).drop_nulls().to_numpy().T
    more_s = rate_fit.best(kind, simulated_s, recorded_s, rtt_s) * pl.col("least_rtt_s")
    return rows.with_columns(simulated_s=pl.col("simulated_s") + more_s).select(
        *KEPT, ratio=pl.col("simulated_s") / pl.col("recorded_s")
    )


def _compared(simulated: "pl.DataFrame", traffic: Traffic) -> "pl.DataFrame":
    """Both times of each transfer as the monitor sees them."""
    import polars as pl

    places = traffic.connections.select(*PLACES)
    recorded = traffic.transfers.select(
        "transfer", "from_client", "start_s", "end_s", "acked_s"
    ).rename({"acked_s": "recorded_acked_s"})
    rows = simulated.join(recorded, on="transfer").join(places, on="connection")
    leaves = pl.col("from_client") != pl.col("client_is_remote")
    near = (
        pl.when("from_client")
        .then(pl.col("least_rtt_s") - pl.col("server_rtt_s"))
        .otherwise("server_rtt_s")
    )
    acked = pl.col("recorded_acked_s") - pl.col("start_s")
    closings = pl.when("from_client").then("c2s_zero_windows").otherwise("s2c_zero_windows")
    rows = rows.with_columns(
        leaves=leaves,
        closings=closings.fill_null(0),
        recorded_s=pl.when(leaves).then(acked).otherwise(pl.col("end_s") - pl.col("start_s")),
        simulated_s=pl.when(leaves)
        .then(pl.col("acked_s") - pl.col("sent_s") - near)
        .otherwise(pl.col("delivered_s") - pl.col("first_delivered_s")),
    )
    return rows.select(*KEPT, ratio=pl.col("simulated_s") / pl.col("recorded_s"))


def _without_the_unknown(frame: "pl.DataFrame", left_out: dict[str, int]) -> "pl.DataFrame":
    """The transfers whose times are known and long enough; counts the others."""
    import polars as pl

    reasons = (
        ("their receiver stopped reading", pl.col("closings") > 0),
        ("their end was not seen", pl.col("recorded_acked_s").is_null()),
        ("they took less than a millisecond at the monitor", pl.col("recorded_s") < LEAST_S),
        ("they were not done in the replay", pl.col("simulated_s").is_null()),
    )
    for why, lacks in reasons:
        count = frame.filter(lacks).height
        if count:
            left_out[why] = left_out.get(why, 0) + count
        frame = frame.filter(~lacks)
    return frame


def table(calibration: Calibration) -> Grid:
    """Simulated over recorded time by size class."""
    titles = ["transfers", "p5", "median", "p95"]
    grid = Grid([Column("size class", number=False), *(Column(title) for title in titles)])
    grid.rows = [
        [row.size_class, text.count(row.transfers), *map(_ratio, (row.p5, row.median, row.p95))]
        for row in calibration.classes
    ]
    return grid


def _ratio(value: float | None) -> str:
    return text.ABSENT if value is None else f"{value:.3f}"


def headline(calibration: Calibration) -> str:
    """What was replayed, and what is compared."""
    return (
        f"Replayed as recorded ({calibration.settings.recorded.written}): "
        "simulated over recorded time" + " at the monitor" * (not calibration.of_log)
    )


def legend(calibration: Calibration) -> list[str]:
    """What is not in the table, line by line."""
    lines = [f"{n} transfers are not compared: {why}." for why, n in calibration.left_out.items()]
    parts = ", ".join(sorted(calibration.settings.ignore))
    return [*lines, f"Not replayed: {parts}."] if parts else lines
