"""Bounds of a path's rate from below, by what has passed in the durations of a server's log.

Where a duration ends when the client has the data, all of it has passed. Where it ends in the
socket's send buffer, it bounds no rate from above: whatever the path's rate, the sender may have
been limited by its window. From below there are two bounds: data that cannot be in the buffer have
been acknowledged, and a window that was in use has been carried.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

CLOCK_S, WHOLE_S = 0.001, 1.0
"""The resolution of times in logs, and of those in whole seconds, such as Apache's `%T`."""
GROWTH = 3
"""The send buffer has room for at most so many windows: CUBIC 2, BBR 3 (`tcp_sndbuf_expand`)."""
SEGMENT, TRUESIZE = 1448, 2304
"""Payload of a segment, and the memory that Linux counts for one. Bytes"""
LEAST_SEGMENT = 1200
"""Payload of a segment in tunnels. Bytes"""
LARGEST_IW = 32
"""Initial windows up to this are allowed for. Segments"""
FIXED = 128 << 10
"""What a buffer holds however small the window: `tcp_wmem`'s default, and one segment of GSO, 64 kB
each. Bytes"""
EMPTIED_S = 60.0
"""A send buffer is taken to be empty after a minute; 4 MiB, its usual maximum, take that long at
0.6 Mbit/s (`tcp_wmem`)."""

FACTOR = GROWTH * TRUESIZE / SEGMENT
"""Bytes in the buffer for each byte of the window."""
LEAST_RESPONSE = FIXED + FACTOR * LARGEST_IW * SEGMENT
"""A buffer holds any response that is smaller. Bytes"""


def least_rates(rows: "pl.DataFrame", *, by_connection: bool) -> "pl.DataFrame":
    """The bound `least` of each `network`, in bits a second; null where its rows give none.

    Rows are in order of time. A buffer that the server fixed (SO_SNDBUF) may be larger; none is
    assumed. Without connections in the log, what they sent before is not known.
    """
    import polars as pl

    bounds = [rows.group_by("network").agg(least=_by_window())]
    if by_connection:
        large = rows.filter(pl.col("bytes") > LEAST_RESPONSE).select("stream").unique()
        mine = rows.join(large, on="stream", how="semi", maintain_order="left")
        bounds.append(mine.select("network", least=_by_buffer()))
    return pl.concat(bounds).group_by("network").agg(pl.col("least").max())


def passed_rate() -> "pl.Expr":
    """What has passed in a row's duration, which ends when the client has the data."""
    import polars as pl

    return pl.when(_possible()).then(8.0 * pl.col("bytes") / (pl.col("duration") + _clock_s()))


def carried_rates(rows: "pl.DataFrame") -> "pl.DataFrame":
    """By `network`, `carried`: a peer's bytes over the time of its rows and `EMPTIED_S`.

    It holds wherever a duration ends.
    """
    import polars as pl

    time = pl.col("time")
    ends = (time + pl.col("duration").fill_null(0.0)).max()
    rate = 8.0 * pl.col("bytes").sum() / (ends - time.min() + EMPTIED_S)
    peers = rows.drop_nulls("peer").group_by("network", "peer").agg(carried=rate)
    return peers.group_by("network").agg(pl.col("carried").max())


def _by_buffer() -> "pl.Expr":
    """Bytes that cannot be in the buffer, over the duration.

    The buffer grows with the window, and the window by at most what was acknowledged, also of
    earlier responses on the connection. Responses at the same time are left out.
    """
    import polars as pl

    clock_s = _clock_s()
    size, end = pl.col("bytes").cast(pl.Float64), pl.col("time") + pl.col("duration")
    before = size.cum_sum().over("stream") - size
    last = end.cum_max().shift(1).over("stream").fill_null(0.0)
    following = pl.col("time").shift(-1).over("stream").fill_null(float("inf"))
    alone = (pl.col("time") >= last - clock_s) & (following >= end - clock_s)
    acked = (size - LEAST_RESPONSE - FACTOR * before) / (1 + FACTOR)
    rate = 8.0 * acked / (pl.col("duration") + clock_s)
    return pl.when(alone & _possible() & (acked > 0)).then(rate)


def _clock_s() -> "pl.Expr":
    """The resolution of the log's times."""
    import polars as pl

    times = pl.col("time", "duration")
    whole_s = pl.any_horizontal((times == times.round()).all())
    return pl.when(whole_s).then(WHOLE_S).otherwise(CLOCK_S)


def _possible() -> "pl.Expr":
    """Whether something may be acknowledged in a duration; a shorter one has another unit."""
    import polars as pl

    return (pl.col("duration") >= pl.col("rtt")).fill_null(value=True)


def _by_window() -> "pl.Expr":
    """Half of the largest window in the longest round trip, of the rows of a network.

    Slow start doubles a window after a round trip in which the former one was acknowledged, so half
    of it has been carried if the response was larger. The round trip is bounded as in RFC 6298,
    section 2.3, by SRTT + 4 RTTVAR.
    """
    import polars as pl

    rtt, window = pl.col("rtt"), pl.col("cwnd")
    longest = (rtt + 4 * pl.col("rttvar").fill_null(rtt / 2)).max()
    used = (pl.col("bytes") >= window * SEGMENT) & (pl.col("duration") >= rtt)
    return 8.0 * LEAST_SEGMENT * window.filter(used).max() / 2 / longest
