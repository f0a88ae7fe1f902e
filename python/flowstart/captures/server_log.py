"""Tables of transfers that servers log: CSV, JSON lines or Parquet, such as nginx's access log.

Each row is a transfer that the server sent to a peer, on a connection of its own unless a column
says which. A network's path is told by the round trips and rates of its rows; there are no packets
that could tell its buffer.
"""

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from flowstart.captures import durations, frames, log_tables, plausibility, sources
from flowstart.captures.contents import Capture, PathEstimate, RemoteNetwork
from flowstart.captures.frames import all_columns, networks
from flowstart.captures.log_columns import Columns
from flowstart.captures.log_formats import LogFormat
from flowstart.captures.rate_bounds import carried_rates, least_rates, passed_rate
from flowstart.captures.units import TCP, TEXTS, UNITS
from flowstart.errors import RequestError

if TYPE_CHECKING:
    import polars as pl


RATE_SHARE = 0.9
"""This quantile of a network's rates is taken for the bottleneck's, an assumption: most transfers
do not fill it, and the very fastest may be errors of measurement."""
ANYWHERE = "all peers"
"""The network of rows that name no peer."""
FORMAT = "server-log"
PARSED, JUDGED = 0.4, 0.65
"""Shares of the time that reading takes until rows are parsed, and until they are judged."""
SIMULATED = ("cubic", "reno", "bbr")
"""The kernel's congestion controls that a replay has."""
PACKETS = ("data_packets", "retransmitted_packets")
NO_PACKETS = "not estimated: a server's log has no packets"
NEITHER = "a server's log has no packets: windows, losses and buffers are not known"
KERNEL = "the kernel has counted packets and windows; buffers are not known"
NO_RATES = "rates are not estimated here: a replay fits them to the durations"
NEVER_RATES = (
    "no rates follow from such durations: record packets, or give --network NAME:rate=RATE"
)


def is_log(capture: Capture) -> bool:
    """Whether a capture was read from such a log."""
    return capture.about.get("format") == FORMAT


def kind_of(capture: Capture) -> durations.DurationKind:
    """What the durations of a log measure."""
    return durations.KINDS[capture.about.get("durations", durations.UNKNOWN)]


def read(forms: Mapping[str, LogFormat], mapping: Mapping[str, str]) -> Capture:
    """Reads logs of transfers as one. Raises RequestError without columns or usable rows."""
    import polars as pl

    tables = {file: _table(file, form, mapping) for file, form in forms.items()}
    (first, (_, columns, _)), *others = tables.items()
    for file, (_, own, _) in others:
        if own.sources != columns.sources:
            differs = f"{file}: its columns differ from those of {first}; read it alone"
            raise RequestError(differs, file=file)
    read = pl.concat([rows for rows, *_ in tables.values()])
    further = sum(count for *_, count in tables.values())
    sources.report(PARSED)
    rows, bad = _judged(_completed(read))
    sources.report(JUDGED)
    if rows.is_empty():
        reasons = "; ".join(_counted(bad)) or "it has no rows"
        raise RequestError(f"{first} holds no transfers: {reasons}")
    plausibility.refuse_wrong_units(first, rows, columns.sources)
    warnings = columns.warnings + _counted(bad) + _unread(further, forms[first])
    rows, copies = plausibility.without_copies(rows)
    short = plausibility.too_short(rows, columns.sources)
    doubts = [*columns.without_unit, *short]
    doubts += plausibility.improbable_units(rows, columns.sources)
    columns = columns.without_rates() if short else columns
    rows = _by_connection(rows, columns)
    paths = _paths(rows, columns)
    if not short:
        paths, wrong = plausibility.with_possible_rates(paths, columns.sources)
        doubts += wrong
    warnings += [*copies, *plausibility.suspicions(rows, columns.sources)]
    warnings += [doubt.line for doubt in doubts]
    capture = _capture(tuple(forms), rows, paths, warnings, columns)
    named = {what: f"{what}={column}" for what, column in mapping.items()}
    other = {doubt.columns.partition("=")[0]: doubt.columns for doubt in doubts if doubt.columns}
    units = ",".join((named | other).values()) if other else ""
    return dataclasses.replace(capture, other_units=units)


