"""What a replay needs of a capture, and the conversations that it plays."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from flowstart.captures.contents import Capture
from flowstart.captures.summary import least_rtt_s
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

    def requested(self) -> "pl.DataFrame":
        """By transfer, `request_s`: what its receiver waits before the sender begins with it.

        For a server's response it is the request's way, half a round trip, and the time from the
        request's arrival to the response, if the recording has the request. A client begins when
        it wants to.
        """
        import polars as pl

        requests = self.transfers.filter("from_client").select("connection", asked_s="end_s")
        known = self.connections.select("connection", "least_rtt_s", "server_rtt_s")
        starts = (
            self.transfers.select("transfer", "connection", "from_client", "start_s")
            .sort("start_s")
            .join_asof(
                requests.drop_nulls().sort("asked_s"),
                left_on="start_s",
                right_on="asked_s",
                by="connection",
                check_sortedness=False,
            )
            .join(known, on="connection", maintain_order="left")
        )
        # Both are seen at the monitor, which may be away from the server.
        taken = (pl.col("start_s") - pl.col("asked_s") - pl.col("server_rtt_s")).clip(0.0)
        request_s = pl.col("least_rtt_s") / 2 + taken.fill_null(0.0)
        return starts.select(
            "transfer", request_s=pl.when("from_client").then(0.0).otherwise(request_s)
        )

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
        sections: dict[str, Section] = {}
        row = transfer = 0
        for network, rows, moved in sizes.iter_rows():
            ends = row + rows, transfer + moved
            sections[network] = Section(whole, slice(row, ends[0]), slice(transfer, ends[1]))
            row, transfer = ends
        return sections

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
    """Connections with their far side, and the least round trip of the host there."""
    import polars as pl

    least = pl.col("least_rtt_s")
    measured = pl.format("{}us", (least * 1e6).round().clip(1).cast(pl.Int64))
    least = least.fill_null(quantities.read_seconds(settings.rtt) or 0.0)
    return (
        _placed(capture)
        .select(*CARRIED, "least_rtt_s")
        .with_columns(
            least_rtt_s=least,
            rtt=pl.lit(settings.rtt) if settings.rtt else measured,
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
        least_rtt_s=least_rtt_s(),
        opener=pl.when(seen).then("opener"),
    )


def _transfers(capture: Capture, begin: float) -> "pl.DataFrame":
    """Transfers in the order of their starts, with times since `begin`."""
    import polars as pl

    rows = capture.transfers.with_row_index("transfer").sort("start", maintain_order=True)
    since = pl.col("start") - begin
    return rows.select(
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
    joined = connections.rename({"end_s": "lasts_s"}).join(times, on="connection")
    open_s = pl.min_horizontal("first_s", pl.col("start") - begin)
    timed = joined.with_columns(
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


DELAYED_ACK_S = 0.04
"""How long a host may keep an acknowledgement back for data of its own (Linux's TCP_DELACK_MIN)."""
TIME_DIGITS = 6
"""Times of a replay are to the microsecond, as most captures have them."""
LONGEST_PAUSE_S = 600.0
"""No pause of a scenario is longer; by then windows have long restarted."""


@dataclass(frozen=True, slots=True)
class Cause:
    """A turn that another waits for."""

    conversation: int
    """The place of its conversation among those of a part."""
    turn: int
    pause_s: float
    """From its arrival to what waits for it."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One direction's data between turns of the other."""

    transfer: int
    """Its number among the capture's transfers."""
    from_client: bool
    start_s: float
    """When its sender began with it, since the capture's first transfer."""
    size_bytes: int
    cause: Cause | None
    """None where nothing before it on its connection has reached its sender."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A connection as it is replayed."""

    connection: dict[str, Any]
    """Its row among those of the traffic."""
    opens_s: float
    """When the client would send its SYN, for data to leave when it did."""
    page: Cause | None
    """The reply on another connection that its opening waits for."""
    turns: tuple[Turn, ...]

    @property
    def shook_hands(self) -> bool:
        """Whether the capture shows its handshake."""
        return bool(self.connection["handshake"] == "complete")


def conversations(part: Traffic) -> list[Conversation]:
    """The conversations of a part of the traffic, in the order of their opening."""
    seen = part.transfers.partition_by("connection", as_dict=True)
    conversations: list[Conversation] = []
    pages = _Pages()
    for connection in part.connections.iter_rows(named=True):
        rows = seen[(connection["connection"],)].rows(named=True)
        number = len(conversations)
        turns = tuple(_turns(number, rows, connection))
        opens_s = _opening(connection, turns[0])
        page = pages.last_reply(connection, opens_s)
        conversations.append(Conversation(connection, opens_s, page, turns))
        pages.note(number, connection, rows)
    return conversations


def _turns(
    number: int, rows: Iterable[dict[str, Any]], connection: dict[str, Any]
) -> Iterator[Turn]:
    before: list[dict[str, Any]] = []
    for row in rows:
        arrived = [
            (i, other)
            for i, other in enumerate(before)
            if other["from_client"] != row["from_client"] and other["end_s"] <= row["start_s"]
        ]
        cause = None
        if arrived:
            turn, other = max(arrived, key=lambda pair: pair[1]["end_s"])
            cause = Cause(number, turn, _pause(other, row, connection))
        near_s = _round_trip(connection, from_client=row["from_client"]) / 2
        size = row["bytes"]
        yield Turn(row["transfer"], row["from_client"], row["start_s"] - near_s, size, cause)
        before.append(row)


def _round_trip(connection: dict[str, Any], *, from_client: bool) -> float:
    """The round trip between the monitor and the sender, in seconds."""
    server: float = connection["server_rtt_s"]
    return connection["least_rtt_s"] - server if from_client else server


def _pause(other: dict[str, Any], row: dict[str, Any], connection: dict[str, Any]) -> float:
    """How long the sender of `row` took after `other` had arrived, in seconds.

    An acknowledgement that came by itself tells when that was. Where the answer carried it, the
    application was quicker than a delayed acknowledgement.
    """
    acked_s = other["acked_s"]
    if acked_s is not None and acked_s < row["start_s"]:
        pause = row["start_s"] - acked_s
    else:
        passing = row["start_s"] - other["end_s"]
        away = _round_trip(connection, from_client=row["from_client"])
        pause = min(passing - away, DELAYED_ACK_S)
    return float(min(max(pause, 0.0), LONGEST_PAUSE_S))


def _opening(connection: dict[str, Any], first: Turn) -> float:
    """When the client's SYN left, for the first data to leave when it did."""
    if connection["handshake"] != "complete":
        return first.start_s
    round_trips = 1.0 if first.from_client else 1.5
    return float(first.start_s - round_trips * connection["least_rtt_s"])


class _Pages:
    """The replies that each client has had, for connections that it opens later."""

    def __init__(self) -> None:
        self._replies: dict[str, list[tuple[float, int, int]]] = {}

    def note(self, number: int, connection: dict[str, Any], rows: list[dict[str, Any]]) -> None:
        """Takes in the replies of a conversation."""
        away_s = _round_trip(connection, from_client=True) / 2
        heard = self._replies.setdefault(connection["client_ip"], [])
        for turn, row in enumerate(rows):
            if not row["from_client"] and row["acked_s"] is not None:
                heard.append((row["acked_s"] - away_s, number, turn))

    def last_reply(self, connection: dict[str, Any], opens_s: float) -> Cause | None:
        """The last reply before an opening, unless that is of another page."""
        heard = self._replies.get(connection["client_ip"], [])
        before = (reply for reply in heard if opens_s - PAGE_GAP_S <= reply[0] <= opens_s)
        last = max(before, default=None)
        return Cause(last[1], last[2], opens_s - last[0]) if last else None
