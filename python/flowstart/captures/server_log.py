"""Tables of transfers that servers log: CSV, JSON lines or Parquet, such as nginx's access log.

Each row is a transfer that the server sent to a peer, on a connection of its own unless a column
says which. A network's path is told by the round trips and rates of its rows; there are no packets
that could tell its buffer.
"""

import dataclasses
import glob
import pathlib
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flowstart.captures import durations, plausibility, sources
from flowstart.captures.contents import Capture, Group, PathEstimate
from flowstart.captures.frames import all_columns, networks
from flowstart.captures.plausibility import ZONELESS
from flowstart.captures.rate_bounds import least_rates
from flowstart.captures.units import TEXTS, UNITS, USUAL, Source
from flowstart.errors import RequestError

if TYPE_CHECKING:
    import polars as pl


KNOWN = {
    # nginx (ngx_http_core_module, ngx_http_log_module), which writes a row at the end.
    "msec": ("end", "s"),
    "time_iso8601": ("end", ""),
    "time_local": ("end", ""),
    "remote_addr": ("peer", ""),
    "bytes_sent": ("bytes", "B"),
    "body_bytes_sent": ("bytes", "B"),
    "tcpinfo_rtt": ("rtt", "us"),
    "tcpinfo_rttvar": ("rttvar", "us"),
    "tcpinfo_snd_cwnd": ("cwnd", "packets"),
    "request_time": ("duration", "s"),
    "upstream_header_time": ("backend", "s"),
    "upstream_response_time": ("backend", "s"),
    # Apache httpd (mod_log_config) and varnishncsa, by their format strings.
    "%D": ("duration", "us"),
    "%{ms}T": ("duration", "ms"),
    "%T": ("duration", "s"),
    "%a": ("peer", ""),
    "%h": ("peer", ""),
    "%O": ("bytes", "B"),
    "%B": ("bytes", "B"),
    "Varnish:time_firstbyte": ("backend", "s"),
    # HAProxy (configuration manual, "Timing events"): active and response time.
    "Ta": ("duration", "ms"),
    "Tr": ("backend", "ms"),
    # Envoy (access logging, "Command operators").
    "%DURATION%": ("duration", "ms"),
    "%RESPONSE_DURATION%": ("backend", "ms"),
    "%BYTES_SENT%": ("bytes", "B"),
    # IIS and CloudFront (W3C extended format); `time-taken` differs between them.
    "c-ip": ("peer", ""),
    "sc-bytes": ("bytes", "B"),
    "time-to-first-byte": ("backend", "s"),
    # Others' usual names.
    "ts": ("time", "s"),
    "timestamp": ("time", "s"),
    "client_ip": ("peer", ""),
}
"""Names of columns that are known, with their meaning and unit; of two for the same, the earlier
in this list is taken."""


