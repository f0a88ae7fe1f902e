"""What a capture measures of its senders, by address.

The initial window of a connection's sender is its first flight, where more data waited for the
first ACK. Flights that the application, the receiver's window or a loss ended show none.
"""

from typing import TYPE_CHECKING

from flowstart import text
from flowstart.render.grid import Column, Grid

if TYPE_CHECKING:
    import polars as pl

FEWEST = 3
"""Flights that measure a sender's initial window. A single one may be a chance."""


def senders(connections: "pl.DataFrame") -> "pl.DataFrame":
    """One row per address that sends: its connections, and the initial windows measured.

    `initial_window` is the commonest, in segments, and `share` its share of those `measured`; both
    are null below `FEWEST`. `smallest` and `largest` are their p10 and p90.
    """
    import polars as pl

    sides = [
        connections.lazy().select(
            pl.col(address).alias("address"),
            pl.lit(way).alias("direction"),
            pl.col(f"{way}_bytes").alias("bytes"),
            pl.col(f"{way}_initial_window").alias("window"),
        )
        for way, address in (("c2s", "client_ip"), ("s2c", "server_ip"))
    ]
    window = pl.col("window")
    counts = pl.concat(sides).filter(pl.col("bytes") > 0)
    measured = counts.group_by("address", "direction").agg(
        pl.len().alias("connections"),
        pl.col("bytes").sum(),
        window.count().alias("measured"),
        window.drop_nulls().mode().min().alias("initial_window"),
        (window == window.drop_nulls().mode().min()).mean().alias("share"),
        window.quantile(0.1, "nearest").alias("smallest"),
        window.quantile(0.9, "nearest").alias("largest"),
    )
    enough = pl.col("measured") >= FEWEST
    decided = [
        pl.when(enough).then(pl.col(name)).alias(name) for name in ("initial_window", "share")
    ]
    by_bytes = ["bytes", "address", "direction"]
    return measured.with_columns(decided).sort(by_bytes, descending=[True, False, False]).collect()


def initial_windows(connections: "pl.DataFrame", direction: str) -> dict[int, int]:
    """The initial windows of the senders of a direction, in segments, and the connections of each.

    The commonest is first. Senders with too few measured flights are left out.
    """
    import polars as pl

    known = senders(connections).filter(
        (pl.col("direction") == direction) & pl.col("initial_window").is_not_null()
    )
    counts = known.group_by("initial_window").agg(pl.col("measured").sum())
    ordered = counts.sort("measured", "initial_window", descending=[True, False])
    return dict(ordered.iter_rows())


def table(connections: "pl.DataFrame", most: int = 20) -> Grid:
    """The senders with most data whose initial windows were measured."""
    import polars as pl

    known = senders(connections).filter(pl.col("initial_window").is_not_null())
    titles = ["connections", "initial window", "share", "p10 to p90", "measured"]
    grid = Grid([Column("sender", number=False), *(Column(title) for title in titles)])
    grid.rows = [
        [
            row["address"],
            text.count(row["connections"]),
            text.counted(row["initial_window"], "segment", "segments"),
            f"{row['share']:.0%}",
            f"{row['smallest']} to {row['largest']}",
            text.count(row["measured"]),
        ]
        for row in known.head(most).iter_rows(named=True)
    ]
    return grid
