"""A share or a number of the connections, drawn by a hash of each."""

import ipaddress
import pathlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flowstart.errors import RequestError

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray


@dataclass(frozen=True)
class SampleSize:
    """How much is to be drawn: a share of the connections, or a number of them."""

    share: float | None
    count: int | None
    seed: int

    @classmethod
    def parse(cls, text: str, seed: int = 1) -> "SampleSize":
        """`10%` or `5000`; `all` is 100 %."""
        if text.strip() == "all":
            return cls(1.0, None, seed)
        if percent := re.fullmatch(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*%", text.strip()):
            share = float(percent[1]) / 100
            if 0 < share <= 1:
                return cls(share, None, seed)
        elif re.fullmatch(r"[0-9]{1,20}", text.strip()) and int(text) > 0:
            return cls(None, int(text), seed)
        raise RequestError(
            f"--sample `{text}`: a share of the connections is needed, such as 10%, or a number of "
            "them, such as 5000, or all"
        )

    def of(self, connections: "pl.DataFrame") -> "pl.DataFrame":
        """The connections that are drawn, with new numbers in `stream`; `was` has the old ones.

        Whether a connection is among them depends on itself and the seed; of a number of them,
        also on the others.
        """
        import polars as pl

        draws = pl.Series(_draws(connections, self.seed))
        if self.share is not None:
            chosen = draws.to_frame("draw").select(pl.col("draw") < self.share * 2.0**64)["draw"]
        else:
            chosen = draws.rank("ordinal") <= (self.count or 0)
        drawn = connections.filter(chosen)
        numbers = pl.int_range(pl.len(), dtype=pl.UInt32)
        return drawn.with_columns(was=pl.col("stream"), stream=numbers)


@dataclass(frozen=True)
class Sampled:
    """What a sample has of a capture."""

    clusters: "pl.DataFrame"
    """The stretch (`cluster`) of each `connection` that counts."""
    rtts_s: dict[str, float]
    """The least round trip of each network, among all of its connections."""
    networks: tuple[int, int]
    """How many networks are in the sample, and how many there are."""
    transfers: tuple[int, int]
    """The same of transfers that count."""

    def to_dict(self) -> dict[str, int]:
        """The counts as JSON has them."""
        return {
            "networks": self.networks[0],
            "of_networks": self.networks[1],
            "transfers": self.transfers[0],
            "of_transfers": self.transfers[1],
            "stretches": self.clusters["cluster"].n_unique(),
        }


def _draws(connections: "pl.DataFrame", seed: int) -> "NDArray[Any]":
    """A number of 64 bits for each connection, from its start, ports and bytes."""
    import numpy as np

    hashed = np.full(len(connections), seed, np.uint64)
    for name in ("start", "client_port", "server_port", "c2s_bytes", "s2c_bytes"):
        column = connections[name].fill_null(0).to_numpy()
        bits = column.view(np.uint64) if column.dtype == np.float64 else column.astype(np.uint64)
        hashed = _mixed(hashed ^ bits)
    return hashed


def _mixed(bits: "NDArray[Any]") -> "NDArray[Any]":
    """Numbers of which every bit depends on every bit of the argument.

    splitmix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014).
    """
    import numpy as np

    bits = bits + np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: NDArray[Any] = bits ^ (bits >> np.uint64(31))
    return mixed


PORTS = ("client_port", "server_port")
"""Columns that are dropped."""
ADDRESSES = ("client_ip", "server_ip")
"""Columns whose addresses get names: which connections are of one host is still told."""
_ADDRESS = re.compile(r"\d+[.\-_]\d+[.\-_]\d+[.\-_]\d+|[0-9a-fA-F]*:[0-9a-fA-F:.]+")
"""What looks like an address of IPv4 or IPv6, also with the dots or colons that names replace."""


def networks(seen: Iterable[str | None]) -> dict[str, str]:
    """`network 1`, `network 2` and so on, in the order of first appearance."""
    distinct = dict.fromkeys(network for network in seen if network is not None)
    return {network: f"network {number}" for number, network in enumerate(distinct, 1)}


def hosts(*tables: "pl.DataFrame | None") -> dict[str, str]:
    """`host 1`, `host 2` and so on for the addresses of connections, by first appearance."""
    rows = [row for table in tables if table is not None for row in table.select(ADDRESSES).rows()]
    addresses = dict.fromkeys(address for row in rows for address in row if address is not None)
    return {address: f"host {number}" for number, address in enumerate(addresses, 1)}


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
