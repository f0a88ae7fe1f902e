"""What of a capture is replayed: connections and transfers as frames, cut where nothing is open."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from flowstart.captures.contents import Capture
from flowstart.model import quantities
from flowstart.replays.settings import Settings

if TYPE_CHECKING:
    import polars as pl

WITHOUT_RTT = "round trip not known"
"""Why a transfer is left out that `rtt` would let in."""
PAGE_GAP_S = 1.0
"""A page ends where nothing of it is under way for a second.

So the studies of web traffic tell the pages of one client apart (Barford and Crovella, 1998;
Smith, Hernández-Campos, Jeffay and Ott, 2001).
"""
LEAST_TRANSFERS = 300
"""A cut is worth while after so many."""
SILENCE_S = 3600.0
"""Or where nothing is open for so long: captures may be put together over years."""
CARRIED = (
    *("connection", "network", "client_is_remote", "opener", "handshake", "start", "end_s"),
    *("syns", "syn_acks", "ip_version"),
    *("client_ip", "server_ip", "rtt_s", "server_rtt_s", "flags", "client_mss", "server_mss"),
    *("timestamps", "sack", "c2s_window", "c2s_handshake_window", "c2s_widest_window"),
    *("s2c_window", "s2c_handshake_window", "s2c_widest_window"),
    *("c2s_zero_windows", "s2c_zero_windows"),
)
"""What a replay has to know of connections."""
PASSING = ("start", "lasts_s", "first_s", "last_s", "rtt_s", "flags", "server_ip")
"""What is of no use any more once a connection's times and round trip are known."""


@dataclass(frozen=True)
class Traffic:
    """Connections and their transfers, in the order of their starts; times since the first."""

    connections: "pl.DataFrame"
    """One row per connection with data, with `network`, `client_is_remote`, `rtt`, ..."""
    transfers: "pl.DataFrame"
    """One row per transfer: its number, `connection`, `from_client`, bytes and times."""

    @classmethod
    def of(cls, capture: Capture, settings: Settings, left_out: dict[str, int]) -> "Traffic":
        """All that can be replayed; counts what is left out, by reason."""
        import polars as pl

        connections = _connections(capture, settings)
        begin = cast("float", capture.transfers["start"].min() or 0.0)
        transfers = _transfers(capture, begin)
        for name, why in (("network", "far side not known"), ("rtt", WITHOUT_RTT)):
            lacking = connections.filter(pl.col(name).is_null()).select("connection")
            mine = transfers
            if lacking.height:
                mine = transfers.join(lacking, on="connection", how="anti", maintain_order="left")
            lacks = transfers.height - mine.height
            if lacks:
                left_out[why] = left_out.get(why, 0) + lacks
            transfers = mine
        return cls(_with_times(connections, transfers, begin), transfers)

    def by_network(self) -> dict[str, "Section"]:
        """What each network has of it, in the order of their first connections."""
        import polars as pl

        first = pl.col("row").min().over("network").alias("first")
        places = self.connections.with_row_index("row").select("connection", first)
        connections = self.connections.with_columns(places["first"])
        connections = connections.sort("first", maintain_order=True)
        transfers = self.transfers.join(places, on="connection", maintain_order="left")
        transfers = transfers.sort("first", maintain_order=True)
        whole = Traffic(connections.drop("first"), transfers.drop("first"))
        sizes = connections.group_by("network", maintain_order=True).agg(
            pl.len(), pl.col("transfers").sum()
        )
        found: dict[str, Section] = {}
        row = transfer = 0
        for network, rows, moved in sizes.iter_rows():
            ends = row + rows, transfer + moved
            found[network] = Section(whole, slice(row, ends[0]), slice(transfer, ends[1]))
            row, transfer = ends
        return found

    def chunks(self) -> Iterator["Traffic"]:
        """Parts of some hundred transfers, cut where no connection and no page is open."""
        import polars as pl

        cuts = list(_cuts(self.connections))
        numbers = [n for n, (first, behind) in enumerate(cuts) for _ in range(first, behind)]
        part = pl.Series("part", numbers, dtype=pl.UInt32)
        parts = self.connections.select("connection").with_columns(part)
        ordered = self.transfers.join(parts, on="connection").sort("part", "start_s", "transfer")
        sizes = ordered.group_by("part", maintain_order=True).len()["len"].to_list()
        at = 0
        for (first, behind), size in zip(cuts, sizes, strict=True):
            yield Traffic(self.connections[first:behind], ordered[at : at + size].drop("part"))
            at += size