@dataclass(frozen=True)
class Columns:
    """The columns of a log that are used, by what they tell."""

    sources: Mapping[str, Source]
    ignored: tuple[str, ...] = ()
    """The columns that nothing is taken from."""

    @classmethod
    def find(cls, file: str, names: Sequence[str], mapping: Mapping[str, str]) -> "Columns":
        """By a mapping (`{"rtt": "tcpinfo_rtt:us"}`), and by their names what it leaves out."""
        sources = {what: _mapped(file, what, text, names) for what, text in mapping.items()}
        order = {name: place for place, name in enumerate(KNOWN)}
        for name in sorted(names, key=lambda name: order.get(name, len(order))):
            what, unit = _by_name(name)
            if what and what not in sources:
                sources[what] = Source(name, unit, durations.of_column(name))
        if durations.TIME_TAKEN in names and "duration" not in sources:
            sources["duration"] = _time_taken(names)
        if "end" in mapping:
            sources.pop("time", None)
        missing = "bytes" if "bytes" not in sources else None
        if missing is None and not {"time", "end"} & set(sources):
            missing = "time"
        if missing and not sources:
            # It need not be a log: its first line is not for everybody to see.
            raise RequestError(
                f"{file}: none of its {len(names)} columns is known; if it is a log of transfers, "
                "name them, such as --columns time=COLUMN,bytes=COLUMN"
            )
        if missing:
            raise RequestError(
                f"{file}: no column is known to be `{missing}`; name it, such as --columns "
                f"{missing}={names[0]}; there is {listed(names)}"
            )
        used = {source.column for source in sources.values()}
        return cls(sources, tuple(name for name in names if name not in used))

    @property
    def notes(self) -> list[str]:
        """Every column, with what is taken from it and in which unit."""
        used = [f"{what} from {source.text}" for what, source in self.sources.items()]
        notes = [f"columns used: {', '.join(used)}"]
        return notes + ([f"columns ignored: {listed(self.ignored)}"] if self.ignored else [])

    @property
    def duration_kind(self) -> str:
        """The kind of the durations."""
        return self.sources["duration"].kind if self.has("duration") else durations.UNKNOWN

    def without_rates(self) -> "Columns":
        """The same with durations from which no rates follow."""
        duration = dataclasses.replace(self.sources["duration"], kind=durations.UNKNOWN)
        return dataclasses.replace(self, sources={**self.sources, "duration": duration})

    @property
    def warnings(self) -> list[str]:
        """The columns that would be used if their units or kinds were known."""
        duration = self.sources.get("duration")
        if duration is None or self.has("rate") or duration.kind != durations.UNKNOWN:
            return self._without_unit()
        return [*self._without_unit(), _without_kind(duration)]

    def _without_unit(self) -> list[str]:
        return [
            f"column `{name}` is ignored: its unit is not known; name it, such as --columns "
            f"{name}={name}:{next(iter(UNITS[name]))} ({', '.join(UNITS[name])})"
            for name in self.ignored
            if UNITS.get(name) and name not in USUAL and name not in self.sources
        ]

    def has(self, what: str) -> bool:
        """Whether the log tells this."""
        return what in self.sources

    def expressions(self) -> "list[pl.Expr]":
        """What is told, in seconds, bytes and bits a second; null where a cell is none."""
        import polars as pl

        found = []
        for what, source in self.sources.items():
            cell = pl.col(source.column)
            if what in TEXTS:
                found.append(cell.cast(pl.String).alias(what))
            elif what == "backend":
                found.append(_added(cell.cast(pl.String)).mul(UNITS[what][source.unit]).alias(what))
            elif what in ("time", "end"):
                factor = UNITS[what][source.unit or "s"]
                found.append(_moment(cell.cast(pl.String).str.strip_chars(), factor).alias(what))
                found.append(
                    _zoneless(cell.cast(pl.String)).is_not_null().alias(f"{what}{ZONELESS}")
                )
            else:
                number = cell.cast(pl.String).str.strip_chars().cast(pl.Float64, strict=False)
                found.append((number * UNITS[what][source.unit]).alias(what))
        return found


def parse(text: str) -> dict[str, str]:
    """`time=ts,rtt=tcpinfo_rtt:us` as a mapping."""
    mapping: dict[str, str] = {}
    for part in text.split(","):
        what, equals, column = (piece.strip() for piece in part.partition("="))
        if not equals or not column:
            raise RequestError(f"--columns `{part}`: NAME=COLUMN is needed, such as time=ts")
        if what not in UNITS:
            raise RequestError(f"--columns: `{what}` is none of {', '.join(UNITS)}")
        if what in mapping:
            raise RequestError(f"--columns: `{what}` is given twice")
        mapping[what] = column
    return mapping


def _mapped(file: str, what: str, text: str, names: Sequence[str]) -> Source:
    """A column that the user has named, with its unit."""
    if what not in UNITS:
        raise RequestError(f"--columns: `{what}` is none of {', '.join(UNITS)}")
    column, unit, kind = text, "", durations.UNKNOWN
    before, _, last = text.rpartition(":")
    if what == "duration" and text not in names and last in durations.NAMED:
        column, kind = before, last
    if column not in names and ":" in column:
        column, _, unit = column.rpartition(":")
    if what == "duration" and column.rpartition(":")[0] in names:
        raise RequestError(
            f"--columns {what}={text}: the kind `{unit}` is not known; it may be "
            f"{', '.join(durations.NAMED)}"
        )
    if column not in names:
        raise RequestError(
            f"--columns {what}={text}: {file} has no column `{column}`; there is {listed(names)}"
        )
    units = UNITS[what]
    if unit and unit not in units:
        known = f"it may be {', '.join(units)}" if units else "it has none"
        if what == "duration":
            known += f", with a kind after it: {', '.join(durations.NAMED)}"
        raise RequestError(f"--columns {what}={text}: the unit `{unit}` is not known; {known}")
    unit = unit or _by_name(column)[1] or _suffix(column, units) or USUAL.get(what, "")
    if units and not unit:
        first = next(iter(units))
        raise RequestError(
            f"--columns {what}={text}: its unit is not known; write {what}={column}:{first} "
            f"({', '.join(units)})"
        )
    named = kind != durations.UNKNOWN
    return Source(column, unit, kind if named else durations.of_column(column))


