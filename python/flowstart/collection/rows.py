"""The program's rows as a table, with columns that readers of server logs know."""

import hashlib
import ipaddress
import socket
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from flowstart import _native
from flowstart.render.columns import types

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

FULL_PIPE, HYSTART = "full-pipe", "hystart"
NO_LOSS = {"cubic": HYSTART, "bbr": FULL_PIPE}
"""What ends slow start without a loss, by congestion control."""


def table(block: bytes, key: str | None = None) -> "pl.DataFrame":
    """The rows of a block in the order in which they ended.

    `key` is that of the hash in place of networks.
    """
    import numpy as np
    import polars as pl

    rows = np.frombuffer(block, np.dtype(_native.COLLECTED))
    since_boot_us = (time.time_ns() - time.monotonic_ns()) // 1000
    data = {
        "time": (rows["start_us"] + since_boot_us) / 1e6,
        "peer": _peers(rows, key),
        **{name: rows[name] for name in ("port", "connection", "bytes")},
        "acked_us": rows["end_us"] - rows["start_us"],
        "rtt_us": rows["min_rtt_us"],
        **{name: rows[name] for name in ("handshake_rtt_us", "srtt_us", "rttvar_us")},
        "data_packets": rows["packets"],
        "retransmitted_packets": rows["retransmissions"],
        "mss": rows["mss"],
        "initial_window_segments": rows["initial_window"],
        "cwnd": rows["cwnd"],
        "handshake_window": rows["handshake_window"],
        "widest_window": rows["widest_window"],
        "congestion_control": _texts(rows["cc"], lambda name: name.decode()),
        "startup_exit_reason": _texts(rows["exit"], _native.COLLECTED_EXITS.__getitem__),
        "startup_exit_cwnd_segments": rows["exit_cwnd"],
        "startup_exit_us": rows["exit_us"] - rows["start_us"],
        **{name: rows[name] for name in ("busy_us", "rwnd_limited_us", "sndbuf_limited_us")},
        "delivery_rate_bps": 8 * rows["delivery_rate"],
    }
    frame = pl.DataFrame(data).with_columns(server=pl.lit(socket.gethostname()))
    has_exit, reason = pl.col("startup_exit_reason") != "", pl.col("startup_exit_reason")
    control = pl.col("congestion_control")
    return frame.with_columns(
        pl.when(pl.lit(pl.Series(rows["end_us"] > 0))).then("acked_us").alias("acked_us"),
        pl.when(pl.col("delivery_rate_bps") > 0).then("delivery_rate_bps"),
        pl.when(reason == "no-loss")
        .then(control.replace_strict(NO_LOSS, default=reason))
        .when(has_exit)
        .then(reason)
        .alias("startup_exit_reason"),
        # HyStart sets ssthresh to the window; by the next ACK that has grown.
        pl.when((reason == "no-loss") & (control == "cubic"))
        .then(pl.lit(pl.Series(rows["exit_ssthresh"])))
        .when(has_exit)
        .then("startup_exit_cwnd_segments")
        .alias("startup_exit_cwnd_segments"),
        pl.when(has_exit).then("startup_exit_us").alias("startup_exit_us"),
    ).select(pl.col(name).cast(kind) for name, kind in types("collected-rows").items())


def _texts(cells: "np.ndarray", text: Callable[[Any], str]) -> "pl.Series":
    """The text of each cell; of equal ones it is made once."""
    import numpy as np
    import polars as pl

    different, places = np.unique(cells, return_inverse=True)
    return pl.Series([text(cell) for cell in different], dtype=pl.String).gather(places)


def _peers(rows: "np.ndarray", key: str | None) -> "pl.Series":
    """The network of each row's peer as an address of it."""
    # The low bits of a network are free.
    return _texts(
        rows["network"] | rows["family"],
        lambda cell: _network(int(cell) & 7, int(cell) >> 16 << 16, key),
    )


def _network(family: int, network: int, key: str | None) -> str:
    """The first address of a /24 or /48; with a key one of a /48 that is hashed from it."""
    if key is not None:
        text = f"{family} {network}".encode()
        digest = hashlib.blake2b(text, digest_size=5, key=key.encode()[:64]).digest()
        return str(ipaddress.IPv6Address(b"\xfd" + digest + bytes(10)))
    if family == 4:
        return str(ipaddress.IPv4Address(network >> 32))
    return str(ipaddress.IPv6Address(network << 64))
