"""What the two hosts of a recorded connection said of themselves, as fields of a flow's stack."""

import functools
import json
from dataclasses import dataclass
from typing import Any

from flowstart.captures.demands import DEFAULT_MSS
from flowstart.model.document import Document, resolve
from flowstart.replays.conversations import Conversation
from flowstart.replays.settings import Settings

TIMESTAMPS = 12
"""Bytes of each segment that RFC 7323's timestamps take, with their padding."""
BESIDE_OPTIONS = {4: 40, 6: 60}
"""Bytes of the headers of IP and TCP, by the version of IP."""
PACKET = 1500
"""Bytes of a full-size packet where the handshake was not seen: Ethernet's."""


@dataclass(frozen=True)
class _Nature:
    """What fields mean something beside a stack's others."""

    numbers_packets: bool
    grows: bool
    counts_duplicates: bool
    timestamps: bool


def own_fields(
    conversation: Conversation, from_client: bool, stack: dict[str, Any], settings: Settings
) -> Document:
    """The fields of a flow's stack that are this connection's, for the data of one side.

    `stack` is the sender's without them.
    """
    nature = _nature(json.dumps(stack, sort_keys=True))
    if nature.numbers_packets:
        return {}
    own = _segments(conversation.connection, nature)
    mss = int(own["mss"].removesuffix("B"))
    if settings.has("handshake") and _repeated(conversation.connection, from_client):
        own["iw"] = "1"
    if settings.has("windows"):
        own |= _windows(conversation.connection, from_client, nature, mss)
    return own


def _repeated(connection: dict[str, Any], from_client: bool) -> bool:
    """Whether a side has sent its part of the handshake again more than once.

    It begins with one segment then (RFC 5681, section 3.1; Linux's tcp_init_transfer).
    """
    sent: int = connection["syns" if from_client else "syn_acks"] or 1
    return sent > 2


@functools.cache
def _nature(stack: str) -> _Nature:
    whole = resolve(
        {
            "path": {"rate": "10Mbps", "rtt": "50ms"},
            "flows": [{"size": "1kB"}],
            "stack": json.loads(stack),
        }
    )["stack"]
    return _Nature(
        numbers_packets=whole["recovery"] == "quic",
        grows=whole["window_growth"] == "linux",
        counts_duplicates=whole["recovery"] == "rack",
        timestamps=int(whole["header"].removesuffix("B")) >= BESIDE_OPTIONS[4] + TIMESTAMPS,
    )


def _segments(connection: dict[str, Any], nature: _Nature) -> Document:
    """The segment size that both announced, less options, and what goes with a segment."""
    version = connection["ip_version"]
    beside = BESIDE_OPTIONS[version]
    told = [connection["client_mss"], connection["server_mss"]]
    mss = min(one or DEFAULT_MSS[version] for one in told) if any(told) else PACKET - beside
    options = 0
    if nature.timestamps and connection["timestamps"] is not False:
        options = TIMESTAMPS
    own: Document = {"mss": f"{mss - options}B", "header": f"{beside + options}B"}
    if nature.counts_duplicates and connection["sack"] is False:
        own |= {"sack": False, "dsack": False}
    return own


def _windows(connection: dict[str, Any], from_client: bool, nature: _Nature, mss: int) -> Document:
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
