"""What is wrong with a server log whose cells can all be read: units, copies, merged servers.

Each check is a line with the remedy. Where the meaning of a log depends on it, the log is refused.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from flowstart import text
from flowstart.captures.durations import KINDS
from flowstart.captures.units import UNITS, Doubt, SourceColumn
from flowstart.errors import RequestError

if TYPE_CHECKING:
    import polars as pl

LATEST_S = 1e10
"""Later times, after the year 2286, are of another unit. Seconds since 1970"""
EPOCH_S = 1e8, LATEST_S
"""Times since 1970 in the right unit."""
RTT_S = 1e-4, 3.0
"""A median RTT outside of this has another unit: below are hosts of one data centre, above is more
than a path over two geostationary satellites."""
DURATION_S = 0.0, 60.0
"""A longer median is that of long polls, or of another unit; short ones end in the send buffer."""
SHORT, MOST_SHORT = 0.9, 0.5
"""Durations below this share of their lower limit are too short; limit of the share of such rows.
The minimum RTT is that of the network, not of the row."""
MOST_COPIES = 0.01
"""A larger share of equal rows is copies, where rows have RTTs or connections: a few responses do
end in the same millisecond."""
MOST_EQUAL = 0.4
"""The same for other rows: a busy proxy fetches a file several times in a second or millisecond."""
ZONELESS = " zoneless"
"""Ends the names of columns that mark times without a zone."""
TOO_HIGH, LEAST_FACTOR = 1000, 8
"""A rate of so many times what was sent, in every network, probably has another unit. The smallest
factor between units of rates; a rate that is less below what passed has another fault."""
HIGH = 100
"""From so many times on a rate may be wrong. An assumption: a window of ten segments lets responses
of 10 kB send at a hundredth of 100 Mbit/s over 100 ms, and of all networks hardly any has only
such responses."""
IDENTITY = ("time", "bytes", "peer", "server", "connection", "duration", "rtt")
"""What is equal in a copy of a row."""


def refuse_wrong_units(
    file: str, rows: "pl.DataFrame", sources: Mapping[str, SourceColumn]
) -> None:
    """Raises RequestError where times or RTTs can only be of another unit than was taken."""
    time = "time" if "time" in sources else "end"
    for what, values, limits in ((time, rows["time"], EPOCH_S), ("rtt", rows["rtt"], RTT_S)):
        middle = _median(values)
        if middle is not None and middle > limits[1]:
            source = sources[what]
            unit = _fitting(middle, source, limits, UNITS[what])
            raise RequestError(
                f"{file}: the median of {_named(what, source)} is {middle:.3g} s; its unit is "
                f"another: --columns {source.meaning(what, unit)}"
            )


def _named(what: str, source: SourceColumn) -> str:
    """What a log has, and the column that it is from where that has another name."""
    return source.text if source.column == what else f"{what} from {source.text}"


def _median(values: "pl.Series") -> float | None:
    middle = values.median()
    return middle if isinstance(middle, float) else None


def _fitting(
    middle: float, source: SourceColumn, limits: tuple[float, float], units: Mapping[str, float]
) -> str:
    """The largest unit with which a median is plausible; the smallest where none is."""
    number = middle / units[source.unit or "s"]
    plausible = (name for name, unit in units.items() if limits[0] <= number * unit <= limits[1])
    return next(plausible, min(units, key=lambda name: units[name]))


def suspicions(rows: "pl.DataFrame", sources: Mapping[str, SourceColumn]) -> Iterator[str]:
    """Lines on what is probably wrong besides units, with the remedy."""
    if any(rows[name].any() for name in rows.columns if name.endswith(ZONELESS)):
        yield "times without a zone are read as UTC: write one, such as 2026-11-16T10:00:00+01:00"
    if "connection" in sources and "server" not in sources:
        yield from _shared_numbers(rows)


def improbable_units(rows: "pl.DataFrame", sources: Mapping[str, SourceColumn]) -> Iterator[Doubt]:
    """RTTs and durations that probably have another unit."""
    for what, limits in (("rtt", RTT_S), ("duration", DURATION_S)):
        middle = _median(rows[what])
        if middle is not None and not limits[0] <= middle <= limits[1]:
            source = sources[what]
            unit = _fitting(middle, source, limits, UNITS[what])
            yield Doubt(
                f"the median of {_named(what, source)} is {text.seconds(middle)}: its unit may be "
                "another",
                source.meaning(what, unit),
            )


def with_possible_rates(
    paths: "pl.DataFrame", sources: Mapping[str, SourceColumn]
) -> tuple["pl.DataFrame", list[Doubt]]:
    """The networks without rates (`told`) below what has passed, and the doubt.

    Rates of `HIGH` times what was sent in a duration (`sent`) are doubtful too, but kept.
    """
    import polars as pl

    known = paths.drop_nulls("told")
    is_low = (pl.col("told") < pl.col("passed")).fill_null(value=False)
    low = known.filter(is_low)
    too_high, high = (known.filter(pl.col("told") >= n * pl.col("sent")) for n in (TOO_HIGH, HIGH))
    if low.height:
        where = f"{low.height} of {text.counted(known.height, 'network', 'networks')}"
        what = f"below what passed in {where} and not used there ({_example(low, 'passed')})"
        paths = paths.with_columns(told=pl.when(~is_low).then("told"))
        ratio = (low["passed"] / low["told"]).max()
        least = 1 if low["acked"].null_count() else LEAST_FACTOR
        return paths, [_rate_doubt(what, ratio, sources["rate"], least)]
    if known.height and too_high.height == known.height:
        what = f"at least {TOO_HIGH} times what passed ({_example(high, 'sent')})"
        return paths, [_rate_doubt(what, (high["sent"] / high["told"]).max(), sources["rate"])]
    if known.height and high.height == known.height:
        line = f"{_named('rate', sources['rate'])} is at least {HIGH} times what passed"
        return paths, [
            Doubt(f"{line} ({_example(high, 'sent')}): used, but its unit may be another")
        ]
    return paths, []


def _example(paths: "pl.DataFrame", passed: str) -> str:
    """The first network's rate next to what passed there."""
    path = paths.row(0, named=True)
    return f"{path['network']}: {text.rate(path['told'])}, passed {text.rate(path[passed])}"