def _table(
    file: str, form: LogFormat, mapping: Mapping[str, str]
) -> tuple["pl.DataFrame", Columns, int]:
    """The cells of a log that are used, what they are, and how many rows have further fields."""
    import polars as pl

    with sources.about(file), log_tables.unpacked(file, form) as path:
        columns = Columns.find(file, log_tables.names(file, path, form), mapping, form)
        used = list(dict.fromkeys(source.column for source in columns.sources.values()))
        rows = log_tables.cells(file, path, form, used, columns.expressions())
        further = log_tables.with_further_fields(path, form)
    return rows.with_columns(pl.lit(file, pl.Categorical).alias("file")), columns, further


def _completed(rows: "pl.DataFrame") -> "pl.DataFrame":
    """Every column that a log may have; the duration and the start of the response alone.

    The time until its first byte, the backend's, is taken from both.
    """
    import polars as pl

    rows = rows.with_columns(
        pl.lit(None, pl.String if name in TEXTS else pl.Float64).alias(name)
        for name in UNITS
        if name not in rows.columns and name not in ("time", "end", "bytes", *TCP)
    )
    duration, backend = pl.col("duration"), pl.col("backend").fill_null(0.0)
    if "time" not in rows.columns:
        rows = rows.with_columns(time=pl.col("end") - duration.fill_null(0.0))
    # A backend that was slower than the whole had nothing left to wait for.
    waited = pl.min_horizontal(backend, duration.fill_null(backend).clip(0.0))
    return rows.with_columns(time=pl.col("time") + waited, duration=duration - waited)


def _judged(rows: "pl.DataFrame") -> tuple["pl.DataFrame", dict[str, int]]:
    """The rows that can be used, with their networks; and how many cannot, by reason."""
    import polars as pl

    rows = rows.join(_networks(rows["peer"]), on="peer", how="left", nulls_equal=True)
    wrong = {
        "time is missing or no time": ~(pl.col("time").is_finite() & (pl.col("time") >= 0)),
        "bytes are missing or not above zero": ~(
            pl.col("bytes").is_finite() & (pl.col("bytes") >= 1) & (pl.col("bytes") < 2.0**53)
        ),
        "the peer is not an address": pl.col("network").is_null(),
        "rtt is not above zero": pl.col("rtt").is_not_null() & ~_positive("rtt"),
        "duration is below zero": pl.col("duration").is_not_null()
        & ~(pl.col("duration").is_finite() & (pl.col("duration") >= 0)),
    }
    reason = pl.coalesce(
        pl.when(test.fill_null(value=True)).then(pl.lit(why)) for why, test in wrong.items()
    )
    rows = rows.with_columns(wrong=reason)
    counts = rows["wrong"].drop_nulls().value_counts().sort("wrong")
    return rows.filter(pl.col("wrong").is_null()), dict(counts.iter_rows())


def _positive(name: str) -> "pl.Expr":
    import polars as pl

    return pl.col(name).is_finite() & (pl.col(name) > 0)


def _networks(peers: "pl.Series") -> "pl.DataFrame":
    """The network of each different peer; null where it is no address."""
    import polars as pl

    different = peers.unique()
    if peers.null_count() == len(peers):
        return pl.DataFrame({"peer": different, "network": [ANYWHERE] * len(different)})
    return pl.DataFrame({"peer": different, "network": networks(different)})


def _counted(bad: Mapping[str, int]) -> list[str]:
    return [
        f"{count} {'rows were' if count > 1 else 'row was'} left out: {reason}"
        for reason, count in bad.items()
    ]


def _unread(rows: int, form: LogFormat) -> list[str]:
    """A line on fields that the form of a log does not have."""
    have = f"{rows} rows have" if rows > 1 else "1 row has"
    line = f"{have} fields behind those of the {form.name}, which are not read"
    return [f"{line}: write these by name, as JSON lines or CSV"] * bool(rows)


