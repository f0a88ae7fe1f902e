"""Demands of a capture's connections, and the counts of the Jump Start study's trace computation.

Which connections are valid, what their directions would have needed to go in one round trip, and
what the receivers' windows would have allowed: steps 1 to 8. (Liu, Allman, Jin, Wang: "Congestion
Control Without a Startup Phase", PFLDnet 2007.)
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl


LARGE_BYTES = 4380
"""A transfer is large above this: the initial window of RFC 3390 for Ethernet's segment size."""
RTT_FLOOR_S = 1e-4
"""A shorter round trip counts as this: a local connection's rate would be set by the clock."""
DEFAULT_MSS = {4: 536, 6: 1220}
"""Of a host that announced none, by IP version (RFC 9293, section 3.7.1)."""


def least_rtt_s() -> "pl.Expr":
    """The least round trip of the host at the far side of a connection.

    A handshake waits in queues like anything else; the least of a host's is its distance.
    """
    import polars as pl

    remote = pl.when(pl.col("opener") == "remote").then("client_ip").otherwise("server_ip")
    certain = pl.when(~pl.col("flags").str.contains("syn-ack-retransmitted")).then("rtt_s")
    return pl.coalesce(
        certain.min().over("network", remote), certain.min().over("network"), pl.col("rtt_s")
    )


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


HANDSHAKES = ("complete", "refused", "syn-only", "half-open", "not seen")
"""Of TCP; QUIC's are complete or incomplete."""
HEAVY_BYTES_PER_S = 1e6
"""A rate reduction counts as heavy above this."""
POLICY_CAP_BYTES_PER_S = 62_500.0
"""500 kbit/s: half a percent of the studied link."""
LINK_BYTES_PER_S = 12_500_000.0
"""100 Mbit/s: the whole of it."""
PERCENTILES = {"min": 0.0, "p10": 0.1, "p25": 0.25, "p50": 0.5, "p75": 0.75, "p90": 0.9, "max": 1.0}


def summary(connections: "pl.DataFrame") -> dict[str, Any]:
    """The counts over all connections of a capture.

    Of the demands there is one column in memory at a time.
    """
    import polars as pl

    complete = valid(connections).select("rtt_s", "syns", "syn_acks").collect()
    ways = directions(connections)
    over = ways.filter("over")
    sizes, rates = _column(ways, "bytes"), _column(over, "rate_bytes_per_s").drop_nulls()
    larger = int(_column(ways, "over").sum())
    by = dict(connections["handshake"].value_counts().iter_rows())
    return {
        "tcp_connections": len(connections),
        "by_handshake": dict.fromkeys(HANDSHAKES, 0) | by,
        "complete_with_more_than_one_syn": len(complete.filter(pl.col("syns") > 1)),
        "complete_with_more_than_one_syn_ack": len(complete.filter(pl.col("syn_acks") > 1)),
        "rtt_s": spread(complete["rtt_s"]),
        "directions_with_data": len(sizes),
        "bytes": {"sum": int(sizes.sum())} | spread(sizes),
        "over_4380_bytes": larger,
        "over_4380_share": _share(larger, len(sizes)),
        "over_rfc3390_initial_window": int(_column(ways, "over_rfc3390").sum()),
        "over_rate_bytes_per_s": {name: _rounded(rate, 1) for name, rate in spread(rates).items()},
        "over_above_500_kbit_per_s": int((rates > POLICY_CAP_BYTES_PER_S).sum()),
        "over_above_100_mbit_per_s": int((rates > LINK_BYTES_PER_S).sum()),
        "reduction_by_widest_window": _reduction(_column(over, "reduction_bytes_per_s")),
        "reduction_by_handshake_window": _reduction(
            _column(over, "handshake_reduction_bytes_per_s")
        ),
    }


def _column(rows: "pl.LazyFrame", name: str) -> "pl.Series":
    return rows.select(name).collect().to_series()


def flagged(connections: "pl.DataFrame") -> dict[str, int]:
    """How many connections bear each flag."""
    flags = connections["flags"].str.split(" ").explode()
    counts = flags.filter(flags != "").value_counts().sort("flags")
    return dict(counts.iter_rows())


def spread(values: "pl.Series") -> dict[str, Any]:
    """Percentiles: p of n values is number round(p (n - 1)) of the sorted list.

    A half goes to the even neighbour.
    """
    ordered = values.drop_nulls().sort()
    if ordered.is_empty():
        return dict.fromkeys(PERCENTILES)
    return {name: ordered[round(p * (len(ordered) - 1))] for name, p in PERCENTILES.items()}


def _reduction(losses: "pl.Series") -> dict[str, Any]:
    """What advertised windows take from the rates of the large directions."""
    known = losses.drop_nulls()
    untouched = int((known == 0).sum())
    heavy = int((known > HEAVY_BYTES_PER_S).sum())
    counts = {
        "not_reduced": untouched,
        "not_reduced_share_of_over": _share(untouched, len(known)),
        "above_1MB_per_s": heavy,
        "above_1MB_per_s_share_of_over": _share(heavy, len(known)),
        "above_1MB_per_s_share_of_reduced": _share(heavy, len(known) - untouched),
    }
    unknown = len(losses) - len(known)
    return counts | ({"window_unknown": unknown} if unknown else {})


def _share(part: int, whole: int) -> float | None:
    return _rounded(part / whole, 6) if whole else None


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)
