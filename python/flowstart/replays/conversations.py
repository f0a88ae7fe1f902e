"""Connections as conversations: turns, what each waits for, and how long applications took.

A capture shows packets where they pass the monitor. What a host hears it hears half the monitor's
round trip with it later, and what it says it has said as much earlier.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from flowstart.replays.traffic import PAGE_GAP_S, Traffic

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
    found: list[Conversation] = []
    pages = _Pages()
    for connection in part.connections.iter_rows(named=True):
        rows = seen[(connection["connection"],)].rows(named=True)
        number = len(found)
        turns = tuple(_turns(number, rows, connection))
        opens_s = _opening(connection, turns[0])
        page = pages.last_reply(connection, opens_s)
        found.append(Conversation(connection, opens_s, page, turns))
        pages.note(number, connection, rows)
    return found


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