def _by_connection(rows: "pl.DataFrame", columns: Columns) -> "pl.DataFrame":
    """The rows by time, with the number of their connection as `stream`."""
    import polars as pl

    rows = rows.sort("time", maintain_order=True).with_row_index("row")
    if columns.has("connection"):
        # Each server counts its own connections, so that a number alone may mean several.
        ends = pl.struct("server", "peer", pl.coalesce("connection", pl.format("row {}", "row")))
        rows = rows.with_columns(stream=pl.col("row").min().over(ends).rank("dense") - 1)
    else:
        rows = rows.with_columns(stream=pl.col("row"))
    return rows.with_columns(pl.col("stream").cast(pl.UInt32), pl.col("bytes").cast(pl.UInt64))


def _capture(
    files: tuple[str, ...],
    rows: "pl.DataFrame",
    paths: "pl.DataFrame",
    warnings: list[str],
    columns: Columns,
) -> Capture:
    """The rows as connections, transfers and networks."""
    import polars as pl

    kind = durations.KINDS[columns.duration_kind]
    return Capture(
        files=files,
        connections=_connections(rows),
        transfers=rows.select(
            pl.col("stream").alias("connection"),
            pl.lit("s2c").alias("direction"),
            pl.col("time").alias("start"),
            "bytes",
            pl.col("duration").fill_null(0.0).alias("end_s"),
            pl.lit(None, pl.Float64).alias("acked_s"),
        ),
        groups=[_group(row, kind) for row in paths.iter_rows(named=True)],
        about={
            "format": FORMAT,
            "link_types": [],
            "packets": len(rows),
            "unreadable": 0,
            "durations": columns.duration_kind,
        },
        warnings=warnings,
        notes=_notes(columns),
    )


def _connections(rows: "pl.DataFrame") -> "pl.DataFrame":
    """One row per connection, with all columns that captures have."""
    import polars as pl

    ends = (pl.col("time") + pl.col("duration").fill_null(0.0)).max()
    connections = rows.group_by("stream", maintain_order=True).agg(
        pl.col("time").min().alias("start"),
        pl.col("file").first(),
        pl.col("peer").first().alias("client_ip"),
        pl.col("network").first(),
        pl.col("rtt").min().alias("rtt_s"),
        pl.col("bytes").sum().alias("s2c_bytes"),
        (ends - pl.col("time").min()).alias("end_s"),
        *_of_senders(rows),
    )
    version = pl.when(pl.col("client_ip").str.contains(":", literal=True)).then(6).otherwise(4)
    known = connections.sort("stream").with_columns(
        pl.col("file").cast(pl.String),
        version.cast(pl.UInt8).alias("ip_version"),
        # Only what was opened whole is served.
        pl.lit("complete").alias("handshake"),
        pl.lit("remote").alias("opener"),
        pl.lit("").alias("flags"),
        pl.lit(0, pl.UInt64).alias("copies"),
    )
    return all_columns(known)


def _of_senders(rows: "pl.DataFrame") -> "list[pl.Expr]":
    """What the kernel knows of a connection's sender, as captures name it; of what the log has."""
    import polars as pl

    control = pl.col("congestion_control")
    columns = {
        "data_packets": {"s2c_packets": pl.col("data_packets").sum()},
        "retransmitted_packets": {"s2c_retransmissions": pl.col("retransmitted_packets").sum()},
        "initial_window": {"s2c_initial_window": pl.col("initial_window").max()},
        "congestion_control": {"s2c_cc": control.filter(control.is_in(SIMULATED)).last()},
        "startup_exit_reason": {"s2c_exit": _first("startup_exit_reason")},
        "handshake_window": {
            name: pl.col("handshake_window").max()
            for name in ("s2c_window", "s2c_handshake_window")
        },
        "widest_window": {"s2c_widest_window": pl.col("widest_window").max()},
        "server": {"server_ip": pl.col("server").first()},
    }
    if "mss" in rows.columns:
        window = _first("startup_exit_cwnd") * pl.col("mss").min()
        columns["startup_exit_cwnd"] = {"s2c_exit_window": window}
    return [
        value.cast(frames.kind(name)).alias(name)
        for source, columns in columns.items()
        for name, value in columns.items()
        if source in rows.columns
    ]