def _time_taken(names: Sequence[str]) -> Source:
    """The duration of IIS or CloudFront."""
    edge = any(name.startswith(durations.EDGE) for name in names)
    unit, kind = ("s", "written") if edge else ("ms", "acked")
    return Source(durations.TIME_TAKEN, unit, kind)


def _without_kind(source: Source) -> str:
    """A warning of durations whose end is not known."""
    written = f"--columns duration={source.column}:{source.unit}"
    kinds = "; ".join(f"{name}: {durations.KINDS[name].end}" for name in durations.NAMED)
    return (
        f"no rates follow from the durations in `{source.column}`: their end is not known; name "
        f"it, such as {written}:{durations.NAMED[0]} ({kinds})"
    )


def _by_name(name: str) -> tuple[str | None, str]:
    """What a column's name says that it is, and the unit; None where it says nothing."""
    if name in KNOWN:
        return KNOWN[name]
    if name in UNITS:
        units = UNITS[name]
        # Without a unit a number means nothing.
        return (name, USUAL.get(name, "")) if not units or name in USUAL else (None, "")
    what, _, _ = name.rpartition("_")
    unit = _suffix(name, UNITS.get(what, {}))
    return (what, unit) if unit else (None, "")


def _suffix(name: str, units: Mapping[str, float]) -> str:
    """The unit at the end of `rtt_us`."""
    _, underscore, unit = name.rpartition("_")
    return unit if underscore and unit in units else ""


WITH_ZONE = ("%+", "%d/%b/%Y:%H:%M:%S %z")
"""ISO 8601, and nginx's `16/Nov/2026:10:00:00 +0100`."""
WITHOUT_ZONE = ("%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f")


def _moment(cell: "pl.Expr", factor: float) -> "pl.Expr":
    """Seconds since 1970 of a number in a unit, or of a date; without a zone it is of UTC."""
    import polars as pl

    number = cell.cast(pl.Float64, strict=False) * factor
    return pl.coalesce(number, *(_parsed(cell, form) for form in WITH_ZONE), _zoneless(cell))


def _zoneless(cell: "pl.Expr") -> "pl.Expr":
    """The same of a date that names no zone; null for others."""
    import polars as pl

    return pl.coalesce(*(_parsed(cell, form) for form in WITHOUT_ZONE))


def _parsed(cell: "pl.Expr", form: str) -> "pl.Expr":
    moment = cell.str.to_datetime(form, time_unit="us", time_zone="UTC", strict=False)
    return moment.dt.timestamp("us") / 1e6


def _added(cell: "pl.Expr") -> "pl.Expr":
    """The sum of the numbers in a cell: nginx lists the times of all servers that it tried.

    HAProxy writes -1 for a time that it has not measured.
    """
    import polars as pl

    numbers = (
        cell.str.replace_all(r"-[0-9.]+", "")
        .str.extract_all(r"[0-9]+(?:\.[0-9]+)?")
        .cast(pl.List(pl.Float64))
    )
    return pl.when(numbers.list.len() > 0).then(numbers.list.sum())


def listed(names: Sequence[str]) -> str:
    """The first names of columns, on one line."""
    shown = ", ".join(names[:20])
    return re.sub(r"\s+", " ", shown + (", ..." if len(names) > 20 else ""))


RATE_SHARE = 0.9
"""This quantile of a network's rates is taken for the bottleneck's, an assumption: most transfers
do not fill it, and the very fastest may be errors of measurement."""
ANYWHERE = "all peers"
"""The network of rows that name no peer."""
FORMAT = "server-log"
PARSED, JUDGED = 0.4, 0.65
"""Shares of the time that reading takes until rows are parsed, and until they are judged."""
NO_PACKETS = "not estimated: a server's log has no packets"
NO_RATES = "rates are not estimated here: a replay fits them to the durations"
NEVER_RATES = (
    "no rates follow from such durations: record packets, or give --network NAME:rate=RATE"
)
PARQUET = b"PAR1"


