"""Columns of the reader in Rust as polars frames."""

import ipaddress
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from flowstart._native import CaptureColumns


def frame(columns: "CaptureColumns") -> "pl.DataFrame":
    """The columns as a frame, emptied meanwhile so that nothing is in memory twice.

    NaN and the largest number of an integer type stand for no value.
    """
    import polars as pl

    series = []
    for name in list(columns):
        cells = columns.pop(name)
        series.append(_words(name, *cells) if isinstance(cells, tuple) else _numbers(name, cells))
    return pl.DataFrame(series)


def _numbers(name: str, cells: "NDArray[Any]") -> "pl.Series":
    import numpy as np
    import polars as pl

    series = pl.Series(name, cells)
    if series.dtype.is_float():
        return series.fill_nan(None)
    absent = series == np.iinfo(cells.dtype).max
    return series.set(absent, None) if absent.any() else series


def _words(name: str, numbers: "NDArray[Any]", words: Sequence[str]) -> "pl.Series":
    import polars as pl

    known = pl.Series(name, words, dtype=pl.String)
    if not words:
        return pl.Series(name, [None] * len(numbers), dtype=pl.String)
    return known.gather(_numbers(name, numbers)).alias(name)


def _both(*names: str) -> list[str]:
    return [f"{way}_{name}" for name in names for way in ("c2s", "s2c")]


CONNECTIONS: list[str] = [
    *("stream", "file", "start", "client_ip", "client_port", "server_ip", "server_port"),
    *("ip_version", "network", "opener", "handshake", "rtt_s", "server_rtt_s"),
    *("syns", "syn_acks"),
    *_both("bytes", "seen_bytes", "payload_sum", "window", "handshake_window", "widest_window"),
    *_both("initial_window", "growth", "exit", "exit_window", "pacing", "idle_restart", "cc"),
    *("client_wscale", "server_wscale", "client_mss", "server_mss", "timestamps", "sack"),
    *_both("retransmissions", "out_of_order", "packets", "zero_windows"),
    *("fins", "resets", "end_s", "copies", "state", "history", "missed_bytes", "flags"),
]
"""The columns of connections in their order."""
TRANSFERS = ("connection", "direction", "start", "bytes", "end_s", "acked_s")
"""The columns of transfers in their order."""
QUIC = (
    *("file", "start", "client_ip", "client_port", "server_ip", "server_port", "version"),
    *("handshake", "rtt_s", "c2s_bytes", "s2c_bytes", "c2s_datagrams", "s2c_datagrams", "end_s"),
)
"""The columns of QUIC connections in their order."""


TEXTS = (
    *("file", "client_ip", "server_ip", "network", "opener", "handshake"),
    *_both("exit", "idle_restart", "cc"),
    *("state", "history", "flags"),
)
FLOATS = ("start", "rtt_s", "server_rtt_s", "end_s", *_both("growth", "pacing"))
OFFERED = ("timestamps", "sack")


def connection_frame(rows: Sequence[dict[str, Any]]) -> "pl.DataFrame":
    """Connections with all columns that captures have."""
    import polars as pl

    schema = {name: kind(name) for name in CONNECTIONS}
    return pl.DataFrame([{name: row.get(name) for name in CONNECTIONS} for row in rows], schema)


def all_columns(connections: "pl.DataFrame") -> "pl.DataFrame":
    """The columns that a source does not tell, without values; all in their order."""
    import polars as pl

    unknown = [name for name in CONNECTIONS if name not in connections.columns]
    return connections.with_columns(
        pl.lit(None, kind(name)).alias(name) for name in unknown
    ).select(*CONNECTIONS)


def transfer_frame(rows: Sequence[dict[str, Any]]) -> "pl.DataFrame":
    """Transfers, by start."""
    import polars as pl

    kinds: list[Any] = [pl.UInt32, pl.String, pl.Float64, pl.UInt64, pl.Float64, pl.Float64]
    frame = pl.DataFrame(rows, dict(zip(TRANSFERS, kinds, strict=True)))
    return frame.sort("start", "connection", maintain_order=True)


def kind(column: str) -> Any:
    """The type of a column of connections."""
    import polars as pl

    if column in TEXTS:
        return pl.String
    if column in FLOATS:
        return pl.Float64
    if column in OFFERED:
        return pl.Boolean
    return pl.UInt8 if column == "ip_version" else pl.UInt32 if column == "stream" else pl.UInt64


PREFIX = {4: 24, 6: 48}
"""The length of a network's prefix by IP version."""
_OCTET = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
IPV4 = rf"^((?:{_OCTET}\.){{3}}){_OCTET}$"
"""An address of IPv4 as `ipaddress` takes it, and the part of it that names its network."""


def network(address: str | None) -> str | None:
    """The /24 or /48 of an address; None where it is none."""
    try:
        known = ipaddress.ip_address((address or "").strip())
    except ValueError:
        return None
    return str(ipaddress.ip_network((known, PREFIX[known.version]), strict=False))


def networks(addresses: "pl.Series") -> "pl.Series":
    """The same of many: Python takes a minute for what a log of a million clients has of IPv4."""
    import polars as pl

    usual = addresses.str.extract(IPV4)
    others = addresses.filter(usual.is_null())
    other = pl.Series([network(address) for address in others], dtype=pl.String)
    table = (usual + "0/24").to_frame("network").with_row_index("place")
    places = table.filter(pl.col("network").is_null()).select("place", other=other)
    return table.join(places, on="place", how="left", maintain_order="left").select(
        pl.coalesce("network", "other")
    )["network"]