def _rate_doubt(what: str, ratio: Any, source: SourceColumn, least: float = 0) -> Doubt:
    """The doubt, with the smallest unit with which no rate is below what has passed.

    `ratio` is the largest of what passed to a rate; below `least` it is no matter of a unit.
    """
    line = f"{_named('rate', source)} is {what}"
    if ratio < least:
        return Doubt(line)
    units = UNITS["rate"]
    possible = [name for name in units if units[name] >= ratio * units[source.unit]]
    unit = min(possible, key=lambda name: units[name], default="Gbps")
    return Doubt(f"{line}: its unit may be another", source.meaning("rate", unit))


def _shared_numbers(rows: "pl.DataFrame") -> Iterator[str]:
    import polars as pl

    peers = rows.drop_nulls("connection").group_by("connection").agg(pl.col("peer").n_unique())
    shared = (peers["peer"] > 1).sum()
    if shared:
        yield (
            f"{shared} connection {'numbers have' if shared > 1 else 'number has'} several peers, "
            "as in logs of several servers: "
            "a connection is a number with its peer; where a column has the server, add "
            "--columns server=COLUMN"
        )


def without_copies(rows: "pl.DataFrame") -> tuple["pl.DataFrame", list[str]]:
    """The rows without exact copies of others, where these are too many for chance; and a line."""
    import polars as pl

    known = [name for name in IDENTITY if rows[name].null_count() < rows.height]
    copies = rows.height - rows.select(pl.struct(known).hash().n_unique()).item()
    whole_seconds = rows.select((pl.col("time") == pl.col("time").round()).all()).item()
    certain = not whole_seconds and not {"rtt", "connection"}.isdisjoint(known)
    if copies <= (MOST_COPIES if certain else MOST_EQUAL) * rows.height:
        return rows, []
    line = f"{copies} of {rows.height} rows are copies of others (equal {', '.join(known)})"
    if not certain:
        return rows, [f"{line}: if a file was merged twice, remove them, such as with sort -u"]
    return rows.unique(known, keep="first", maintain_order=True), [f"{line}: they were left out"]


def too_short(rows: "pl.DataFrame", sources: Mapping[str, SourceColumn]) -> list[Doubt]:
    """The doubt where most durations are shorter than what they would span."""
    import polars as pl

    if "duration" not in sources or not KINDS[sources["duration"].kind].gives_rates:
        return []
    source = sources["duration"]
    kind = KINDS[source.kind]
    least = (1 + min(kind.spans)) * pl.col("rtt").min().over("network")
    share = rows.select((pl.col("duration") < SHORT * least).mean()).item()
    if share is None or share <= MOST_SHORT:
        return []
    larger = {"ns": "us", "us": "ms"}.get(source.unit, "s")
    remedy = source.meaning("duration", larger)
    if larger == source.unit:
        remedy = f"duration={source.column}:{source.unit}:written"
    line = (
        f"{share:.0%} of the durations in {source.text} are shorter than it takes until "
        f"{kind.end}: no rates follow from them; their unit or end may be another"
    )
    return [Doubt(line, remedy)]