def is_table(file: str) -> bool:
    """Whether a file may be a table of rows, by its first bytes: Parquet, or lines of text."""
    start = sources.start_of(file)
    if start.startswith(PARQUET):
        return True
    first = start.split(b"\n")[0].lstrip()
    if first.startswith(b"#") or b"\0" in start or b'"qlog_' in start:
        return False
    if first.startswith(b"{"):
        return b'"id.orig_h"' not in start  # a Zeek conn.log's
    return any(mark in first for mark in b",;\t")


def is_log(capture: Capture) -> bool:
    """Whether a capture was read from such a log."""
    return capture.about.get("format") == FORMAT


def kind_of(capture: Capture) -> durations.Kind:
    """What the durations of a log measure."""
    return durations.KINDS[capture.about.get("durations", durations.UNKNOWN)]


def kind(file: str) -> str:
    """What a table is written in, in words."""
    return "Parquet" if sources.start_of(file).startswith(PARQUET) else "table of text"


def read(file: str, mapping: Mapping[str, str]) -> Capture:
    """Reads a log of transfers. Raises RequestError where columns or usable rows are missing."""
    with _plain(file) as path:
        with _naming(file, "header"):
            table = _scanned(file, path)
            names = table.collect_schema().names()
        columns = Columns.find(file, names, mapping)
        with _naming(file, "rows"):
            rows = table.select(columns.expressions()).collect(engine="streaming")
    sources.report(PARSED)
    rows, bad = _judged(_completed(rows))
    sources.report(JUDGED)
    if rows.is_empty():
        reasons = "; ".join(_counted(bad)) or "it has no rows"
        raise RequestError(f"{file} holds no transfers: {reasons}")
    plausibility.refuse_wrong_units(file, rows, columns.sources)
    warnings = columns.warnings + _counted(bad)
    rows, copies = plausibility.without_copies(rows)
    if short := plausibility.too_short(rows, columns.sources):
        columns = columns.without_rates()
    warnings += [*copies, *short, *plausibility.suspicions(rows, columns.sources)]
    return _capture(file, rows, warnings, columns)


@contextmanager
def _naming(file: str, part: str) -> Iterator[None]:
    """Makes an error of the library one that names the file and the part of it."""
    import polars as pl

    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        # Its text may quote any part of the file.
        found = "damaged Parquet" if kind(file) == "Parquet" else "no table"
        raise RequestError(
            f"{file} is {found}: its {part} cannot be read ({type(error).__name__})"
        ) from None


def _scanned(file: str, path: str) -> "pl.LazyFrame":
    """The table, its numbers of text as text: what they are is judged cell by cell."""
    import polars as pl

    with pathlib.Path(path).open("rb") as stream:
        start = stream.read(4096)
    if start.startswith(PARQUET):
        table = pl.scan_parquet(path, glob=False)
        sources.check_rows(file, table.select(pl.len()).collect().item())
        return table
    first = start.split(b"\n")[0]
    if first.lstrip().startswith(b"{"):
        literal = glob.escape(path)  # it has no option for that
        return pl.scan_ndjson(literal, infer_schema_length=1000, ignore_errors=True)
    separator = max(",;\t", key=lambda mark: first.count(mark.encode()))
    return pl.scan_csv(
        path, separator=separator, infer_schema=False, truncate_ragged_lines=True, glob=False
    )


@contextmanager
def _plain(file: str) -> Iterator[str]:
    """A file with the content within the allowance: itself, or for the time being an unpacked one.

    So memory does not grow with it.
    """
    with sources.opened(file) as stream:
        is_text = not stream.peek(len(PARQUET)).startswith(PARQUET)
        blocks = sources.lines(file, stream) if is_text else iter(lambda: stream.read(1 << 20), b"")
        if not sources.form(file):
            for _ in blocks if is_text else ():
                pass  # counted and measured
            yield file
            return
        # Without a name, so that nothing is left of it where the process is killed.
        with tempfile.TemporaryFile() as unpacked:
            unpacked.writelines(blocks)
            unpacked.flush()
            yield f"/dev/fd/{unpacked.fileno()}"


