"""qlog: what an endpoint of QUIC logged of its own connection, read as a capture.

The main schema in its versions 0.3 and 0.4 (draft-ietf-quic-qlog-main-schema), as JSON or as
JSON-SEQ (RFC 7464), with the events of draft-ietf-quic-qlog-quic-events. A transfer is what one
stream carries in one direction.
"""

import datetime
import itertools
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Any

from flowstart.captures import sources
from flowstart.captures.contents import Capture
from flowstart.captures.endpoint_frames import connection_frame, transfer_frame
from flowstart.captures.groups import Group, PathEstimate
from flowstart.captures.qlog_trace import Clock, Trace, number_of, table
from flowstart.errors import RequestError

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
    told.sort(key=lambda trace: trace.start)
    empty = len(traces) - len(told)
    if empty:
        warnings.append(f"{empty} traces without data were left out")
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
        begin_s=begin_ms / 1e3,
    )
    return trace, Clock(form, begin_ms)


def _reference(reference: Any) -> float:
    """Milliseconds since 1970 of a number (0.3) or of a clock's description (0.4)."""
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
