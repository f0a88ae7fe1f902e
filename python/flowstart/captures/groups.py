"""Networks at the far side of a capture with estimates of their paths, and its tables."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from flowstart import text
from flowstart.render.grid import Column, Grid

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class PathEstimate:
    """What could be told of a path in one direction."""

    bytes: int
    """Payload bytes that went this way."""
    data_packets: int
    """Packets with data that went this way; 0 for a log, which does not tell."""
    retransmitted_packets: int
    """Of these, the packets that repeat data, as far as a monitor can tell."""
    rate_bps: float | None
    """Rate of the bottleneck, bits of IP packets a second."""
    rate_method: str
    """How the rate was found, or why not."""
    queueing_s: float | None
    """The longest wait in the bottleneck's queue."""
    buffer_packets: int | None
    """The buffer in full-size packets that such a wait means, or the largest flight that came
    through whole."""
    buffer_at_least: bool
    """The queue is not known to have been full: the buffer is at least this."""
    buffer_method: str
    """How the buffer was found, or why not."""
    rate_low_bps: float | None = None
    """The low end of the rate's 95 % interval, where a replay fitted the rate to durations."""
    rate_high_bps: float | None = None
    """The high end; None as well where no rate is too high."""
    rate_assumed: bool = False
    """The rate is not known, and assumed within that interval."""

    @classmethod
    def unknown(cls, size: int, why: str, *, packets: int = 0, repeated: int = 0) -> "PathEstimate":
        """A path of which only what went over it is known, and `why`."""
        return cls(
            bytes=size,
            data_packets=packets,
            retransmitted_packets=repeated,
            rate_bps=None,
            rate_method=why,
            queueing_s=None,
            buffer_packets=None,
            buffer_at_least=False,
            buffer_method=why,
        )


@dataclass(frozen=True)
class Group:
    """One network at the far side of the monitor."""

    network: str
    """The network: /24 for IPv4, /48 for IPv6."""
    connections: int
    """How many connections there are with it."""
    min_rtt_s: float | None
    """The least round trip of their handshakes."""
    to_remote: PathEstimate
    """The path that data take towards the network."""
    from_remote: PathEstimate
    """The path that data take from it."""

    @property
    def ways(self) -> tuple[PathEstimate, PathEstimate]:
        """Both paths, the one towards the network first."""
        return self.to_remote, self.from_remote

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> "Group":
        """A group as the reader in Rust describes it."""
        ways = {way: PathEstimate(**document[way]) for way in ("to_remote", "from_remote")}
        return cls(**{**document, **ways})

    def document(self, connections: Sequence[int]) -> dict[str, Any]:
        """The group as JSON has it, with the numbers of its connections."""
        return dataclasses.asdict(self) | {"connections": list(connections)}


def retransmitted_share(groups: Sequence[Group]) -> float | None:
    """Share of the packets with data that repeat some; None where no packets are known."""
    ways = [way for group in groups for way in group.ways]
    packets = sum(way.data_packets for way in ways)
    return sum(way.retransmitted_packets for way in ways) / packets if packets else None


class Contents(Protocol):
    """What the tables need of a capture."""

    @property
    def file(self) -> str:
        """The file, or how many there are."""

    @property
    def about(self) -> dict[str, Any]:
        """Of the files: their format and packets."""

    @property
    def quic(self) -> "pl.DataFrame | None":
        """One row per QUIC connection."""

    @property
    def sampled_from(self) -> int | None:
        """How many connections there were, where a sample of them was drawn."""

    @property
    def summary(self) -> dict[str, Any]:
        """The counts over all connections."""

    @property
    def groups(self) -> Sequence[Group]:
        """The networks at the far side."""

    @property
    def connections(self) -> "pl.DataFrame":
        """One row per TCP connection."""

    @property
    def transfers(self) -> "pl.DataFrame":
        """One row per transfer."""


def headline(found: Contents) -> str:
    """One line on what the file is."""
    s = found.summary
    by = s["by_handshake"]
    rows_of_a_log = found.about["format"].startswith(("zeek", "server-log"))
    what = "rows" if rows_of_a_log else "packets"
    protocol = "QUIC" if found.about["format"] == "qlog" else "TCP"
    kinds = ", ".join(f"{count} {name}" for name, count in by.items() if count)
    return (
        f"{found.file}: {found.about['format']}, {text.count(found.about['packets'])} {what}, "
        f"{_sampled(found)}{s['tcp_connections']} {protocol} connections ({kinds}), "
        f"{len(found.transfers)} transfers"
    )


def _sampled(found: Contents) -> str:
    if found.sampled_from is None:
        return ""
    return f"a sample of {text.count(found.sampled_from)} connections: "


