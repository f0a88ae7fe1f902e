"""qlog: what an endpoint of QUIC logged of its own connection, read as a capture.

The main schema from draft-00 (draft-marx-qlog-main-schema) to 0.4
(draft-ietf-quic-qlog-main-schema), as JSON or as JSON-SEQ (RFC 7464), with the events of
draft-marx-qlog-event-definitions-quic-h3 and draft-ietf-quic-qlog-quic-events. A transfer is what
one stream carries in one direction.
"""

import itertools
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, Any

from flowstart.captures import sources
from flowstart.captures.contents import Capture, PathEstimate, RemoteNetwork
from flowstart.captures.frames import connection_frame, network, transfer_frame
from flowstart.captures.qlog_schema import (
    Schema,
    count_of,
    first_count,
    first_text,
    number_of,
    objects,
    table,
)
from flowstart.captures.qlog_window import CWND, QlogWindow
from flowstart.errors import RequestError

SENT, RECEIVED = "packet_sent", "packet_received"
METRICS = (
    "metrics_updated",
    "recovery_metrics_updated",
    "metric_update",
    "congestion_metric_update",
)
"""Events with RTTs and windows, by the drafts and by mvfst."""
STARTED = ("connection_started", "connection_new", "connection_attempt")
"""Events with the addresses of a connection."""
ESTABLISHED = ("active", "handshake_complete", "handshake_completed", "handshake_confirmed")
"""States of a connection whose handshake is complete."""
Address = tuple[str | None, int | None]


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
    unit_ms: float = 1.0
    """Of RTTs."""
    bad: int = 0
    client: Address = (None, None)
    server: Address = (None, None)
    established: bool = False
    """There is proof of a complete handshake."""
    typed: bool = False
    """Some packet has a type."""
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
    window: QlogWindow = field(default_factory=QlogWindow)
    flight: int | None = None
    """The largest number of bytes in flight."""

    def take(self, time: float, kind: str, data: dict[str, Any]) -> None:
        """Takes an event into account."""
        if kind in (SENT, RECEIVED):
            self._packet(time, int(self.by_server == (kind == SENT)), data)
        elif kind in METRICS:
            self._metrics(data)
            self.window.metrics(data, self.unit_ms)
        elif kind == "parameters_set":
            self.window.parameters(data)
        elif kind == "congestion_state_updated":
            self.window.state(data)
        elif kind == "packet_lost":
            self.lost += 1
        elif kind == "packets_lost":
            self.lost += count_of(data.get("lost_packets")) or 0
        elif kind == "connection_state_updated":
            self.established |= data.get("new") in ESTABLISHED
        elif kind in STARTED:
            self._started(data)
        elif kind in ("datagram_sent", "datagram_received"):
            # picoquic has addresses here only.
            mine, peers = ("addr_from", "addr_to")[:: 1 if kind == "datagram_sent" else -1]
            self._ends(_address(table(data.get(mine))), _address(table(data.get(peers))))

    def _packet(self, time: float, sender: int, data: dict[str, Any]) -> None:
        if not any(self.packets):
            self.start = time
        self.last = max(self.last, time)
        self.packets[sender] += 1
        header = table(data.get("header"))
        form = first_text(header, "packet_type") or first_text(data, "packet_type")
        self.typed |= form is not None
        # Only the client needs a complete handshake to send these (RFC 9001, section 5.7).
        self.established |= sender == 0 and (form or "").lower() == "1rtt"
        for frame in objects(data.get("frames")):
            self._frame(time, sender, frame)
        length = count_of(table(data.get("raw")).get("length"))
        length = length or first_count(header, "packet_size") or first_count(data, "packet_size")
        if length:
            plain = self.plain.setdefault(sender, Stream(time, time))
            plain.size, plain.end = plain.size + length, time

    def _frame(self, time: float, sender: int, frame: dict[str, Any]) -> None:
        kind = str(frame.get("frame_type")).lower()
        self.established |= kind == "handshake_done"
        number, offset = first_count(frame, "stream_id", "id"), count_of(frame.get("offset"))
        length = first_count(frame, "length", "len")
        if length is None:
            length = first_count(table(frame.get("raw")), "payload_length")
        if kind != "stream" or number is None or not length:
            return
        end = (offset or 0) + length
        stream = self.streams.setdefault((sender, number), Stream(time, time))
        if end > stream.size:
            stream.size, stream.end = end, time

    def _metrics(self, data: dict[str, Any]) -> None:
        for name in ("latest_rtt", "min_rtt"):
            sample_ms = (number_of(data.get(name)) or 0.0) * self.unit_ms
            if sample_ms > 0:
                first = self.rtts[0] if self.rtts else sample_ms / 1e3
                self.rtts = [first, min(self.rtts[-1] if self.rtts else first, sample_ms / 1e3)]
                break
        window = first_count(data, *CWND)
        if window:
            first_window = self.windows[0] if self.windows else window
            self.windows = [first_window, max(*self.windows, window, 0)]
        flight = count_of(data.get("bytes_in_flight"))
        if flight is not None:
            self.flight = max(self.flight or 0, flight)

    def _started(self, data: dict[str, Any]) -> None:
        def end(side: str) -> Address:
            return first_text(data, f"{side}_ip"), count_of(data.get(f"{side}_port"))

        # The source logs; 0.4 has local and remote (quic-events, section 4.2).
        self._ends(end("src"), end("dst"))
        self._ends(_address(table(data.get("local"))), _address(table(data.get("remote"))))

    def _ends(self, mine: Address, peers: Address) -> None:
        client, server = (peers, mine) if self.by_server else (mine, peers)
        self.client = client if client[0] and not self.client[0] else self.client
        self.server = server if server[0] and not self.server[0] else self.server

    @property
    def complete(self) -> bool:
        """Whether the handshake is complete, as far as the packets have types."""
        return self.established or not self.typed

    def carried(self) -> dict[tuple[int, int], Stream]:
        """What the streams carried, or else the packets; nothing without a complete handshake."""
        if not self.complete:
            return {}
        return self.streams or {(sender, 0): packets for sender, packets in self.plain.items()}

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
        sums = [0, 0]
        for (sender, _), stream in self.carried().items():
            sums[sender] += stream.size
        return sums[0], sums[1]

    def row(self, number: int) -> dict[str, Any]:
        """The connection, in the columns of a capture that it tells."""
        sizes = self.sizes()
        way = "s2c" if self.by_server else "c2s"
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
            "handshake": "complete" if self.complete else "incomplete",
            "rtt_s": self.rtts[0] if self.rtts else None,
            "c2s_bytes": sizes[0],
            "s2c_bytes": sizes[1],
            "c2s_packets": self.packets[0],
            "s2c_packets": self.packets[1],
            f"{way}_retransmissions": self.lost,
            **self.window.columns(way),
            "end_s": self.last - self.start,
            "copies": 0,
            "flags": "",
        }

    def rows(self, number: int) -> Iterator[dict[str, Any]]:
        """The transfers."""
        ordered = sorted(self.carried().items(), key=lambda item: item[1].start)
        for (sender, _), stream in ordered:
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
            "max_bytes_in_flight": self.flight,
            "packets_lost": self.lost,
        }