def _completed(rows: "pl.DataFrame") -> "pl.DataFrame":
    """Every column that a log may have; the duration and the start of the response alone.

    The time until its first byte, the backend's, is taken from both.
    """
    import polars as pl

    rows = rows.with_columns(
        pl.lit(None, pl.String if name in TEXTS else pl.Float64).alias(name)
        for name in UNITS
        if name not in rows.columns and name not in ("time", "end", "bytes")
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
        "the peer is no address": pl.col("network").is_null(),
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


def _capture(file: str, rows: "pl.DataFrame", warnings: list[str], columns: Columns) -> Capture:
    """The rows as connections, transfers and networks."""
    import polars as pl

    rows = rows.sort("time", maintain_order=True).with_row_index("row")
    if columns.has("connection"):
        # Each server counts its own connections, so that a number alone may mean several.
        ends = pl.struct("server", "peer", pl.coalesce("connection", pl.format("row {}", "row")))
        rows = rows.with_columns(stream=pl.col("row").min().over(ends).rank("dense") - 1)
    else:
        rows = rows.with_columns(stream=pl.col("row"))
    rows = rows.with_columns(pl.col("stream").cast(pl.UInt32), pl.col("bytes").cast(pl.UInt64))
    return Capture(
        files=(file,),
        connections=_connections(file, rows),
        transfers=rows.select(
            pl.col("stream").alias("connection"),
            pl.lit("s2c").alias("direction"),
            pl.col("time").alias("start"),
            "bytes",
            pl.col("duration").fill_null(0.0).alias("end_s"),
            pl.lit(None, pl.Float64).alias("acked_s"),
        ),
        groups=_groups(rows, columns),
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


def _connections(file: str, rows: "pl.DataFrame") -> "pl.DataFrame":
    """One row per connection, with all columns that captures have."""
    import polars as pl

    ends = (pl.col("time") + pl.col("duration").fill_null(0.0)).max()
    found = rows.group_by("stream", maintain_order=True).agg(
        pl.col("time").min().alias("start"),
        pl.col("peer").first().alias("client_ip"),
        pl.col("network").first(),
        pl.col("rtt").min().alias("rtt_s"),
        pl.col("bytes").sum().alias("s2c_bytes"),
        (ends - pl.col("time").min()).alias("end_s"),
    )
    version = pl.when(pl.col("client_ip").str.contains(":", literal=True)).then(6).otherwise(4)
    known = found.sort("stream").with_columns(
        pl.lit(file).alias("file"),
        version.cast(pl.UInt8).alias("ip_version"),
        # Only what was opened whole is served.
        pl.lit("complete").alias("handshake"),
        pl.lit("remote").alias("opener"),
        pl.lit("").alias("flags"),
        pl.lit(0, pl.UInt64).alias("copies"),
    )
    return all_columns(known)


def _groups(rows: "pl.DataFrame", columns: Columns) -> list[Group]:
    """The networks with what their rows imply for the paths to them, the largest first."""
    import polars as pl

    kind = durations.KINDS[columns.duration_kind]
    networks = rows.group_by("network").agg(
        pl.col("stream").n_unique().alias("connections"),
        pl.col("rtt").min().alias("min_rtt_s"),
        pl.col("bytes").sum(),
        pl.when(_positive("rate")).then("rate").quantile(RATE_SHARE, "nearest").alias("told"),
        _positive("duration").any().alias("timed"),
    )
    if kind.bounds_rates:
        least = least_rates(rows, by_connection=columns.has("connection"))
        networks = networks.join(least, on="network", how="left")
    networks = networks.sort("bytes", "network", descending=[True, False])
    return [_group(row, kind) for row in networks.iter_rows(named=True)]


def _group(row: Mapping[str, Any], kind: durations.Kind) -> Group:
    method = f"{RATE_SHARE:.0%} quantile of the rates in the log"
    if row["told"] is None:
        method = "not estimated: the log has neither rates nor durations"
        if row["timed"]:
            method = "not estimated yet: a replay fits it to the durations"
            if not kind.gives_rates:
                method = f"not estimated: the durations give no rate, since {kind.end}"
    return Group(
        network=row["network"],
        connections=row["connections"],
        min_rtt_s=row["min_rtt_s"],
        to_remote=dataclasses.replace(
            PathEstimate.unknown(row["bytes"], NO_PACKETS),
            rate_bps=row["told"],
            rate_method=method,
            rate_low_bps=None if row["told"] else row.get("least"),
        ),
        from_remote=PathEstimate.unknown(0, NO_PACKETS),
    )


def _notes(columns: Columns) -> list[str]:
    """What was assumed for want of columns."""
    notes = [
        "a server's log has no packets: windows, losses and buffers are not known",
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
