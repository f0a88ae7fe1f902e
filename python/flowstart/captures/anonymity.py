"""Names in place of networks, so that results can be given away."""

import ipaddress
import pathlib
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

PORTS = ("client_port", "server_port")
"""Columns that are dropped."""
ADDRESSES = ("client_ip", "server_ip")
"""Columns whose addresses get names: which connections are of one host is still told."""
_ADDRESS = re.compile(r"\d+[.\-_]\d+[.\-_]\d+[.\-_]\d+|[0-9a-fA-F]*:[0-9a-fA-F:.]+")
"""What looks like an address of IPv4 or IPv6, also with the dots or colons that names replace."""


def networks(seen: Iterable[str | None]) -> dict[str, str]:
    """`network 1`, `network 2` and so on, in the order of first appearance."""
    found = dict.fromkeys(network for network in seen if network is not None)
    return {network: f"network {number}" for number, network in enumerate(found, 1)}


def hosts(*tables: "pl.DataFrame | None") -> dict[str, str]:
    """`host 1`, `host 2` and so on for the addresses of connections, by first appearance."""
    rows = [row for table in tables if table is not None for row in table.select(ADDRESSES).rows()]
    found = dict.fromkeys(address for row in rows for address in row if address is not None)
    return {address: f"host {number}" for number, address in enumerate(found, 1)}


def files(paths: Sequence[str]) -> dict[str, str]:
    """The names of files without their folders; numbers where one looks like an address."""
    names = {path: pathlib.PurePath(path).name for path in paths}
    telling = any(_ADDRESS.search(name) for name in names.values())
    if telling or len(set(names.values())) < len(names):
        return {path: f"file {number}" for number, path in enumerate(paths, 1)}
    return names


def without_addresses(
    frame: "pl.DataFrame", names: dict[str, str], paths: dict[str, str]
) -> "pl.DataFrame":
    """A table of connections whose networks, hosts and files have other names, without ports."""
    import polars as pl

    named = [name for name in ("network", *ADDRESSES) if name in frame.columns]
    return frame.drop(PORTS).with_columns(
        pl.col(named).replace(names), pl.col("file").replace(paths)
    )


def without_names(message: str, paths: Sequence[str]) -> str:
    """A message that names no file whose name may tell an address."""
    for path, name in sorted(files(paths).items(), key=lambda item: -len(item[0])):
        message = message.replace(path, name)
    return _ADDRESS.sub(_hidden, message)


def _hidden(match: re.Match[str]) -> str:
    try:
        ipaddress.ip_address(match[0].replace("-", ".").replace("_", "."))
    except ValueError:
        return match[0]
    return "an address"
