"""What a capture measures of its senders, by address.

`docs/guides/captures.md` has methods and limits.

The facts are those of connections, as distributions. Fewer than `FEWEST` connections that show a
fact may be a chance.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flowstart import text
from flowstart.model.stack import WindowInUse
from flowstart.render.grid import Column, Grid

if TYPE_CHECKING:
    import polars as pl

FEWEST = 3
"""Connections that measure a fact of a sender."""
FACTS = ("initial_window", "growth", "pacing", "exit", "idle_restart", "cc")
"""Facts of a sender that connections show, in columns of these names."""


def senders(connections: "pl.DataFrame") -> "pl.DataFrame":
    """One row per address and direction that sends, those with most data first.

    A fact is the commonest value of the connections that show it, or their median; it is null below
    `FEWEST`. The congestion control is null as well where connections disagree. Columns named after
    a fact with `_count` are the connections that show it.
    """
    import polars as pl

    peers = {"c2s": ("client_ip", "server"), "s2c": ("server_ip", "client")}
    sides = [
        connections.lazy().select(
            pl.col(address).alias("address"),
            pl.lit(way).alias("direction"),
            pl.col(f"{way}_bytes").alias("bytes"),
            *(pl.col(f"{way}_{fact}").alias(fact) for fact in (*FACTS, "exit_window")),
            pl.col(f"{way}_window").alias("receive_window"),
            pl.col(f"{way}_widest_window").alias("widest_window"),
            pl.col(f"{peer}_wscale").alias("wscale"),
        )
        for way, (address, peer) in peers.items()
    ]
    rows = pl.concat(sides).filter(pl.col("bytes") > 0).group_by("address", "direction")
    by_bytes = ["bytes", "address", "direction"]
    measured = rows.agg(
        pl.len().alias("connections"),
        pl.col("bytes").sum(),
        *(pl.col(fact).count().alias(f"{fact}_count") for fact in FACTS),
        *_commonest("initial_window"),
        *_spread("initial_window"),
        pl.col("growth").median(),
        *_spread("growth"),
        (pl.col("pacing") > 0).mean().alias("paced_share"),
        pl.col("pacing").filter(pl.col("pacing") > 0).median(),
        *_commonest("exit"),
        pl.col("exit_window")
        .filter(pl.col("exit") == pl.col("exit").drop_nulls().mode().min())
        .median(),
        *_commonest("idle_restart"),
        *_commonest("cc"),
        pl.col("receive_window").median(),
        pl.col("widest_window").max(),
        pl.col("wscale").median(),
    )
    dependent = {
        "initial_window": ("initial_window", "initial_window_share"),
        "growth": ("growth",),
        "pacing": ("pacing", "paced_share"),
        "exit": ("exit", "exit_share", "exit_window"),
        "idle_restart": ("idle_restart", "idle_restart_share"),
        "cc": ("cc",),
    }
    decided = [
        pl.when(pl.col(f"{fact}_count") >= FEWEST).then(pl.col(name)).alias(name)
        for fact, names in dependent.items()
        for name in names
    ]
    agreed = pl.when(pl.col("cc_share") == 1).then("cc").alias("cc")
    ordered = measured.with_columns(decided).with_columns(agreed).drop("cc_share")
    return ordered.sort(by_bytes, descending=[True, False, False]).collect()


def _commonest(fact: str) -> tuple["pl.Expr", "pl.Expr"]:
    """The commonest value of a fact, of several the least, and its share of those measured."""
    import polars as pl

    value = pl.col(fact).drop_nulls().mode().min()
    return value.alias(fact), (pl.col(fact) == value).mean().alias(f"{fact}_share")


def _spread(fact: str) -> tuple["pl.Expr", "pl.Expr"]:
    import polars as pl

    # Of whole numbers a quantile is one of them.
    kind = pl.UInt32 if fact == "initial_window" else pl.Float64
    low, high = (pl.col(fact).quantile(p, "nearest").cast(kind) for p in (0.1, 0.9))
    return low.alias(f"{fact}_p10"), high.alias(f"{fact}_p90")


def initial_windows(connections: "pl.DataFrame", direction: str) -> dict[int, int]:
    """The initial windows of the senders of a direction, in segments, and the connections of each.

    The commonest is first. Senders with too few measured flights are left out.
    """
    return _counts(senders(connections), direction, "initial_window")


def windows_in_use(
    connections: "pl.DataFrame", direction: str, least: float
) -> tuple[WindowInUse, ...]:
    """The initial windows of at least this share of measured connections, the commonest first.

    Connections count one by one: servers behind one address may differ. Fewer than `FEWEST` may be
    a chance.
    """
    import polars as pl

    address = {"c2s": "client_ip", "s2c": "server_ip"}[direction]
    window = pl.col(f"{direction}_initial_window")
    known = connections.filter(window.is_not_null())
    counts = known.group_by(window.alias("window")).agg(
        pl.len().alias("count"), pl.col(address).unique().sort().alias("addresses")
    )
    enough = (pl.col("count") >= FEWEST) & (pl.col("count") >= least * known.height)
    rows = counts.filter(enough).sort("count", "window", descending=[True, False]).rows()
    return tuple(WindowInUse(n, count / known.height, tuple(at)) for n, count, at in rows)


def _counts(rows: "pl.DataFrame", direction: str, fact: str) -> dict[Any, int]:
    """The values of a fact and the connections that show it, the commonest first."""
    import polars as pl

    known = rows.filter((pl.col("direction") == direction) & pl.col(fact).is_not_null())
    counts = known.group_by(fact).agg(pl.col(f"{fact}_count").sum().alias("count"))
    ordered = counts.sort("count", fact, descending=[True, False])
    return dict(ordered.iter_rows())


@dataclass(frozen=True)
class SenderFacts:
    """What most connections show of the senders of a direction. None: too few show it."""

    initial_window: int | None = None
    """Segments."""
    paced: bool | None = None
    idle_restart: str | None = None
    cc: str | None = None

    @classmethod
    def of(cls, rows: "pl.DataFrame", direction: str) -> "SenderFacts":
        """The commonest value of each fact over the senders of a direction, of `senders`."""
        import polars as pl

        rows = rows.with_columns(
            paced=pl.col("paced_share") > 0.5, paced_count=pl.col("pacing_count")
        )
        facts = {
            fact: next(iter(_counts(rows, direction, fact)), None)
            for fact in ("initial_window", "paced", "idle_restart", "cc")
        }
        return cls(**facts)


def table(rows: "pl.DataFrame", most: int = 20) -> Grid:
    """Of `senders` those with most data of which something was measured."""
    import polars as pl

    known = rows.filter(
        pl.any_horizontal(pl.col(fact).is_not_null() for fact in (*FACTS, "paced_share"))
    )
    grid = Grid([Column("sender", number=False)])
    grid.columns += [Column(title) for title in ("conns", "IW", "growth")]
    titles = ("paced", "exit from slow start", "after idle", "cc")
    grid.columns += [Column(title, number=False) for title in titles]
    grid.columns.append(Column("peers' windows", spare=1))
    grid.rows = [_row(row) for row in known.head(most).iter_rows(named=True)]
    if len(known) > most:
        grid.title = f"The {most} senders with most data, of {len(known)}"
    return grid


def _row(row: Mapping[str, Any]) -> list[str]:
    """A sender's distributions in short form."""
    window, growth = row["initial_window"], row["growth"]
    return [
        row["address"],
        text.count(row["connections"]),
        _shared(window, row["initial_window_share"]),
        text.ABSENT if growth is None else f"{growth:.2g}",
        _paced(row),
        _exit(row),
        _shared(row["idle_restart"], row["idle_restart_share"]),
        row["cc"] or text.ABSENT,
        " to ".join(text.size(row[name]) for name in ("receive_window", "widest_window")),
    ]


def _shared(value: object, share: float | None) -> str:
    """A value, with its share unless all agree."""
    if value is None or share is None:
        return text.ABSENT
    return str(value) if share == 1 else f"{value} ({share:.0%})"


def _paced(row: Mapping[str, Any]) -> str:
    """Share of the connections, and the rate."""
    share = row["paced_share"]
    if share is None:
        return text.ABSENT
    return f"{share:.0%} at {row['pacing']:.1f}" if row["pacing"] else "no"


def _exit(row: Mapping[str, Any]) -> str:
    shown = _shared(row["exit"], row["exit_share"])
    window = row["exit_window"]
    return shown if window is None else f"{shown} at {text.size(window)}"
