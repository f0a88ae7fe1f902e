"""qlog: what an endpoint of QUIC logged of its own connection, read as a capture.

The main schema in its versions 0.3 and 0.4 (draft-ietf-quic-qlog-main-schema), as JSON or as
JSON-SEQ (RFC 7464), with the events of draft-ietf-quic-qlog-quic-events. A transfer is what one
stream carries in one direction.
"""

import datetime
import itertools
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, Any

from flowstart.captures import sources
from flowstart.captures.contents import Capture, Group, PathEstimate
from flowstart.captures.frames import connection_frame, network, transfer_frame
from flowstart.errors import RequestError

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
    begin_s: float | None
    """The trace's reference time since 1970; None where the file has none."""
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
    def begun_s(self) -> float:
        """The reference time, or zero."""
        return self.begin_s or 0.0

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
            "start": self.begun_s + self.start,
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
                "start": self.begun_s + stream.start,
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


RS = b"\x1e"
"""Begins each record of a JSON-SEQ file."""
MOST_JSON = 256 << 20
"""JSON in one piece is held in memory: a longer file is refused. Bytes"""
MOST_RECORD = 1 << 20
"""A longer record of JSON-SEQ is damage. Bytes"""
NOT_TOLD = "not estimated: a qlog has only its endpoint's view"


def is_qlog(file: str) -> bool:
    """Whether a file is a qlog, by its first bytes."""
    start = sources.start_of(file).lstrip()
    return start[:1] in (RS, b"{") and (b'"qlog_version"' in start or b"params:qlog" in start)


def read(files: Sequence[str]) -> Capture:
    """Reads the connections of qlogs. Raises RequestError where one is none, or tells no data."""
    warnings: list[str] = []
    traces = [trace for file in files for trace in _traces(file, warnings)]
    told = [trace for trace in traces if trace.streams or trace.plain]
    if not told:
        raise RequestError(f"{files[0]} holds no data: no packets were sent or received in it")
    empty = len(traces) - len(told)
    if empty:
        warnings.append(f"{empty} traces without data were left out")
    apart = _set_apart(told)
    if apart > 1:
        warnings.append(
            f"{apart} of {len(told)} traces have no reference_time: which ran at the same time is "
            "not known, so each is replayed alone; write it in common_fields, or record packets"
        )
    told.sort(key=lambda trace: trace.begun_s + trace.start)
    connections = connection_frame([trace.row(n) for n, trace in enumerate(told)])
    transfers = transfer_frame([row for n, trace in enumerate(told) for row in trace.rows(n)])
    return Capture(
        files=tuple(files),
        connections=connections,
        transfers=transfers,
        groups=_groups(told),
        about={
            "format": "qlog",
            "link_types": [],
            "packets": sum(sum(trace.packets) for trace in told),
            "unreadable": sum(trace.bad for trace in told),
            "recovery": [trace.recovery() for trace in told],
        },
        warnings=warnings,
        notes=[
            "a qlog is one endpoint's: what it sent may have been lost, what it received arrived",
            "transfers: what a stream carries in one direction; without stream frames, all packets",
            "RTT: the first sample of the endpoint; rates and buffers of paths are not known",
        ],
    )


APART_S = 7200.0
"""Between traces of which no time is known: longer than any state of a replay lives."""


def _set_apart(traces: Sequence[Trace]) -> int:
    """Puts traces without a reference time one after another; returns how many there are.

    Their clocks start at zero each. Read as one clock, all of them would begin at once.
    """
    unknown = [trace for trace in traces if trace.begin_s is None]
    free_s = max(
        (trace.begun_s + trace.last for trace in traces if trace.begin_s), default=-APART_S
    )
    for trace in unknown:
        trace.begin_s = free_s + APART_S - min(trace.start, 0.0)
        free_s = trace.begin_s + trace.last
    return len(unknown)


def _traces(file: str, warnings: list[str]) -> Iterator[Trace]:
    """The traces of a file, whole as far as it can be read."""
    with sources.opened(file) as stream:
        if stream.read(1) == RS:
            yield _sequence(file, stream, warnings)
        else:
            yield from _contained(file, stream)