def _address(written: dict[str, Any]) -> Address:
    """An endpoint with its address by IP version (0.4; picoquic)."""
    return first_text(written, "ip_v4", "ip_v6"), first_count(written, "port_v4", "port_v6")


RS = b"\x1e"
"""Begins each record of a JSON-SEQ file."""
MOST_JSON = 256 << 20
"""JSON in one piece is held in memory: a longer file is refused. Bytes"""
MOST_RECORD = 1 << 20
"""A longer record of JSON-SEQ is damage. Bytes"""
NOT_TOLD = "not estimated: a qlog has only its endpoint's view"


def read(files: Sequence[str]) -> Capture:
    """Reads the connections of qlogs. Raises RequestError where one is none, or tells no data."""
    warnings: list[str] = []
    traces: list[Trace] = []
    for file in files:
        with sources.about(file):
            traces += _traces(file, warnings)
    told = [trace for trace in traces if any(trace.packets)]
    if not told:
        raise RequestError(f"{files[0]} holds no data: no packets were sent or received in it")
    failed = sum(not trace.complete for trace in told)
    if failed:
        warnings.append(
            f"{failed} of {len(told)} handshakes are not complete: they carry no transfers"
        )
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
        raise RequestError(f"{file} is not a qlog: its first record is not a JSON object")
    described = table(header.get("trace"))
    schema = Schema(described)
    trace = _begun(file, described, schema, 0)
    bad = 0
    for record in records:
        if record is None:
            bad += 1
            continue
        _take(trace, schema, record)
    if bad:
        what = (
            "records are no JSON objects and were"
            if bad > 1
            else "record is not a JSON object and was"
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
        raise RequestError(f"{file} is cut or damaged: it is not a JSON object")
    traces = whole.get("traces")
    for number, described in enumerate(objects(traces)):
        schema = Schema(described)
        trace = _begun(file, described, schema, number)
        events = described.get("events")
        for event in events if isinstance(events, list) else []:
            _take(trace, schema, event)
        yield trace


def _begun(file: str, described: dict[str, Any], schema: Schema, number: int) -> Trace:
    """A trace by its description."""
    point = table(described.get("vantage_point"))
    side = point.get("flow") if point.get("type") == "network" else point.get("type")
    common = table(described.get("common_fields"))
    name = described.get("title") or common.get("group_id") or common.get("ODCID")
    return Trace(
        file=file,
        by_server=side == "server",
        name=str(name or f"trace {number + 1} of {file}"),
        begin_s=schema.begin_s,
        unit_ms=schema.unit_ms,
    )


def _take(trace: Trace, schema: Schema, written: Any) -> None:
    event = schema.event(written)
    if event is None:
        trace.bad += 1
    else:
        trace.take(*event)


def _groups(traces: Iterable[Trace]) -> list[RemoteNetwork]:
    """The peers' networks, those with the most data first."""
    by_network: dict[str, list[Trace]] = {}
    for trace in traces:
        by_network.setdefault(trace.network, []).append(trace)
    groups = [_group(name, mine) for name, mine in by_network.items()]
    return sorted(groups, key=lambda g: -(g.to_remote.bytes + g.from_remote.bytes))


def _group(name: str, traces: Sequence[Trace]) -> RemoteNetwork:
    own = sum(trace.sizes()[trace.by_server] for trace in traces)
    theirs = sum(trace.sizes()[not trace.by_server] for trace in traces)
    packets = sum(trace.packets[trace.by_server] for trace in traces)
    lost = sum(trace.lost for trace in traces)
    return RemoteNetwork(
        network=name,
        connections=len(traces),
        min_rtt_s=min((trace.rtts[-1] for trace in traces if trace.rtts), default=None),
        to_remote=PathEstimate.unknown(own, NOT_TOLD, packets=packets, repeated=lost),
        from_remote=PathEstimate.unknown(theirs, NOT_TOLD),
    )
