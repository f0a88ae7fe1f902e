"""Reading captures and logs."""

import json
import pathlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from flowstart import _native
from flowstart.captures.contents import Capture
from flowstart.captures.frames import frame
from flowstart.captures.groups import Group
from flowstart.captures.inputs import listed
from flowstart.errors import RequestError

if TYPE_CHECKING:
    import polars as pl

LOGS = ("zeek-tsv", "zeek-json")
"""Formats whose rows are in the order of the ends of their connections."""


def capture(
    *files: str | pathlib.Path, progress: Callable[[int, int | None], object] | None = None
) -> Capture:
    """Reads packet captures (pcap, pcapng) and Zeek conn.logs as one, compressed or not.

    A folder stands for the captures in it, `-` for the standard input. `progress(bytes, total)`
    is called a few times a second. Memory grows with the number of connections and transfers,
    not with the files. Raises RequestError where a file is none of these.
    """
    if not files:
        raise RequestError("no file is given: name a capture, a conn.log or a folder of them")
    paths, left_out = listed(files)
    text, tables = _native.read_capture(paths, progress)
    about = json.loads(text)
    connections, transfers = (frame(tables.pop(name)) for name in ("connections", "transfers"))
    if set(about["formats"]) <= set(LOGS):
        connections, transfers = _by_start(connections, transfers)
    return Capture(
        files=tuple(paths),
        connections=_dressed(connections.sort("stream"), paths),
        transfers=_in_order(transfers),
        groups=[Group.of(group) for group in about["groups"]],
        about={
            "format": ", ".join(dict.fromkeys(about["formats"])),
            **{name: about[name] for name in ("link_types", "packets", "unreadable")},
        },
        warnings=left_out + about["warnings"],
        notes=about["notes"],
    )


def _by_start(
    connections: "pl.DataFrame", transfers: "pl.DataFrame"
) -> tuple["pl.DataFrame", "pl.DataFrame"]:
    """The connections of logs with numbers in the order of their starts."""
    import polars as pl

    ordered = connections.sort("start", maintain_order=True)
    numbers = ordered.select(
        pl.col("stream").alias("connection"),
        pl.int_range(pl.len(), dtype=pl.UInt32).alias("number"),
    )
    renamed = transfers.join(numbers, on="connection", maintain_order="left")
    renamed = renamed.with_columns(connection=pl.col("number")).drop("number")
    return ordered.with_columns(stream=pl.int_range(pl.len(), dtype=pl.UInt32)), renamed


def _dressed(connections: "pl.DataFrame", paths: list[str]) -> "pl.DataFrame":
    """The rows with the names of files and the version of IP, and the ends in front."""
    import polars as pl

    version = pl.when(pl.col("client_ip").str.contains(":", literal=True)).then(6).otherwise(4)
    dressed = connections.with_columns(
        file=pl.Series(paths, dtype=pl.String).gather(connections["file"]),
        ip_version=version.cast(pl.UInt8),
    )
    return dressed.select(*COLUMNS)


def _in_order(transfers: "pl.DataFrame") -> "pl.DataFrame":
    """By start, with their connection and direction in front."""
    ordered = transfers.sort("start", "connection", maintain_order=True)
    return ordered.select("connection", "direction", "start", "bytes", "end_s", "acked_s")


def _both(*names: str) -> list[str]:
    return [f"{way}_{name}" for name in names for way in ("c2s", "s2c")]


COLUMNS: list[str] = [
    *("stream", "file", "start", "client_ip", "client_port", "server_ip", "server_port"),
    *("ip_version", "network", "opener", "handshake", "rtt_s", "server_rtt_s"),
    *("syns", "syn_acks"),
    *_both("bytes", "seen_bytes", "payload_sum", "window", "handshake_window", "widest_window"),
    *("client_wscale", "server_wscale", "client_mss", "server_mss", "timestamps", "sack"),
    *_both("retransmissions", "out_of_order", "packets", "zero_windows"),
    *("fins", "resets", "end_s", "copies", "state", "history", "missed_bytes", "flags"),
]
"""The columns of connections in their order."""
