"""What is in a packet capture or a Zeek conn.log: connections, transfers, paths."""

import functools
import ipaddress
import json
import pathlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flowstart import _native
from flowstart.capture import tables
from flowstart.render import html

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure


@dataclass(frozen=True, repr=False)
class Capture:
    """What was found in a file; the columns are explained in `docs/captures.md`."""

    file: str
    document: dict[str, Any]
    """Everything, as `flowstart capture --json` prints it."""

    @property
    def summary(self) -> dict[str, Any]:
        """The counts over all connections."""
        summary: dict[str, Any] = self.document["summary"]
        return summary

    @property
    def warnings(self) -> list[str]:
        """What was wrong with the file or is not to be believed."""
        return list(self.document["warnings"])

    @property
    def notes(self) -> list[str]:
        """Methods, and what this kind of file cannot tell."""
        return list(self.document["notes"])

    @functools.cached_property
    def connections(self) -> "pl.DataFrame":
        """One row per TCP connection."""
        return _frame(self.document["connections"])

    @functools.cached_property
    def directions(self) -> "pl.DataFrame":
        """One row per direction with data: the rate that one round trip would need."""
        return _frame(self.document["demands"])

    @functools.cached_property
    def transfers(self) -> "pl.DataFrame":
        """One row per transfer: one direction's data between turns of a conversation."""
        return _frame(self.document["transfers"])

    @property
    def retransmitted_share(self) -> float | None:
        """Share of the packets with data that repeat some; None where the file has no packets."""
        groups = self.document["groups"]
        ways = [group[way] for group in groups for way in ("to_remote", "from_remote")]
        packets = sum(way["data_packets"] for way in ways)
        return sum(way["retransmitted_packets"] for way in ways) / packets if packets else None

    def remote_is_client(self) -> dict[int, bool]:
        """For each connection, whether the far side of the monitor opened it."""
        return dict(self._roles())

    def _roles(self) -> Iterator[tuple[int, bool]]:
        for group in self.document["groups"]:
            network = ipaddress.ip_network(group["network"], strict=False)
            for number in group["connections"]:
                client = self.document["connections"][number]["client_ip"]
                yield number, ipaddress.ip_address(client) in network

    def plot(self) -> "Figure":
        """Needed initial rate over size, as in the Jump Start paper's figure 3."""
        from flowstart.capture.figures import needed_rates  # loads matplotlib

        return needed_rates(self.document)

    def _repr_html_(self) -> str:
        return html.table(tables.summary(self.document)) + html.table(
            tables.networks(self.document)
        )


def read(
    file: str | pathlib.Path, progress: Callable[[int, int | None], object] | None = None
) -> Capture:
    """Reads a capture (pcap, pcapng, gzipped or not) or a Zeek conn.log.

    `progress(bytes, total)` is called a few times a second. Memory grows with the number
    of connections, not with the file. Raises RequestError where the file is none of these.
    """
    return Capture(str(file), json.loads(_native.read_capture(str(file), progress)))


def _frame(rows: list[dict[str, Any]]) -> "pl.DataFrame":
    import polars as pl

    plain = [{k: _cell(v) for k, v in row.items()} for row in rows]
    return pl.DataFrame(plain, infer_schema_length=None)


def _cell(value: Any) -> Any:
    """Lists as text, so that every column is flat."""
    return " ".join(map(str, value)) if isinstance(value, list) else value
