"""Which column of a server's log is what, and in which unit."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flowstart.errors import RequestError

if TYPE_CHECKING:
    import polars as pl

SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
BYTES = {"B": 1.0, "kB": 1e3, "MB": 1e6}
RATES = {"bps": 1.0, "kbps": 1e3, "Mbps": 1e6, "Gbps": 1e9, "Bps": 8.0}
UNITS = {"time": SECONDS, "end": SECONDS, "rtt": SECONDS, "duration": SECONDS, "bytes": BYTES,
         "rate": RATES, "peer": {}, "connection": {}}  # fmt: skip
"""What a log may tell, with the units of each: `time` is the start of a transfer, `end` its end."""
USUAL = {"time": "s", "end": "s", "bytes": "B"}
"""Units that need not be said: seconds since 1970, and bytes."""
KNOWN = {
    # nginx (ngx_http_core_module, ngx_http_log_module), which writes a row at the end.
    "msec": ("end", "s"),
    "time_iso8601": ("end", ""),
    "time_local": ("end", ""),
    "remote_addr": ("peer", ""),
    "bytes_sent": ("bytes", "B"),
    "body_bytes_sent": ("bytes", "B"),
    "tcpinfo_rtt": ("rtt", "us"),
    "request_time": ("duration", "s"),
    # Others' usual names.
    "ts": ("time", "s"),
    "timestamp": ("time", "s"),
    "client_ip": ("peer", ""),
}
"""Names of columns that are known, with their meaning and unit."""


@dataclass(frozen=True)
class Source:
    """The column that something is taken from."""

    column: str
    unit: str


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
        for name in names:
            what, unit = _by_name(name)
            if what and what not in sources:
                sources[what] = Source(name, unit)
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
        used = [
            f"{what} from {source.column}" + (f" ({source.unit})" if source.unit else "")
            for what, source in self.sources.items()
        ]
        notes = [f"columns used: {', '.join(used)}"]
        return notes + ([f"columns ignored: {listed(self.ignored)}"] if self.ignored else [])

    @property
    def warnings(self) -> list[str]:
        """The columns that would be used if their units were known."""
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
            if what in ("peer", "connection"):
                found.append(cell.cast(pl.String).alias(what))
            elif source.unit:
                number = cell.cast(pl.String).str.strip_chars().cast(pl.Float64, strict=False)
                found.append((number * UNITS[what][source.unit]).alias(what))
            else:
                found.append(_moment(cell.cast(pl.String)).alias(what))
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
    column, unit = text, ""
    if text not in names and ":" in text:
        column, _, unit = text.rpartition(":")
    if what not in UNITS:
        raise RequestError(f"--columns: `{what}` is none of {', '.join(UNITS)}")
    if column not in names:
        raise RequestError(
            f"--columns {what}={text}: {file} has no column `{column}`; there is {listed(names)}"
        )
    units = UNITS[what]
    if unit and unit not in units:
        known = f"it may be {', '.join(units)}" if units else "it has none"
        raise RequestError(f"--columns {what}={text}: the unit `{unit}` is not known; {known}")
    unit = unit or _by_name(column)[1] or _suffix(column, units) or USUAL.get(what, "")
    if units and not unit:
        first = next(iter(units))
        raise RequestError(
            f"--columns {what}={text}: its unit is not known; write {what}={column}:{first} "
            f"({', '.join(units)})"
        )
    return Source(column, unit)


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


def _moment(cell: "pl.Expr") -> "pl.Expr":
    """Seconds since 1970 of a number, of ISO 8601 or of nginx's `16/Nov/2026:10:00:00 +0100`."""
    import polars as pl

    def parsed(form: str) -> "pl.Expr":
        moment = cell.str.to_datetime(form, time_unit="us", time_zone="UTC", strict=False)
        return moment.dt.timestamp("us") / 1e6

    number = cell.cast(pl.Float64, strict=False)
    forms = ("%+", "%d/%b/%Y:%H:%M:%S %z")
    return pl.coalesce(number, *map(parsed, forms))


def listed(names: Sequence[str]) -> str:
    """The first names of columns, on one line."""
    shown = ", ".join(names[:20])
    return re.sub(r"\s+", " ", shown + (", ..." if len(names) > 20 else ""))