def _first(column: str) -> "pl.Expr":
    import polars as pl

    return pl.col(column).drop_nulls().first()


def _paths(rows: "pl.DataFrame", columns: Columns) -> "pl.DataFrame":
    """What the rows imply for the path to each network, that with the most data first.

    `told` is the log's rate, `least` a bound from below where durations give no rate, `passed` what
    has passed, and `sent` the largest size over duration.
    """
    import polars as pl

    kind = durations.KINDS[columns.duration_kind]
    # The same quantile of the same rows: what has passed in each is below its rate.
    rated = _positive("rate") & pl.lit(kind.gives_rates)
    networks = rows.group_by("network").agg(
        pl.col("stream").n_unique().alias("connections"),
        pl.col("rtt").min().alias("min_rtt_s"),
        pl.col("bytes").sum(),
        pl.when(_positive("rate")).then("rate").quantile(RATE_SHARE, "nearest").alias("told"),
        _positive("duration").any().alias("timed"),
        pl.when(rated).then(passed_rate()).quantile(RATE_SHARE, "nearest").alias("acked"),
        (8.0 * pl.col("bytes") / pl.col("duration")).max().alias("sent"),
        *(pl.col(name).sum() for name in PACKETS if name in rows.columns),
    )
    least = least_rates(rows, by_connection=columns.has("connection"))
    least = least.with_columns(least=pl.lit(None, pl.Float64)) if kind.gives_rates else least
    for bounds in (least, carried_rates(rows)):
        networks = networks.join(bounds, on="network", how="left")
    networks = networks.with_columns(passed=pl.max_horizontal("acked", "least", "carried"))
    return networks.sort("bytes", "network", descending=[True, False])


def _group(row: Mapping[str, Any], kind: durations.DurationKind) -> RemoteNetwork:
    method = f"{RATE_SHARE:.0%} quantile of the rates in the log"
    if row["told"] is None:
        method = "not estimated: the log has neither rates nor durations"
        if row["timed"]:
            method = "not estimated yet: a replay fits it to the durations"
            if not kind.gives_rates:
                method = f"not estimated: the durations give no rate, since {kind.end}"
    return RemoteNetwork(
        network=row["network"],
        connections=row["connections"],
        min_rtt_s=row["min_rtt_s"],
        to_remote=dataclasses.replace(
            PathEstimate.unknown(
                row["bytes"],
                NO_PACKETS,
                packets=int(row.get(PACKETS[0]) or 0),
                repeated=int(row.get(PACKETS[1]) or 0),
            ),
            rate_bps=row["told"],
            rate_method=method,
            rate_low_bps=row["least"] if kind.bounds_rates and not row["told"] else None,
        ),
        from_remote=PathEstimate.unknown(0, NO_PACKETS),
    )


def _notes(columns: Columns) -> list[str]:
    """What was assumed for want of columns."""
    notes = [
        KERNEL if columns.has("data_packets") else NEITHER,
        *columns.notes,
        "every row counts as a transfer to a client that opened the connection",
    ]
    if columns.has("duration"):
        kind = durations.KINDS[columns.duration_kind]
        notes.append(f"when a duration ends, {kind.end}")
        if not columns.has("rate"):
            notes.append(NO_RATES if kind.gives_rates else NEVER_RATES)
    missing = {
        "peer": "no column has the peer: all transfers share one path",
        "rtt": "no column has round-trip times: a replay needs --rtt",
        "duration": "no column has durations: transfers count as completed at once",
        "connection": "no column has connections: each row is a separate connection",
    }
    return notes + [text for what, text in missing.items() if not columns.has(what)]
