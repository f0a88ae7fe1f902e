"""What the columns of a server log are: by their names, by the server, or by `--columns`."""

import dataclasses
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flowstart.captures import durations, log_cells
from flowstart.captures.log_formats import W3C_OTHER, LogFormat
from flowstart.captures.plausibility import ZONELESS
from flowstart.captures.units import TEXTS, UNITS, USUAL, Doubt, SourceColumn
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
    # flowstart collect.
    "acked_us": ("duration", "us"),
    # Others' usual names.
    "ts": ("time", "s"),
    "timestamp": ("time", "s"),
    "client_ip": ("peer", ""),
    # Elastic Common Schema (ECS field reference), nested or with points in the names.
    "@timestamp": ("end", "s"),
    "source.ip": ("peer", ""),
    "client.ip": ("peer", ""),
    "source.address": ("peer", ""),
    "http.response.bytes": ("bytes", "B"),
    "http.response.body.bytes": ("bytes", "B"),
    "event.duration": ("duration", "ns"),
}
"""Names of columns that are known, with their meaning and unit; of two for the same, the earlier
in this list is taken."""


@dataclass(frozen=True)
class Columns:
    """The columns of a log that are used, by what they tell."""

    sources: Mapping[str, SourceColumn]
    ignored: tuple[str, ...] = ()
    """The columns that nothing is taken from."""

    @classmethod
    def find(
        cls, file: str, names: Sequence[str], mapping: Mapping[str, str], form: LogFormat
    ) -> "Columns":
        """By a mapping (`{"rtt": "tcpinfo_rtt:us"}`), and by their names what it leaves out."""
        sources = {what: _mapped(file, what, text, names, form) for what, text in mapping.items()}
        order = {name: index for index, name in enumerate((*form.columns, *KNOWN))}
        for name in sorted(names, key=lambda name: order.get(name, len(order))):
            what, unit = _by_name(name, form)
            if what and what not in sources:
                sources[what] = SourceColumn(name, unit, _kind(name, form))
        of_known = durations.TIME_TAKEN in names and form != W3C_OTHER
        if of_known and "duration" not in sources:
            sources["duration"] = _time_taken(names)
        if "end" in mapping:
            sources.pop("time", None)
        missing = "bytes" if "bytes" not in sources else None
        if missing is None and not {"time", "end"} & set(sources):
            missing = "time"
        if not names:
            raise RequestError(f"{file} is not a table: its header cannot be read")
        if missing and not sources:
            # It need not be a log: its first line is not for everybody to see.
            raise RequestError(
                f"{file}: none of its {len(names)} columns is known; if it is a log of transfers, "
                "name them, such as --columns time=COLUMN,bytes=COLUMN"
            )
        if missing:
            raise RequestError(
                f"{file}: no column is known to be `{missing}`; {_remedy(missing, names, form)}; "
                f"there is {listed(names)}"
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
        """The duration that would give rates if its kind were known."""
        duration = self.sources.get("duration")
        if duration is None or self.has("rate") or duration.kind != durations.UNKNOWN:
            return []
        return [_without_kind(duration)]

    @property
    def without_unit(self) -> list[Doubt]:
        """The columns that would be used if their units were known."""
        return [
            Doubt(
                f"column `{name}` is ignored: its unit is not known",
                f"{name}={name}:{next(iter(UNITS[name]))}",
                ", ".join(UNITS[name]),
            )
            for name in self.ignored
            if UNITS.get(name) and name not in USUAL and name not in self.sources
        ]

    def has(self, what: str) -> bool:
        """Whether the log tells this."""
        return what in self.sources

    def expressions(self) -> "list[pl.Expr]":
        """What is told, in seconds, bytes and bits a second; null where a cell is none."""
        import polars as pl

        expressions = []
        for what, source in self.sources.items():
            cell = pl.col(source.column).cast(pl.String)
            factor = UNITS[what].get(source.unit or "s", 1.0)
            if what in ("time", "end"):
                expressions.append(log_cells.moment(cell, factor).alias(what))
                expressions.append(
                    log_cells.zoneless(cell).is_not_null().alias(f"{what}{ZONELESS}")
                )
                continue
            number = cell.str.strip_chars().cast(pl.Float64, strict=False)
            if what == "peer":
                known = log_cells.address(cell)
            elif what in TEXTS:
                known = cell
            else:
                known = (log_cells.added(cell) if what == "backend" else number) * factor
            if what in ("duration", "rtt"):
                known = pl.coalesce(known, log_cells.spelled(cell))
            expressions.append(known.alias(what))
        return expressions


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


def _mapped(file: str, what: str, text: str, names: Sequence[str], form: LogFormat) -> SourceColumn:
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
    unit = unit or _by_name(column, form)[1] or _suffix(column, units) or USUAL.get(what, "")
    if units and not unit:
        first = next(iter(units))
        raise RequestError(
            f"--columns {what}={text}: its unit is not known; write {what}={column}:{first} "
            f"({', '.join(units)})"
        )
    named = kind != durations.UNKNOWN
    return SourceColumn(column, unit, kind if named else _kind(column, form))


def _kind(column: str, form: LogFormat) -> str:
    """The kind of the durations in a column."""
    return form.durations if column in form.columns else durations.of_column(column)


LIKELY = {"bytes": "byte|size|length", "time": "time|date|stamp|^ts$"}
"""The names of columns that probably are what is needed."""


def _remedy(what: str, names: Sequence[str], form: LogFormat) -> str:
    """What to do where a log has no known column with what is needed."""
    if what in form.missing:
        return form.missing[what]
    likely = (name for name in names if re.search(LIKELY[what], name, re.IGNORECASE))
    return f"name it, such as --columns {what}={next(likely, 'COLUMN')}"


def _time_taken(names: Sequence[str]) -> SourceColumn:
    """The duration of IIS or CloudFront."""
    edge = any(name.startswith(durations.EDGE) for name in names)
    unit, kind = ("s", "written") if edge else ("ms", "acked")
    return SourceColumn(durations.TIME_TAKEN, unit, kind)


def _without_kind(source: SourceColumn) -> str:
    """A warning of durations whose end is not known."""
    written = f"--columns duration={source.column}:{source.unit}"
    kinds = "; ".join(f"{name}: {durations.KINDS[name].end}" for name in durations.NAMED)
    return (
        f"no rates follow from the durations in `{source.column}`: their end is not known; name "
        f"it, such as {written}:{durations.NAMED[0]} ({kinds})"
    )


def _by_name(name: str, form: LogFormat) -> tuple[str | None, str]:
    """What a column's name says that it is, and the unit; None where it says nothing."""
    if known := form.columns.get(name) or KNOWN.get(name):
        return known
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


def listed(names: Sequence[str]) -> str:
    """The first names of columns, on one line."""
    shown = ", ".join(names[:20])
    return re.sub(r"\s+", " ", shown + (", ..." if len(names) > 20 else ""))
