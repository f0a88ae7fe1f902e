"""A part of a capture's traffic as a scenario: two flows for a connection, one each way."""

import dataclasses
import functools
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from flowstart.captures.summary import DEFAULT_MSS
from flowstart.comparison import larger_window
from flowstart.model import quantities
from flowstart.model.document import Document, resolve
from flowstart.model.path import interface_fields
from flowstart.model.variants import Variant
from flowstart.render import footnotes
from flowstart.replays.settings import Settings
from flowstart.replays.traffic import TIME_DIGITS, Cause, Conversation, Turn

TIMESTAMPS = 12
"""Bytes of each segment that RFC 7323's timestamps take, with their padding."""
BESIDE_OPTIONS = {4: 40, 6: 60}
"""Bytes of the headers of IP and TCP, by the version of IP."""
PACKET = 1500
"""Bytes of a full-size packet where the handshake was not seen: Ethernet's."""


@dataclass(frozen=True)
class Nature:
    """What fields mean something beside a stack's others."""

    numbers_packets: bool
    grows: bool
    counts_duplicates: bool
    timestamps: bool


def own_fields(
    conversation: Conversation, from_client: bool, side: "Side", settings: Settings
) -> Document:
    """The fields of a flow's stack that are this connection's, for the data of one side."""
    nature = side.nature
    if nature.numbers_packets:
        return {}
    own = _segments(conversation.connection, nature)
    mss = int(own["mss"].removesuffix("B"))
    sent = conversation.connection["syns" if from_client else "syn_acks"] or 1
    if settings.has("handshake") and sent > 2:
        own["iw"] = "1"  # RFC 5681, section 3.1; Linux's tcp_init_transfer
    if settings.has("windows") and not side.has_given_windows:
        own |= _windows(conversation.connection, from_client, nature, mss)
    return own


@functools.cache
def _nature(stack: str) -> Nature:
    whole = resolve(
        {
            "path": {"rate": "10Mbps", "rtt": "50ms"},
            "flows": [{"size": "1kB"}],
            "stack": json.loads(stack),
        }
    )["stack"]
    return Nature(
        numbers_packets=whole["recovery"] == "quic",
        grows=whole["window_growth"] == "linux",
        counts_duplicates=whole["recovery"] == "rack",
        timestamps=int(whole["header"].removesuffix("B")) >= BESIDE_OPTIONS[4] + TIMESTAMPS,
    )


def _segments(connection: dict[str, Any], nature: Nature) -> Document:
    """The segment size that both announced, less options, and what goes with a segment."""
    version = connection["ip_version"]
    beside = BESIDE_OPTIONS[version]
    sizes = [connection["client_mss"], connection["server_mss"]]
    mss = min(size or DEFAULT_MSS[version] for size in sizes) if any(sizes) else PACKET - beside
    options = 0
    if nature.timestamps and connection["timestamps"] is not False:
        options = TIMESTAMPS
    own: Document = {"mss": f"{mss - options}B", "header": f"{beside + options}B"}
    if nature.counts_duplicates and connection["sack"] is False:
        own |= {"sack": False, "dsack": False}
    return own


def _windows(connection: dict[str, Any], from_client: bool, nature: Nature, mss: int) -> Document:
    """What the receiver offered at first, and the most it ever did.

    Of a Linux receiver's buffer one half counts as payload until a segment has shown more.
    """
    way = "c2s" if from_client else "s2c"
    offers = (connection[f"{way}_window"], connection[f"{way}_handshake_window"])
    first = max((offer for offer in offers if offer), default=None)
    if first is None:
        return {}
    widest = max(connection[f"{way}_widest_window"] or 0, first, mss)
    own: Document = {"window": f"{widest}B"}
    if nature.grows:
        whole = max(first, mss) // mss * mss
        own |= {"receive_buffer": f"{2 * max(whole, 2 * mss)}B"}
    return own


AFTERWARDS_S = 3600
"""How long a replay may go on after the last transfer has begun."""


