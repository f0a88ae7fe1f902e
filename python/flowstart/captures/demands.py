"""What each direction of a connection would have needed to go in one round trip.

Steps 3 to 7 of the Jump Start study's trace computation. (Liu, Allman, Jin, Wang: "Congestion
Control Without a Startup Phase", PFLDnet 2007.)
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

LARGE_BYTES = 4380
"""A transfer is large above this: the initial window of RFC 3390 for Ethernet's segment size."""
RTT_FLOOR_S = 1e-4
"""A shorter round trip counts as this: a local connection's rate would be set by the clock."""
DEFAULT_MSS = {4: 536, 6: 1220}
"""Of a host that announced none, by IP version (RFC 9293, section 3.7.1)."""


def valid(connections: "pl.DataFrame") -> "pl.LazyFrame":
    """The connections that count: handshake seen whole, nothing missing by a log's own account."""
    import polars as pl

    whole = pl.col("handshake") == "complete"
    return connections.lazy().filter(
        whole & ~pl.col("flags").str.contains("not-valid", literal=True)
    )


def demands(connections: "pl.DataFrame") -> "pl.DataFrame":
    """One row per direction with data of every valid connection."""
    return directions(connections).sort("connection", maintain_order=True).collect()


def directions(connections: "pl.DataFrame") -> "pl.LazyFrame":
    """The same rows, those of all clients first; computed as far as their columns are asked for."""
    import polars as pl

    counted = valid(connections)
    return pl.concat([_direction(counted, "c2s", "server"), _direction(counted, "s2c", "client")])


def _direction(connections: "pl.LazyFrame", way: str, receiver: str) -> "pl.LazyFrame":
    import polars as pl

    size = pl.col(f"{way}_bytes")
    rtt = pl.max_horizontal(pl.col("rtt_s"), pl.lit(RTT_FLOOR_S))
    rtt = pl.when(pl.col("rtt_s").is_not_null()).then(rtt)

    def reduction(window: str) -> "pl.Expr":
        beyond = size.cast(pl.Int64) - pl.col(window).cast(pl.Int64)
        return pl.when(pl.col(window).is_not_null()).then(beyond.clip(lower_bound=0)) / rtt

    return connections.filter(size > 0).select(
        pl.col("stream").alias("connection"),
        pl.lit(way).alias("direction"),
        "start",
        size.alias("bytes"),
        "rtt_s",
        (size / rtt).alias("rate_bytes_per_s"),
        (size > LARGE_BYTES).alias("over"),
        (size > _initial_window()).alias("over_rfc3390"),
        pl.col(f"{receiver}_wscale").alias("wscale"),
        pl.col(f"{way}_window").alias("window"),
        pl.col(f"{way}_handshake_window").alias("handshake_window"),
        reduction(f"{way}_window").alias("reduction_bytes_per_s"),
        reduction(f"{way}_handshake_window").alias("handshake_reduction_bytes_per_s"),
        "flags",
    )


def _initial_window() -> "pl.Expr":
    """RFC 3390, equation (1), for the largest segment that both sides take."""
    import polars as pl

    default = pl.col("ip_version").replace_strict(DEFAULT_MSS, return_dtype=pl.UInt32)
    offers = [pl.col(f"{side}_mss").fill_null(default) for side in ("client", "server")]
    mss = pl.min_horizontal(offers)
    return pl.min_horizontal(4 * mss, pl.max_horizontal(2 * mss, pl.lit(4380, pl.UInt32)))
