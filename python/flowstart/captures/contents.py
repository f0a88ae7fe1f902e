"""What was found in captures: connections, transfers, paths, and the tables of these."""

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flowstart import extras, text
from flowstart.captures import sampling
from flowstart.captures.sampling import Sampled, SampleSize
from flowstart.captures.senders import senders
from flowstart.captures.summary import demands, flagged, spread, summary
from flowstart.public import RETURNED, Public
from flowstart.render import html
from flowstart.render.grid import Column, Grid

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


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
    """The low end of the rate's 95 % interval, where a replay fitted the rate to durations; or a
    lower bound: of a log whose durations give no rate, or of packets that did not queue."""
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
class RemoteNetwork:
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
    def of(cls, document: Mapping[str, Any]) -> "RemoteNetwork":
        """A group as the reader in Rust describes it."""
        ways = {way: PathEstimate(**document[way]) for way in ("to_remote", "from_remote")}
        return cls(**{**document, **ways})

    def document(self, connections: Sequence[int]) -> dict[str, Any]:
        """The group as JSON has it, with the numbers of its connections."""
        return dataclasses.asdict(self) | {"connections": list(connections)}


def retransmitted_share(groups: Sequence[RemoteNetwork]) -> float | None:
    """Share of the packets with data that repeat some; None where no packets are known."""
    ways = [way for group in groups for way in group.ways]
    packets = sum(way.data_packets for way in ways)
    return sum(way.retransmitted_packets for way in ways) / packets if packets else None


@dataclass(frozen=True)
class Packed:
    """A table without the repetitions of columns that have one value."""

    names: tuple[str, ...]
    varying: "pl.DataFrame"
    constant: "pl.DataFrame"
    """The others, of which there is one row."""

    @classmethod
    def of(cls, frame: "pl.DataFrame") -> "Packed":
        """A table; one without rows has no constant columns."""
        import polars as pl

        same = frame.select(pl.all().eq_missing(pl.all().first()).all() & (pl.len() > 0)).row(
            0, named=True
        )
        constant = frame.select(name for name, is_same in same.items() if is_same)
        return cls(tuple(frame.columns), frame.drop(constant.columns), constant.head(1))

    @property
    def frame(self) -> "pl.DataFrame":
        """The table."""
        import polars as pl

        repeated = [
            pl.lit(column.item(), column.dtype).alias(column.name) for column in self.constant
        ]
        return self.varying.with_columns(repeated).select(*self.names)


TABLES = ("connections", "transfers")
"""The tables of a capture that have a row for each connection or transfer."""
OPTIONAL = ("state", "history", "missed_bytes")
"""Columns that JSON has only where there is a value: a conn.log's own."""


