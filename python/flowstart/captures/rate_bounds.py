"""Bounds of a path's rate from below, where durations end in the socket's send buffer.

Such a duration bounds no rate from above: whatever the path's rate, the sender may have been
limited by its window. From below there are two bounds: data that cannot be in the buffer have been
acknowledged, and a window that was in use has been carried.
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


def _by_buffer() -> "pl.Expr":
    """Bytes that cannot be in the buffer, over the duration.

    The buffer grows with the window, and the window by at most what was acknowledged, also of
    earlier responses on the connection. Responses at the same time are left out.
    """
    import polars as pl

    times = pl.col("time", "duration")
    whole_s = pl.any_horizontal((times == times.round()).all())
    clock_s = pl.when(whole_s).then(WHOLE_S).otherwise(CLOCK_S)
    size, end = pl.col("bytes").cast(pl.Float64), pl.col("time") + pl.col("duration")
    before = size.cum_sum().over("stream") - size
    last = end.cum_max().shift(1).over("stream").fill_null(0.0)
    following = pl.col("time").shift(-1).over("stream").fill_null(float("inf"))
    alone = (pl.col("time") >= last - clock_s) & (following >= end - clock_s)
    acked = (size - LEAST_RESPONSE - FACTOR * before) / (1 + FACTOR)
    # Nothing is acknowledged within a round trip; such a duration is of another unit.
    possible = (pl.col("duration") >= pl.col("rtt")).fill_null(value=True)
    rate = 8.0 * acked / (pl.col("duration") + clock_s)
    return pl.when(alone & possible & (acked > 0)).then(rate)


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