@dataclass(frozen=True)
class Section:
    """Consecutive rows of a traffic.

    It has no frames of its own: those of thousands of networks take more memory than their rows.
    """

    whole: Traffic
    connections: slice
    transfers: slice

    @property
    def traffic(self) -> Traffic:
        """The rows as frames, which share the memory of the whole."""
        return Traffic(
            self.whole.connections[self.connections], self.whole.transfers[self.transfers]
        )

    @property
    def height(self) -> int:
        """How many transfers it has."""
        return len(range(self.whole.transfers.height)[self.transfers])


def _connections(capture: Capture, settings: Settings) -> "pl.DataFrame":
    """Connections with their far side, and the least round trip of the host there.

    A handshake waits in queues like anything else; the least of a host's is its distance.
    """
    import polars as pl

    remote = pl.when("client_is_remote").then("client_ip").otherwise("server_ip")
    certain = pl.when(~pl.col("flags").str.contains("syn-ack-retransmitted")).then("rtt_s")
    least = pl.coalesce(
        certain.min().over("network", remote), certain.min().over("network"), pl.col("rtt_s")
    )
    told = pl.format("{}us", (least * 1e6).round().clip(1).cast(pl.Int64))
    least = least.fill_null(quantities.read_seconds(settings.rtt) or 0.0)
    return (
        _placed(capture)
        .select(*CARRIED)
        .with_columns(
            least_rtt_s=least,
            rtt=pl.lit(settings.rtt) if settings.rtt else told,
            server_rtt_s=pl.min_horizontal(pl.col("server_rtt_s").fill_null(0.0), least),
        )
    )


def _placed(capture: Capture) -> "pl.DataFrame":
    """Connections with which side opened them; as `opener` where the handshake was seen."""
    import polars as pl

    seen = pl.col("handshake") != "not seen"
    return capture.connections.with_columns(
        pl.col("stream").cast(pl.Int64).alias("connection"),
        client_is_remote=pl.col("opener") == "remote",
        opener=pl.when(seen).then("opener"),
    )


def _transfers(capture: Capture, begin: float) -> "pl.DataFrame":
    """Transfers in the order of their starts, with times since `begin`."""
    import polars as pl

    found = capture.transfers.with_row_index("transfer").sort("start", maintain_order=True)
    since = pl.col("start") - begin
    return found.select(
        pl.col("transfer").cast(pl.Int64),
        pl.col("connection").cast(pl.Int64),
        from_client=pl.col("direction") == "c2s",
        start_s=since,
        bytes="bytes",
        end_s=since + pl.col("end_s"),
        acked_s=since + pl.col("acked_s"),
    )


def _with_times(
    connections: "pl.DataFrame", transfers: "pl.DataFrame", begin: float
) -> "pl.DataFrame":
    """The connections that have transfers, with when they were open, in the order of that."""
    import polars as pl

    last = pl.max_horizontal("end_s", "acked_s").max()
    times = transfers.group_by("connection").agg(
        transfers=pl.len(), first_s=pl.col("start_s").min(), last_s=last
    )
    found = connections.rename({"end_s": "lasts_s"}).join(times, on="connection")
    open_s = pl.min_horizontal("first_s", pl.col("start") - begin)
    timed = found.with_columns(
        open_s=open_s,
        close_s=pl.max_horizontal("last_s", open_s + pl.col("lasts_s").fill_null(0.0)),
    )
    return timed.drop(PASSING).sort("open_s", "connection")


def _cuts(connections: "pl.DataFrame") -> Iterator[tuple[int, int]]:
    """The first and the last but one row of each part."""
    import polars as pl

    before = pl.col("close_s").cum_max().shift(1)
    silences = connections.select(pl.col("open_s") - before).to_series().fill_null(0.0)
    sizes = connections["transfers"].cum_sum()
    first, behind = 0, 0
    for row in (silences > PAGE_GAP_S).arg_true().to_list():
        if sizes[row - 1] - behind >= LEAST_TRANSFERS or silences[row] > SILENCE_S:
            yield first, row
            first, behind = row, sizes[row - 1]
    if first < connections.height:
        yield first, connections.height