@dataclass(frozen=True, repr=False, eq=False)
class Capture(metaclass=Public):
    """Connections and transfers of captures and logs.

    `docs/guides/captures.md` explains the columns.

    Attributes:
        files: Names of the files.
        about: Of the files: `format`, `link_types`, `tunnels` that were removed, number of
            `packets` and of `unreadable` ones.
        notes: Methods, and what this kind of file cannot show.
        anonymous: Whether networks and hosts have other names, and ports are dropped. [false]
        connections: One row per TCP connection; times in seconds, sizes in bytes.
        transfers: One row per transfer; `bytes`, and `start` in seconds.
        groups: The networks, with RTTs in seconds and rates in bits per second.
        quic: One row per QUIC connection, where there are any.
        warnings: What is wrong with the files, a line each.

    Example:
        >>> import flowstart as fs
        >>> capture = fs.read_capture("tests/data/captures/small.pcap")
        >>> capture.connections.height
        11
    """

    __signature__ = RETURNED

    files: tuple[str, ...]
    connections: "pl.DataFrame"
    """One row per TCP connection, by number (`stream`).

    `network` is the far side's network, by which paths are told apart; `opener` says which side
    opened the connection, `remote` or `local`."""
    transfers: "pl.DataFrame"
    """One row per transfer, by start: one direction's data between turns of a conversation."""
    groups: list[RemoteNetwork]
    """The networks at the far side and their paths, those with the most data first."""
    about: dict[str, Any]
    warnings: list[str]
    """What was wrong with the files or is not to be believed."""
    notes: list[str]
    quic: "pl.DataFrame | None" = None
    """One row per QUIC connection that passed: what can be seen of it from outside."""
    drawn: Sampled | None = None
    """Which connections count, where a replay has drawn some."""
    sampled_from: int | None = None
    """How many connections there were, where a sample of them was drawn."""
    options: tuple[str, ...] = ()
    """The options of commands that read it so: `--sample`, `10%`."""
    other_units: str = ""
    """The value of `--columns` with the units that warnings suggest; empty without any."""
    anonymous: bool = False
    named: tuple[str, ...] = ()
    """Files and folders as they were named to the reader, where folders were."""

    def __getstate__(self) -> dict[str, Any]:
        """What processes exchange: of a log most columns have one value, which is sent once."""
        return vars(self) | {name: Packed.of(getattr(self, name)) for name in TABLES}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restores it."""
        vars(self).update(state | {name: state[name].frame for name in TABLES})

    @property
    def frame(self) -> "pl.DataFrame":
        """The transfers; other tables are `connections`, `demands`, `senders` and `quic`."""
        return self.transfers

    @property
    def file(self) -> str:
        """The file, or how many there are, for a headline."""
        first, *others = ("standard input" if file == "-" else file for file in self.files)
        return f"{first} and {len(others)} more" if others else first

    @property
    def sources(self) -> tuple[str, ...]:
        """The files, or the folders of them, for a command that reads the same."""
        return self.named or self.files

    @functools.cached_property
    def demands(self) -> "pl.DataFrame":
        """One row per direction with data: the rate that one round trip would need."""
        return demands(self.connections)

    @functools.cached_property
    def senders(self) -> "pl.DataFrame":
        """One row per address that sends: what was measured of it, as distributions."""
        return senders(self.connections)

    @functools.cached_property
    def summary(self) -> dict[str, Any]:
        """The counts over all connections."""
        return summary(self.connections)

    @property
    def retransmitted_share(self) -> float | None:
        """Share of the packets with data that repeat some; None where no packets are known."""
        return retransmitted_share(self.groups)

    def to_dict(self, *, rows: bool = True) -> dict[str, Any]:
        """Everything, as `flowstart capture --json` prints it; without rows, what is counted."""
        numbers = dict(self.connections.group_by("network").agg("stream").iter_rows())
        lists = {
            "connections": [_connection(row) for row in self.connections.iter_rows(named=True)],
            "demands": [_flags_apart(row) for row in self.demands.iter_rows(named=True)],
            "transfers": self.transfers.to_dicts(),
            "senders": self.senders.to_dicts(),
        }
        return {
            "files": list(self.files),
            **self.about,
            **({"sampled_from": self.sampled_from} if self.sampled_from is not None else {}),
            **(lists if rows else {}),
            "quic": self._quic_document(rows=rows),
            "groups": [
                group.document(sorted(numbers.get(group.network, [])))
                if rows
                else group.document([]) | {"connections": group.connections}
                for group in self.groups
            ],
            "summary": self.summary,
            "flagged": flagged(self.connections),
            "warnings": self.warnings,
            "notes": self.notes,
        }

    def sampled(self, sample: SampleSize) -> "Capture":
        """The same with a part of the connections, each with all of its transfers.

        The estimates of paths are those of all connections.
        """
        import polars as pl

        drawn = sample.of(self.connections)
        numbers = drawn.select(pl.col("was").alias("connection"), pl.col("stream").alias("number"))
        transfers = self.transfers.join(numbers, on="connection", maintain_order="left")
        return dataclasses.replace(
            self,
            connections=drawn.drop("was"),
            transfers=transfers.with_columns(connection=pl.col("number")).drop("number"),
            sampled_from=len(self.connections),
        )

    def anonymized(self) -> "Capture":
        """The same without addresses, ports and names of networks."""
        names = sampling.networks(self.connections["network"])
        hosts = sampling.hosts(self.connections, self.quic)
        files = sampling.files(self.files)
        quic = self.quic
        return dataclasses.replace(
            self,
            files=tuple(files[file] for file in self.files),
            connections=sampling.without_addresses(self.connections, names | hosts, files),
            quic=quic if quic is None else sampling.without_addresses(quic, hosts, files),
            # What no connection is left of has no name.
            groups=[
                dataclasses.replace(group, network=names[group.network])
                for group in self.groups
                if group.network in names
            ],
            warnings=[sampling.without_names(text, self.files) for text in self.warnings],
            anonymous=True,
            named=(),
        )

    def _quic_document(self, *, rows: bool) -> dict[str, Any]:
        """The QUIC connections counted, and one by one."""
        if self.quic is None:
            return {"connections": 0}
        sums = {name: int(self.quic[name].sum()) for name in ("c2s_bytes", "s2c_bytes")}
        counted = {"connections": len(self.quic), **sums, "rtt_s": spread(self.quic["rtt_s"])}
        return counted | ({"rows": self.quic.to_dicts()} if rows else {})

    @extras.needing("plot", "a figure")
    def plot(self, ax: "Axes | None" = None) -> "Figure":
        """Needed initial rate over size, as in the Jump Start paper's figure 3.

        Args:
            ax: The axes to draw into, in the place of a new figure.

        Returns:
            The figure.
        """
        from flowstart.captures.figures import needed_rates  # loads matplotlib

        return needed_rates(self.demands, ax)

    def __str__(self) -> str:
        from flowstart.render.summary import screen

        return screen(headline(self), summary_table(self.summary), "`.summary`")

    def __eq__(self, other: object) -> bool:
        """Whether the documents are the same."""
        return isinstance(other, Capture) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        counts = f"{self.connections.height} connections, {self.transfers.height} transfers"
        return f"<Capture {self.file}: {counts}>"

    def _repr_html_(self) -> str:
        return html.table(summary_table(self.summary)) + html.table(networks(self))


def _connection(row: dict[str, Any]) -> dict[str, Any]:
    row = _flags_apart(row)
    return {name: cell for name, cell in row.items() if cell is not None or name not in OPTIONAL}


def _flags_apart(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"flags": row["flags"].split()}


def headline(capture: Capture) -> str:
    """One line on what the file is."""
    s = capture.summary
    by = s["by_handshake"]
    packets = capture.about["packets"]
    rows_of_a_log = capture.about["format"].startswith(("zeek", "server-log"))
    what = ("row", "rows") if rows_of_a_log else ("packet", "packets")
    protocol = "QUIC" if capture.about["format"] == "qlog" else "TCP"
    kinds = ", ".join(f"{count} {name}" for name, count in by.items() if count)
    removed = capture.about.get("tunnels", {})
    whole = all(count == capture.about["packets"] for count in removed.values())
    named = [name if whole else f"{count} in {name}" for name, count in removed.items()]
    tunnels = named and (" in " if whole else ", of them ") + " and ".join(named)
    return (
        f"{capture.file}: {capture.about['format']}, {text.count(packets)} {what[packets != 1]}"
        f"{tunnels or ''}, {_sampled(capture)}"
        f"{text.counted(s['tcp_connections'], f'{protocol} connection', f'{protocol} connections')}"
        f"{kinds and f' ({kinds})'}, "
        f"{text.counted(len(capture.transfers), 'transfer', 'transfers')}"
    )


def _sampled(capture: Capture) -> str:
    if capture.sampled_from is None:
        return ""
    return f"a sample of {text.count(capture.sampled_from)} connections: "


def quic(capture: Capture) -> str | None:
    """A line on the QUIC connections, where there are any."""
    rows = capture.quic
    if rows is None or rows.is_empty():
        return None
    versions = ", ".join(sorted(set(rows["version"])))
    known = rows["rtt_s"].drop_nulls()
    middle: Any = known.median()
    shaken = text.counted(len(known), "handshake", "handshakes")
    trip = f"; median RTT {text.seconds(middle)} ({shaken})" if middle else ""
    counted = text.counted(len(rows), "connection", "connections")
    to_servers, to_clients = (int(rows[name].sum()) for name in ("c2s_bytes", "s2c_bytes"))
    return (
        f"QUIC: {counted} ({versions}), {text.size(to_servers)} to servers and "
        f"{text.size(to_clients)} to clients{trip}. The rest of it is encrypted; it is not among "
        "the rows."
    )


def summary_table(s: dict[str, Any]) -> Grid:
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
            _spread(s["over_rate_bytes_per_s"], lambda rate: text.rate(8 * rate)),
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


def _share(count: int, share: float | None) -> str:
    return str(count) if share is None else f"{count} ({share:.1%})"


def _not_reduced(reduction: dict[str, Any]) -> str:
    return _share(reduction["not_reduced"], reduction["not_reduced_share_of_over"])


def _reduced(reduction: dict[str, Any]) -> str:
    return _share(reduction["above_1MB_per_s"], reduction["above_1MB_per_s_share_of_over"])


def networks(capture: Capture, most: int = 20) -> Grid:
    """The far networks and what could be told of the paths to them."""
    titles = ["conns", "min RTT", "sent", "rate", "buffer"]
    grid = Grid([Column("network", number=False), *(Column(title) for title in titles)])
    grid.columns += [Column(title, spare=1) for title in ("received", "rate", "buffer")]
    groups, known = capture.groups, _data(capture)
    grid.rows = [
        [
            group.network,
            str(group.connections),
            text.seconds(group.min_rtt_s),
            *(
                cell
                for way, data in zip(group.ways, sizes, strict=True)
                for cell in _path(way, data)
            ),
        ]
        for group in groups[:most]
        for sizes in [known.get(group.network, tuple(way.bytes for way in group.ways))]
    ]
    if len(groups) > most:
        grid.title = f"The {most} networks with most data, of {len(groups)}"
    return grid


def _data(capture: Capture) -> dict[str, tuple[int, int]]:
    """Bytes to and from each network, counted as those of connections: without repetitions.

    A sample has the connections of a part only.
    """
    import polars as pl

    if capture.sampled_from is not None:
        return {}
    by_remote = pl.col("opener") == "remote"
    ways = [("s2c_bytes", "c2s_bytes"), ("c2s_bytes", "s2c_bytes")]
    sums = capture.connections.group_by("network").agg(
        pl.when(by_remote).then(opened).otherwise(other).sum().alias(opened)
        for opened, other in ways
    )
    return {network: (sent, received) for network, sent, received in sums.iter_rows()}


def _path(path: PathEstimate, data: int) -> list[str]:
    buffer = path.buffer_packets
    sign = "≥ " if path.buffer_at_least else ""
    bounded = path.rate_bps is None and path.rate_low_bps is not None
    rate = f"≥ {text.rate(path.rate_low_bps)}" if bounded else text.rate(path.rate_bps)
    return [
        text.size(data),
        rate,
        text.ABSENT if buffer is None else f"{sign}{buffer} pkt",
    ]


def connections(capture: Capture, most: int = 20) -> Grid:
    """The connections with the largest amount of data."""
    import polars as pl

    columns = [Column("client", number=False), Column("server", number=False)]
    columns += [Column("handshake", number=False), Column("RTT")]
    columns += [Column(title) for title in ("to server", "to client", "retrans.")]
    grid = Grid([*columns, Column("flags", number=False)])
    data = capture.connections.select(data=pl.sum_horizontal("c2s_bytes", "s2c_bytes"))
    # Stable, so that of equals the earlier ones are shown. To sort whole rows would copy them all.
    order = data.with_row_index().sort("data", descending=True, maintain_order=True)["index"]
    largest = capture.connections[order.head(most)]
    grid.rows = [_connection_row(row) for row in largest.iter_rows(named=True)]
    if len(capture.connections) > most:
        grid.title = f"The {most} largest connections, of {len(capture.connections)}"
    return grid


def _connection_row(row: dict[str, Any]) -> list[str]:
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
