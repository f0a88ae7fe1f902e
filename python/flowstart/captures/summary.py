"""The counts of the Jump Start study's trace computation, over connections and demands.

Which connections are valid, what their directions would have needed to go in one round trip, and
what the receivers' windows would have allowed: steps 1 to 8. (Liu, Allman, Jin, Wang: "Congestion
Control Without a Startup Phase", PFLDnet 2007.)
"""

from typing import TYPE_CHECKING, Any

from flowstart.captures.demands import directions, valid

if TYPE_CHECKING:
    import polars as pl

HANDSHAKES = ("complete", "refused", "syn-only", "half-open", "not seen")
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
        "by_handshake": {name: by.get(name, 0) for name in HANDSHAKES},
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