@dataclass(frozen=True)
class Side:
    """What the senders of a replay do: those under test, or all others."""

    flow: Document
    given: dict[str, Any]
    """The fields of the stack that a flow has to name."""
    nature: Nature
    """That of the stack without the fields of a connection."""
    has_given_windows: bool = False
    """Whether the windows of its receivers are given, and not those that were recorded."""
    has_larger_windows: bool = False
    """Whether its receivers have larger windows than they had."""


def under(variant: Variant, settings: Settings) -> Side:
    """What senders do that are under test."""
    flow = variant.flow()
    if usual := settings.cc or settings.recorded.cc:
        flow.setdefault("cc", usual)
    if settings.cached_cwnd:
        flow.setdefault("cached_cwnd", settings.cached_cwnd)
    if "cached_cwnd" not in flow and footnotes.uses_memory(str(variant.begins)):
        lifetime = {"sharing": "remember", "sharing_lifetime": settings.memory_lifetime}
        flow["stack"] = lifetime | flow.get("stack", {})
    return _side(flow, usual_stack(settings), has_larger_windows=variant == settings.larger)


def recorded(settings: Settings) -> Side:
    """What all others do."""
    usual, flow = usual_stack(settings), settings.recorded.flow()
    if flow.get("stack") == usual:
        del flow["stack"]
    return dataclasses.replace(_side(flow, usual), has_given_windows=False)


def _side(flow: Document, usual: dict[str, Any], *, has_larger_windows: bool = False) -> Side:
    fields = flow.pop("stack", {})
    stack = fields if "preset" in fields else usual | fields
    nature = _nature(json.dumps(stack, sort_keys=True))
    has_windows = not stack.keys().isdisjoint(larger_window.SIZES)
    return Side(flow, fields, nature, has_windows, has_larger_windows)


@dataclass(frozen=True)
class Sides:
    """What all senders of a replay do."""

    switched: Side
    """Those under the variant."""
    kept: Side
    """Those under test that are not switched."""
    others: Side

    @classmethod
    def of(cls, variant: Variant, settings: Settings) -> "Sides":
        """What senders do when those under test are switched to a variant."""
        kept = under(settings.reference, settings)
        return cls(under(variant, settings), kept, recorded(settings))


def usual_stack(settings: Settings) -> dict[str, Any]:
    """The stack of all hosts, unless a flow says otherwise."""
    return settings.stack or settings.recorded.fields


@dataclass
class Labels:
    """Which transfer each write of a scenario's flows stands for, in columns."""

    flow: list[int] = field(default_factory=list)
    write: list[int] = field(default_factory=list)
    transfer: list[int] = field(default_factory=list)
    connection: list[int] = field(default_factory=list)
    from_client: list[bool] = field(default_factory=list)
    tested: list[bool] = field(default_factory=list)
    switched: list[bool] = field(default_factory=list)
    """Whether it is under the variant, and not under what the connection had before."""
    opener: list[str | None] = field(default_factory=list)
    rtt: list[str] = field(default_factory=list)


