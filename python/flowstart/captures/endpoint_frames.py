"""Frames of rows that do not come from packets: what they do not tell is null."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from flowstart.captures.columns import CONNECTIONS, TRANSFERS

if TYPE_CHECKING:
    import polars as pl

TEXTS = (
    *("file", "client_ip", "server_ip", "network", "opener", "handshake"),
    *("state", "history", "flags"),
)
TIMES = ("start", "rtt_s", "server_rtt_s", "end_s")
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
    if column in TIMES:
        return pl.Float64
    if column in OFFERED:
        return pl.Boolean
    return pl.UInt8 if column == "ip_version" else pl.UInt32 if column == "stream" else pl.UInt64
