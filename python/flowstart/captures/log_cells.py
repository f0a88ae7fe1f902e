"""What the cells of a server log say: moments, times of several servers, addresses."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

WITH_ZONE = ("%Y-%m-%dT%H:%M:%S%.f%#z", "%Y-%m-%dT%H:%M%#z", "%Y%m%dT%H%M%S%.f%#z",
             "%d/%b/%Y:%H:%M:%S%.f %#z")  # fmt: skip
"""ISO 8601, and nginx's and Apache's `16/Nov/2026:10:00:00 +0100`."""
WITHOUT_ZONE = ("%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M", "%d/%b/%Y:%H:%M:%S%.f")
"""The same, and HAProxy's `06/Feb/2009:12:14:14.655`, which is of the server's zone."""
ABSENT = ("", "-", "(empty)")
"""What servers write where they have no value."""


def moment(cell: "pl.Expr", factor: float) -> "pl.Expr":
    """Seconds since 1970 of a number in a unit, or of a date; without a zone it is of UTC."""
    import polars as pl

    number = cell.str.strip_chars().cast(pl.Float64, strict=False) * factor
    return pl.coalesce(number, *(_parsed(_date(cell), form) for form in WITH_ZONE), zoneless(cell))


def zoneless(cell: "pl.Expr") -> "pl.Expr":
    """The same of a date that names no zone; null for others."""
    import polars as pl

    return pl.coalesce(*(_parsed(_date(cell), form) for form in WITHOUT_ZONE))


def _date(cell: "pl.Expr") -> "pl.Expr":
    """A date in the one spelling of its form: ISO 8601 permits several, and logs add brackets."""
    plain = cell.str.strip_chars(" []\"'").str.to_uppercase().str.replace(",", ".", literal=True)
    dated = plain.str.replace(r"^(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d:)", "$1-$2-${3}T$4")
    # Days come with or without blanks before the zone.
    return (
        dated.str.replace(r" ?(?:Z|UTC|GMT)$", "+0000")
        .str.replace(r"^(\d{4}-?\d\d-?\d\dT.*?) ([+-]\d\d:?\d\d)$", "$1$2")
        .str.replace(r"^(\d\d/\w+/.*\d)([+-]\d{4})$", "$1 $2")
    )


def _parsed(cell: "pl.Expr", form: str) -> "pl.Expr":
    moment = cell.str.to_datetime(form, time_unit="us", time_zone="UTC", strict=False)
    return moment.dt.timestamp("us") / 1e6


def added(cell: "pl.Expr") -> "pl.Expr":
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


UNITS_S = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0}


def spelled(cell: "pl.Expr") -> "pl.Expr":
    """Seconds of a time that is written with its unit, as Go writes it: 310ms, 1.5s."""
    import polars as pl

    form = r"^([0-9]+(?:\.[0-9]+)?)(ns|us|µs|ms|s)$"
    plain = cell.str.strip_chars()
    unit = plain.str.extract(form, 2).replace_strict(UNITS_S, default=None, return_dtype=pl.Float64)
    return plain.str.extract(form, 1).cast(pl.Float64, strict=False) * unit


def address(cell: "pl.Expr") -> "pl.Expr":
    """An address without port, brackets and zone; the first of those that proxies list."""
    import polars as pl

    first = cell.str.split(",").list.first().str.strip_chars(" \"'")
    plain = pl.coalesce(
        first.str.extract(r"^\[([^\]]*)\](?::\d+)?$"),
        first.str.extract(r"^([\d.]+):\d+$"),
        first,
    )
    plain = plain.str.replace(r"%.*$", "").str.replace(r"(?i)^::ffff:([\d.]+)$", "$1")
    return pl.when(~plain.is_in(ABSENT)).then(plain)