def quic(found: Contents) -> str | None:
    """A line on the QUIC connections, where there are any."""
    rows = found.quic
    if rows is None or rows.is_empty():
        return None
    versions = ", ".join(sorted(set(rows["version"])))
    known = rows["rtt_s"].drop_nulls()
    middle: Any = known.median()
    trip = f"; median round trip {text.seconds(middle)} ({len(known)} handshakes)" if middle else ""
    to_servers, to_clients = (int(rows[name].sum()) for name in ("c2s_bytes", "s2c_bytes"))
    return (
        f"QUIC: {len(rows)} connections ({versions}), {text.size(to_servers)} to servers and "
        f"{text.size(to_clients)} to clients{trip}. The rest of it is encrypted; it is not among "
        "the rows."
    )


def summary(s: dict[str, Any]) -> Grid:
    """What the connections needed, in a dozen lines."""
    widest = s["reduction_by_widest_window"]
    handshake = s["reduction_by_handshake_window"]
    grid = Grid([Column("what", number=False), Column("value")])
    grid.rows = [
        ["round trip, median (p10 to p90)", _spread(s["rtt_s"], text.seconds)],
        ["directions with data", text.count(s["directions_with_data"])],
        ["bytes, median (p10 to p90)", _spread(s["bytes"], text.size)],
        ["more than 4380 bytes", _share(s["over_4380_bytes"], s["over_4380_share"])],
        ["more than the initial window of RFC 3390", str(s["over_rfc3390_initial_window"])],
        [
            "rate for one round trip, median (p10 to p90)",
            _spread(s["over_rate_bytes_per_s"], _rate),
        ],
        ["above 500 kbit/s", str(s["over_above_500_kbit_per_s"])],
        ["above 100 Mbit/s", str(s["over_above_100_mbit_per_s"])],
        ["not reduced by the widest window", _not_reduced(widest)],
        ["reduced by more than 1 MB/s", _reduced(widest)],
        ["not reduced by the handshake's window", _not_reduced(handshake)],
        ["reduced by more than 1 MB/s", _reduced(handshake)],
    ]
    return grid


def _spread(values: dict[str, Any], form: Any) -> str:
    if values.get("p50") is None:
        return text.ABSENT
    return f"{form(values['p50'])} ({form(values['p10'])} to {form(values['p90'])})"


def _rate(bytes_per_s: float) -> str:
    return text.rate(8 * bytes_per_s)


def _share(count: int, share: float | None) -> str:
    return str(count) if share is None else f"{count} ({share:.1%})"


def _not_reduced(reduction: dict[str, Any]) -> str:
    return _share(reduction["not_reduced"], reduction["not_reduced_share_of_over"])


def _reduced(reduction: dict[str, Any]) -> str:
    return _share(reduction["above_1MB_per_s"], reduction["above_1MB_per_s_share_of_over"])


def networks(found: Contents, most: int = 20) -> Grid:
    """The far networks and what could be told of the paths to them."""
    titles = ["conns", "min RTT", "sent", "rate", "buffer"]
    grid = Grid([Column("network", number=False), *(Column(title) for title in titles)])
    grid.columns += [Column(title, spare=1) for title in ("received", "rate", "buffer")]
    groups = found.groups
    grid.rows = [
        [
            group.network,
            str(group.connections),
            text.seconds(group.min_rtt_s),
            *_path(group.to_remote),
            *_path(group.from_remote),
        ]
        for group in groups[:most]
    ]
    if len(groups) > most:
        grid.title = f"The {most} networks with most data, of {len(groups)}"
    return grid


def _path(path: PathEstimate) -> list[str]:
    buffer = path.buffer_packets
    sign = "≥ " if path.buffer_at_least else ""
    return [
        text.size(path.bytes),
        text.rate(path.rate_bps),
        text.ABSENT if buffer is None else f"{sign}{buffer} pkt",
    ]


def connections(found: Contents, most: int = 20) -> Grid:
    """The connections with the largest amount of data."""
    import polars as pl

    columns = [Column("client", number=False), Column("server", number=False)]
    columns += [Column("handshake", number=False), Column("RTT")]
    columns += [Column(title) for title in ("to server", "to client", "retrans.")]
    grid = Grid([*columns, Column("flags", number=False)])
    data = found.connections.select(data=pl.sum_horizontal("c2s_bytes", "s2c_bytes"))
    # Stable, so that of equals the earlier ones are shown. To sort whole rows would copy them all.
    order = data.with_row_index().sort("data", descending=True, maintain_order=True)["index"]
    largest = found.connections[order.head(most)]
    grid.rows = [_connection(row) for row in largest.iter_rows(named=True)]
    if len(found.connections) > most:
        grid.title = f"The {most} largest connections, of {len(found.connections)}"
    return grid


def _connection(row: dict[str, Any]) -> list[str]:
    repeated = [row["c2s_retransmissions"], row["s2c_retransmissions"]]
    known = [count for count in repeated if count is not None]
    return [
        *(_end(row[f"{side}_ip"], row.get(f"{side}_port")) for side in ("client", "server")),
        row["handshake"],
        text.seconds(row["rtt_s"]),
        text.size(row["c2s_bytes"]),
        text.size(row["s2c_bytes"]),
        text.count(sum(known)) if known else text.ABSENT,
        row["flags"],
    ]


def _end(address: str | None, port: int | None) -> str:
    if address is None or port is None:
        return address or text.ABSENT
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