class Writer:
    """Writes the flows of some conversations."""

    def __init__(
        self,
        talks: Sequence[Conversation],
        sides: Sides,
        settings: Settings,
        path: Document,
        is_switched: Callable[[int], bool],
    ) -> None:
        self.talks = talks
        self.settings = settings
        self.is_switched = is_switched
        self.sides = sides
        self.interface = interface_fields(path)
        self.begin_s = min(talk.opens_s for talk in talks)
        self.places = _places(talks, warm=settings.has("warm"))
        self.labels = Labels()

    def flows(self) -> list[Document]:
        """All flows, and beside them their labels."""
        grouped: dict[int, list[tuple[int, Turn]]] = {}
        for number, talk in enumerate(self.talks):
            for turn in range(len(talk.turns)):
                flow, _ = self.places[number, turn]
                grouped.setdefault(flow, []).append((number, talk.turns[turn]))
        flows = []
        for flow in range(len(grouped)):
            number = grouped[flow][0][0]
            flows.append(self._flow(flow, self.talks[number], [turn for _, turn in grouped[flow]]))
        return flows

    def _flow(self, number: int, talk: Conversation, turns: list[Turn]) -> Document:
        connection, first = talk.connection, turns[0]
        tested = self.settings.direction in ("both", "client" if first.from_client else "server")
        switched = tested and self.is_switched(connection["connection"])
        sides = self.sides
        side = sides.switched if switched else sides.kept if tested else sides.others
        towards_remote = first.from_client != connection["client_is_remote"]
        flow: Document = {**self.interface, **side.flow}
        if not towards_remote:
            flow["direction"] = "reverse"
        flow["rtt"] = connection["rtt"]
        own = own_fields(talk, first.from_client, side, self.settings)
        if side.has_larger_windows:
            own |= larger_window.larger(own)
        flow["stack"] = side.given | own
        flow |= self._timing(talk, turns)
        for write, turn in enumerate(turns):
            self._label(number, write, turn, connection, tested=tested, switched=switched)
        return flow

    def _timing(self, talk: Conversation, turns: list[Turn]) -> Document:
        """The writes, and how the flow opens."""
        first, opens = turns[0], talk.turns[0] is turns[0]
        shakes = opens and talk.shook_hands and self.settings.has("handshake")
        timing: Document = {"handshake": shakes}
        if shakes and not first.from_client:
            timing["opener"] = "receiver"
        start_s = talk.opens_s if shakes else first.start_s
        cause = self._cause(talk, first)
        if cause is None:
            timing["start"] = quantities.seconds(start_s - self.begin_s, TIME_DIGITS)
        writes = []
        for turn in turns:
            cause = self._cause(talk, turn)
            at_s = 0.0 if turn is first else max(turn.start_s - start_s, 0.0)
            at = quantities.seconds(at_s, TIME_DIGITS)
            when: Document = {"at": at} if cause is None else {"after": self._after(cause)}
            writes.append({"size": quantities.octets(turn.size_bytes)} | when)
        return timing | {"writes": writes}

    def _cause(self, talk: Conversation, turn: Turn) -> Cause | None:
        """What a turn waits for in this replay."""
        if turn is talk.turns[0]:
            # Only a client waits for a page: a server that speaks first waits for its connection.
            waits = turn.from_client and self.settings.has("page") and self.settings.has("turns")
            return talk.page if waits else None
        return turn.cause if self.settings.has("turns") else None

    def _after(self, cause: Cause) -> Document:
        flow, write = self.places[cause.conversation, cause.turn]
        pause_s = cause.pause_s if self.settings.has("pauses") else 0.0
        return {"flow": flow, "write": write, "pause": quantities.seconds(pause_s, TIME_DIGITS)}

    def _label(
        self,
        flow: int,
        write: int,
        turn: Turn,
        connection: dict[str, Any],
        *,
        tested: bool,
        switched: bool,
    ) -> None:
        labels = self.labels
        labels.flow.append(flow)
        labels.write.append(write)
        labels.transfer.append(turn.transfer)
        labels.connection.append(connection["connection"])
        labels.from_client.append(turn.from_client)
        labels.tested.append(tested)
        labels.switched.append(switched)
        labels.opener.append(connection["opener"])
        labels.rtt.append(connection["rtt"])


def _places(talks: Sequence[Conversation], *, warm: bool) -> dict[tuple[int, int], tuple[int, int]]:
    """The flow and the write of each turn of each conversation."""
    places: dict[tuple[int, int], tuple[int, int]] = {}
    flows = 0
    for number, talk in enumerate(talks):
        mine: dict[bool, int] = {}
        written: dict[bool, int] = {}
        for index, turn in enumerate(talk.turns):
            side = turn.from_client
            if not warm or side not in mine:
                mine[side], written[side] = flows, 0
                flows += 1
            places[number, index] = mine[side], written[side]
            written[side] += 1
    return places


def apart(talks: Sequence[Conversation]) -> Iterator[list[Conversation]]:
    """Each conversation by itself: what it waits for on others is not there."""
    for talk in talks:
        turns = tuple(
            Turn(t.transfer, t.from_client, t.start_s, t.size_bytes, _alone(t.cause))
            for t in talk.turns
        )
        yield [Conversation(talk.connection, talk.opens_s, None, turns)]


def _alone(cause: Cause | None) -> Cause | None:
    return Cause(0, cause.turn, cause.pause_s) if cause else None
