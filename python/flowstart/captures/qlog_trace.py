"""One connection of a qlog, while its events pass by.

Events are those of draft-ietf-quic-qlog-quic-events: packets with their frames, and what the
endpoint's recovery measures.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from flowstart.captures.networks import network

SENT, RECEIVED = "packet_sent", "packet_received"


@dataclass
class Stream:
    """What one stream carries in one direction."""

    start: float
    end: float
    size: int = 0
    """Up to here the stream has been seen; repetitions do not count."""


@dataclass
class Trace:
    """One connection, as one endpoint logged it."""

    file: str
    by_server: bool
    name: str
    begin_s: float
    start: float = 0.0
    last: float = 0.0
    bad: int = 0
    client: tuple[str | None, int | None] = (None, None)
    server: tuple[str | None, int | None] = (None, None)
    packets: list[int] = field(default_factory=lambda: [0, 0])
    """Of the client and of the server."""
    lost: int = 0
    streams: dict[tuple[int, int], Stream] = field(default_factory=dict)
    """By sender (0 the client) and stream."""
    plain: dict[int, Stream] = field(default_factory=dict)
    """The same of whole packets."""
    rtts: list[float] = field(default_factory=list)
    """The first sample and the least."""
    windows: list[int] = field(default_factory=list)
    """The first congestion window and the largest."""

    def take(self, time: float, name: str, data: dict[str, Any]) -> None:
        """Takes an event into account."""
        kind = name.rpartition(":")[2]
        if kind in (SENT, RECEIVED):
            sent = kind == SENT
            self._packet(time, int(self.by_server == sent), data)
        elif kind in ("metrics_updated", "recovery_metrics_updated"):
            self._metrics(data)
        elif kind == "packet_lost":
            self.lost += 1
        elif kind == "connection_started":
            self._ends(data)

    def _packet(self, time: float, sender: int, data: dict[str, Any]) -> None:
        if not any(self.packets):
            self.start = time
        self.last = max(self.last, time)
        self.packets[sender] += 1
        raw = table(data.get("raw"))
        length = count_of(raw.get("length")) or count_of(
            table(data.get("header")).get("packet_size")
        )
        frames = data.get("frames")
        for frame in frames if isinstance(frames, list) else []:
            self._frame(time, sender, table(frame))
        if length:
            plain = self.plain.setdefault(sender, Stream(time, time))
            plain.size, plain.end = plain.size + length, time

    def _frame(self, time: float, sender: int, frame: dict[str, Any]) -> None:
        number, offset = count_of(frame.get("stream_id")), count_of(frame.get("offset"))
        length = count_of(frame.get("length"))
        if length is None:
            length = count_of(table(frame.get("raw")).get("payload_length"))
        if frame.get("frame_type") != "stream" or number is None or not length:
            return
        end = (offset or 0) + length
        stream = self.streams.setdefault((sender, number), Stream(time, time))
        if end > stream.size:
            stream.size, stream.end = end, time

    def _metrics(self, data: dict[str, Any]) -> None:
        for name in ("latest_rtt", "min_rtt"):
            sample = number_of(data.get(name))
            if sample and sample > 0:
                first = self.rtts[0] if self.rtts else sample / 1e3
                self.rtts = [first, min(self.rtts[-1] if self.rtts else first, sample / 1e3)]
                break
        window = count_of(data.get("congestion_window"))
        if window:
            first_window = self.windows[0] if self.windows else window
            self.windows = [first_window, max(*self.windows, window, 0)]

    def _ends(self, data: dict[str, Any]) -> None:
        def end(side: str) -> tuple[str | None, int | None]:
            address, port = data.get(f"{side}_ip"), count_of(data.get(f"{side}_port"))
            return (address if isinstance(address, str) else None), port

        ends = end("src"), end("dst")
        # The source is who logs.
        self.client, self.server = ends[::-1] if self.by_server else ends

    @property
    def network(self) -> str:
        """The peer's network, or the trace where addresses are not told."""
        address = (self.client if self.by_server else self.server)[0]
        return network(address) or f"peer of {self.name}"

    def sizes(self) -> tuple[int, int]:
        """Bytes of the client and of the server."""
        counted = (
            self.streams.items()
            if self.streams
            else (((sender, 0), stream) for sender, stream in self.plain.items())
        )
        sums = [0, 0]
        for (sender, _), stream in counted:
            sums[sender] += stream.size
        return sums[0], sums[1]

    def row(self, number: int) -> dict[str, Any]:
        """The connection, in the columns of a capture that it tells."""
        sizes = self.sizes()
        lost = "s2c_retransmissions" if self.by_server else "c2s_retransmissions"
        return {
            "stream": number,
            "file": self.file,
            "start": self.begin_s + self.start,
            "client_ip": self.client[0],
            "client_port": self.client[1],
            "server_ip": self.server[0],
            "server_port": self.server[1],
            "ip_version": 6 if ":" in (self.client[0] or "") else 4,
            "network": self.network,
            "opener": "remote" if self.by_server else "local",
            "handshake": "complete",
            "rtt_s": self.rtts[0] if self.rtts else None,
            "c2s_bytes": sizes[0],
            "s2c_bytes": sizes[1],
            "c2s_packets": self.packets[0],
            "s2c_packets": self.packets[1],
            lost: self.lost,
            "end_s": self.last - self.start,
            "copies": 0,
            "flags": "",
        }

    def rows(self, number: int) -> Iterator[dict[str, Any]]:
        """The transfers."""
        streams = self.streams or {(sender, 0): one for sender, one in self.plain.items()}
        for (sender, _), stream in sorted(streams.items(), key=lambda item: item[1].start):
            yield {
                "connection": number,
                "direction": ("c2s", "s2c")[sender],
                "start": self.begin_s + stream.start,
                "bytes": stream.size,
                "end_s": stream.end - stream.start,
                "acked_s": None,
            }

    def recovery(self) -> dict[str, Any]:
        """What the endpoint's recovery told: round trips in seconds, windows in bytes."""
        return {
            "first_rtt_s": self.rtts[0] if self.rtts else None,
            "min_rtt_s": self.rtts[-1] if self.rtts else None,
            "first_cwnd_bytes": self.windows[0] if self.windows else None,
            "max_cwnd_bytes": self.windows[-1] if self.windows else None,
            "packets_lost": self.lost,
        }


class Clock:
    """The times of events, in seconds since the trace began."""

    def __init__(self, form: str, begin_ms: float) -> None:
        self.form = form
        self.begin_ms = begin_ms
        self.now = 0.0

    def seconds(self, time_ms: float) -> float:
        """The time of an event, by the main schema's `time_format`."""
        if self.form in ("delta", "relative_to_previous_event"):
            self.now += time_ms / 1e3
            return self.now
        return (time_ms - self.begin_ms if self.form == "absolute" else time_ms) / 1e3


def table(value: Any) -> dict[str, Any]:
    """An object of JSON; an empty one where there is none."""
    return value if isinstance(value, dict) else {}


def number_of(value: Any) -> float | None:
    """A finite number; qlog writes large ones as text."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if abs(number) < 2.0**53 else None


def count_of(value: Any) -> int | None:
    """A number that is not below zero."""
    number = number_of(value)
    return int(number) if number is not None and number >= 0 else None
