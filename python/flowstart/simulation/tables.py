"""The tables of one run."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from flowstart import text
from flowstart.render import footnotes
from flowstart.render.grid import Column, Grid
from flowstart.simulation import frames

if TYPE_CHECKING:
    from flowstart._native import Outcome


SPARE = {"retrans.": 1, "opened": 2, "duration": 3}
"""Columns of flows that a narrow terminal leaves out, the largest numbers first."""


def of_run(outcome: "Outcome", passed: Sequence[str] = ()) -> list[Grid]:
    """The tables of one run that have rows: flows, their writes, objects, links.

    `passed` are the hops that each flow passes, where the path is a chain.
    """
    several = [handshakes, delays, rates, transfers, objects, links]
    grids = [flows(outcome, passed), *(table(outcome) for table in several)]
    return [grid for grid in grids if grid.rows]


def of_summary(outcome: "Outcome", passed: Sequence[str] = ()) -> Grid | None:
    """The one table of a summary, without a title: the measured delays or rates, else the flows."""
    several = [delays, rates, lambda outcome: flows(outcome, passed), transfers, objects, links]
    grids = (table(outcome) for table in several)
    return next((dataclasses.replace(grid, title="") for grid in grids if grid.rows), None)


def _filled(
    grid: Grid, rows: Sequence[Any], cells: Callable[[Any], list[str]], most: int, name: str
) -> Grid:
    """The grid with the first rows, and a title where there are more of what bears this name."""
    grid.rows = [cells(row) for row in rows[:most]]
    if len(rows) > most:
        grid.title = f"The first {most} of {len(rows)} {name}"
    return grid


def flows(outcome: "Outcome", passed: Sequence[str] = (), most: int = 50) -> Grid:
    """The flows of one run that are no part of web sessions."""
    hops = [Column("hops")] * bool(passed)
    titles = ["size", "opened", "FCT", "duration", "× ideal", "rate", "dropped", "retrans.", "RTOs"]
    grid = Grid(
        [
            Column("flow"),
            Column("startup", number=False),
            *hops,
            *(Column(title, spare=SPARE.get(title, 0)) for title in titles),
            Column("exit reason", number=False),
            Column("exit cwnd", spare=1),
        ]
    )
    rows = frames.rows(outcome["flows"])
    requests = outcome["objects"].lists()["request_flow"]
    rows = rows[: min(requests, default=len(rows))]
    end_s = outcome["runs"].lists()["simulated_s"][0]
    _filled(grid, rows, lambda row: _flow_cells(row, end_s), most, "flows")
    for cells, hop in zip(grid.rows, passed, strict=False):
        cells.insert(2, hop)
    return grid


def _flow_cells(row: dict[str, Any], end_s: float) -> list[str]:
    return [
        str(row["flow"]),
        footnotes.marked(row["startup"]),
        text.size(row["size_bytes"]),
        text.seconds(row["opened_s"]),
        text.seconds(row["fct_s"]),
        text.seconds(row["duration_s"]),
        text.ratio(row["slowdown"]),
        text.rate(_endless_rate(row, end_s)),
        text.count(row["packets_dropped"]),
        text.count(row["packets_retransmitted"]),
        text.count(row["timeouts"]),
        row["startup_exit_reason"] or text.ABSENT,
        _packets(row["startup_exit_cwnd_segments"]),
    ]


def _endless_rate(row: dict[str, Any], end_s: float) -> float | None:
    """The mean rate of a flow without an end, from its opening to the end of the run."""
    opened_s = row["opened_s"]
    if row["size_bytes"] is not None or opened_s is None or opened_s >= end_s:
        return None
    return float(8 * row["bytes_delivered"] / (end_s - opened_s))


def rates(outcome: "Outcome", most: int = 50) -> Grid:
    """The measured rates of the flows of one run."""
    titles = ["within", "delivered", "rate", "of link", "to 100 kB", "to 1 MB", "to 10 MB"]
    grid = Grid([Column("flow"), Column("measure", number=False), *map(Column, titles)])
    rows = frames.rows(outcome["goodputs"])

    def cells(row: dict[str, Any]) -> list[str]:
        return [
            str(row["flow"]),
            row["measure"],
            text.seconds(row["within_s"]),
            text.size(row["within_bytes"]),
            text.rate(row["goodput_bps"]),
            text.share(row["goodput_share"]),
            *(text.seconds(row[name]) for name in ("to_100kb_s", "to_1mb_s", "to_10mb_s")),
        ]

    return _filled(grid, rows, cells, most, "rates")


def delays(outcome: "Outcome", most: int = 50) -> Grid:
    """The delays of the writes of one run, by flow."""
    times = {"p50": "delay_p50_s", "p95": "delay_p95_s", "p99": "delay_p99_s"}
    times |= {"longest": "delay_max_s"}
    titles = ["flow", "writes", "undelivered", *times, "late", "in time from"]
    grid = Grid([*map(Column, titles)])
    rows = frames.rows(outcome["delays"])

    def cells(row: dict[str, Any]) -> list[str]:
        return [
            str(row["flow"]),
            text.count(row["writes"]),
            text.count(row["undelivered"]),
            *(text.seconds(row[name]) for name in times.values()),
            text.share(row["late_share"]),
            text.seconds(row["recovered_s"]),
        ]

    return _filled(grid, rows, cells, most, "flows")


def handshakes(outcome: "Outcome", most: int = 50) -> Grid:
    """The handshakes of one run that were made of packets."""
    times = {"server's messages": "handshake_s", "complete": "handshake_complete_s"}
    times |= {"first byte": "first_byte_s", "at the limit": "handshake_blocked_s"}
    grid = Grid([Column("flow"), *map(Column, [*times, "packets", "bytes"])])
    rows = frames.rows(outcome["handshakes"])

    def cells(row: dict[str, Any]) -> list[str]:
        return [
            str(row["flow"]),
            *(text.seconds(row[name]) for name in times.values()),
            text.count(row["handshake_packets"]),
            text.size(row["handshake_bytes"]),
        ]

    return _filled(grid, rows, cells, most, "handshakes")


def links(outcome: "Outcome") -> Grid:
    """The links of one run."""
    titles = ["packets", "carried", "dropped", "max queue", "use"]
    grid = Grid([Column("link", number=False), *(Column(title) for title in titles)])
    grid.rows = [
        [
            row["name"],
            text.count(row["packets"]),
            text.size(row["bytes"]),
            text.count(row["dropped"]),
            _packets(row["max_queue_pkts"]),
            f"{row['utilisation']:.1%}",
        ]
        for row in frames.rows(outcome["links"])
    ]
    return grid


def transfers(outcome: "Outcome", most: int = 50) -> Grid:
    """The application's writes of one run."""
    titles = ["flow", "write", "available", "size", "delivered", "acknowledged"]
    rows = frames.rows(outcome["transfers"])
    grid = Grid([Column(title) for title in titles])

    def cells(row: dict[str, Any]) -> list[str]:
        return [
            str(row["flow"]),
            str(row["transfer"]),
            text.seconds(row["available_s"]),
            text.size(row["bytes"]),
            text.seconds(row["delivered_s"]),
            text.seconds(row["acked_s"]),
        ]

    return _filled(grid, rows, cells, most, "writes")


def objects(outcome: "Outcome", most: int = 50) -> Grid:
    """The objects of one run's web sessions."""
    titles = ["web", "session", "page", "object", "packets", "requested", "response", "done"]
    grid = Grid([Column(title) for title in [*titles, "dropped", "retrans.", "RTOs"]])
    rows = frames.rows(outcome["objects"])
    responses = frames.rows(outcome["flows"])
    counts = ("packets_dropped", "packets_retransmitted", "timeouts")

    def cells(row: dict[str, Any]) -> list[str]:
        response = {} if row["flow"] is None else responses[row["flow"]]
        return [
            *(str(row[name]) for name in ("web", "session", "page", "object", "packets")),
            *(text.seconds(row[name]) for name in ("requested_s", "response_s", "done_s")),
            *(text.count(response.get(name)) for name in counts),
        ]

    return _filled(grid, rows, cells, most, "objects")


def _packets(value: float | None) -> str:
    return text.ABSENT if value is None else f"{text.count(value)} pkt"