def _sequence(file: str, stream: IO[bytes], warnings: list[str]) -> Trace:
    """A JSON-SEQ file: its header, then a record for each event."""
    records = _records(file, stream)
    header = next(records, None)
    if header is None:
        raise RequestError(f"{file} is no qlog: its first record is no JSON object")
    trace, clock = _begun(file, table(header.get("trace")), 0)
    bad = 0
    for record in records:
        if record is None:
            bad += 1
            continue
        _take(trace, clock, record)
    if bad:
        what = (
            "records are no JSON objects and were"
            if bad > 1
            else "record is no JSON object and was"
        )
        warnings.append(f"{file}: {bad} {what} left out")
    return trace


def _records(file: str, stream: IO[bytes]) -> Iterator[dict[str, Any] | None]:
    """One object a line; None for what is none."""
    for number in itertools.count(1):
        line = stream.readline(MOST_RECORD)
        if not line:
            return
        if len(line) == MOST_RECORD:
            raise RequestError(f"{file}, record {number}: it is longer than {MOST_RECORD} bytes")
        if line.strip(RS + b" \t\r\n"):
            yield _object(line.lstrip(RS))


def _object(text: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _contained(file: str, stream: IO[bytes]) -> Iterator[Trace]:
    """A file of JSON: all traces in one object."""
    text = b"{" + stream.read(MOST_JSON)
    if len(text) > MOST_JSON:
        raise RequestError(
            f"{file}: a qlog in one piece of JSON of more than {MOST_JSON >> 20} MiB; as JSON-SEQ "
            "it may have any length"
        )
    whole = _object(text)
    if whole is None:
        raise RequestError(f"{file} is cut or damaged: it is no JSON object")
    traces = whole.get("traces")
    for number, described in enumerate(traces if isinstance(traces, list) else []):
        trace, clock = _begun(file, table(described), number)
        events = table(described).get("events")
        for event in events if isinstance(events, list) else []:
            _take(trace, clock, table(event))
        yield trace


def _begun(file: str, described: dict[str, Any], number: int) -> tuple[Trace, Clock]:
    """A trace by its description, and its clock."""
    point = table(described.get("vantage_point"))
    side = point.get("flow") if point.get("type") == "network" else point.get("type")
    common = table(described.get("common_fields"))
    form = str(common.get("time_format", "relative"))
    begin_ms = _reference(common.get("reference_time"))
    name = described.get("title") or common.get("group_id") or common.get("ODCID")
    trace = Trace(
        file=file,
        by_server=side == "server",
        name=str(name or f"trace {number + 1} of {file}"),
        # Absolute times are since 1970 also where they have no reference.
        begin_s=begin_ms / 1e3 if begin_ms or form == "absolute" else None,
    )
    return trace, Clock(form, begin_ms)


def _reference(reference: Any) -> float:
    """Milliseconds since 1970 of a number (0.3) or of a clock's description (0.4); 0 for none."""
    if isinstance(reference, dict):
        text = reference.get("wall_clock_time") or reference.get("epoch")
        try:
            moment = datetime.datetime.fromisoformat(str(text))
        except ValueError:
            return 0.0
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=datetime.UTC)
        return max(0.0, moment.timestamp() * 1e3)
    return max(0.0, number_of(reference) or 0.0)


def _take(trace: Trace, clock: Clock, event: dict[str, Any]) -> None:
    time, name = number_of(event.get("time")), event.get("name")
    if time is None or not isinstance(name, str):
        trace.bad += 1
        return
    trace.take(clock.seconds(time), name, table(event.get("data")))


def _groups(traces: Iterable[Trace]) -> list[Group]:
    """The peers' networks, those with the most data first."""
    by_network: dict[str, list[Trace]] = {}
    for trace in traces:
        by_network.setdefault(trace.network, []).append(trace)
    groups = [_group(name, mine) for name, mine in by_network.items()]
    return sorted(groups, key=lambda g: -(g.to_remote.bytes + g.from_remote.bytes))


def _group(name: str, traces: Sequence[Trace]) -> Group:
    own = sum(trace.sizes()[trace.by_server] for trace in traces)
    theirs = sum(trace.sizes()[not trace.by_server] for trace in traces)
    packets = sum(trace.packets[trace.by_server] for trace in traces)
    lost = sum(trace.lost for trace in traces)
    return Group(
        network=name,
        connections=len(traces),
        min_rtt_s=min((trace.rtts[-1] for trace in traces if trace.rtts), default=None),
        to_remote=PathEstimate.unknown(own, NOT_TOLD, packets=packets, repeated=lost),
        from_remote=PathEstimate.unknown(theirs, NOT_TOLD),
    )
