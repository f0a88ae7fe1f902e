"""The networks at the far side of a capture, and what could be told of the paths to them."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


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
