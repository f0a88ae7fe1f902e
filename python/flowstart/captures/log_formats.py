"""The forms of server logs that are read: how rows are written, and what their names mean.

Sources of the forms: Apache httpd, mod_log_config ("Common" and "Combined Log Format"); nginx,
ngx_http_log_module; Squid, "Access log native format"; HAProxy configuration manual, "HTTP log
format"; Envoy, "Access logging" (default format string); Traefik, "Access logs" (fields); Caddy,
`log` directive; Amazon S3, "Server access log format"; W3C, "Extended Log File Format"
(WD-logfile-960323), which IIS and CloudFront write.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Layout(StrEnum):
    """How the rows of a log are written."""

    PARQUET = "Parquet"
    JSON = "JSON lines"
    DELIMITED = "table of text"
    W3C = "W3C extended log"
    LINES = "lines of text"


@dataclass(frozen=True)
class LogFormat:
    """One form of server log."""

    name: str
    layout: Layout
    columns: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """What columns are and their units, where the server decides it and not the name alone."""
    durations: str = "unknown"
    """The kind of the durations among these columns."""
    pattern: str = ""
    """Of lines of text: a regular expression whose groups are the columns."""
    marks: frozenset[str] = frozenset()
    """Of JSON lines: names by which they are recognized."""
    further: str = ""
    """Of lines of text: the regular expression of those with more fields than are read."""
    missing: Mapping[str, str] = field(default_factory=dict)
    """How the server is made to write what is needed, if it is not among the columns."""


SYSLOG = r"^(?:<\d+>)?(?:(?:[A-Z][a-z]{2} [ \d]\d [\d:]{8}|\d{4}-\d\d-\d\dT\S+) \S+ \S+: ?)?"
"""What a syslog server puts before a line (RFC 3164; RFC 3339 times)."""
W3C_MOMENT = "date+time"
"""One column for `date` and `time`, which are in UTC."""
HAPROXY = {
    "request_date": ("time", "s"),
    "accept_date": ("time", "s"),
    "client_ip": ("peer", ""),
    "Ta": ("duration", "ms"),
    "Tr": ("backend", "ms"),
    "bytes_read": ("bytes", "B"),
}
TEXT = (
    LogFormat(
        "combined or common log",
        Layout.LINES,
        # A virtual host with its port may come first (Apache's vhost_combined).
        pattern=SYSLOG + r"(?:[^\s:]+:\d+ )?(?P<remote_addr>\S+) \S+ [^\[]+ "
        r'\[(?P<time_local>[^\]]+)\] "(?:[^"\\]|\\.)*" (?:\d{3}|-) '
        r"(?P<body_bytes_sent>\d+|-)(?:\s|$)",
        further=r'" (?:\d{3}|-) (?:\d+|-) (?:"(?:[^"\\]|\\.)*" "(?:[^"\\]|\\.)*" \S|[^"\s])',
    ),
    LogFormat(
        "Squid's native log",
        Layout.LINES,
        {
            "timestamp": ("end", "s"),
            "elapsed": ("duration", "ms"),
            "client": ("peer", ""),
            "bytes": ("bytes", "B"),
        },
        durations="written",
        pattern=SYSLOG + r"(?P<timestamp>\d+\.\d{3})\s+(?P<elapsed>-?\d+)\s+(?P<client>\S+)\s+"
        r"[A-Z_]+/\d{3}\s+(?P<bytes>\d+)\s+\S+\s",
    ),
    LogFormat(
        "S3's access log",
        Layout.LINES,
        {
            "time": ("time", ""),
            "remote_ip": ("peer", ""),
            "total_time": ("duration", "ms"),
            "turn_around_time": ("backend", "ms"),
            "bytes_sent": ("bytes", "B"),
        },
        durations="written",
        pattern=r"^\S+ \S+ \[(?P<time>[^\]]+)\] (?P<remote_ip>\S+) \S+ \S+ \S+ \S+ "
        r'"(?:[^"\\]|\\.)*" '
        r"(?:\d{3}|-) \S+ (?P<bytes_sent>\d+|-) \S+ (?P<total_time>\d+|-) "
        r"(?P<turn_around_time>\d+|-) ",
    ),
    LogFormat(
        "HAProxy's HTTP log",
        Layout.LINES,
        HAPROXY,
        durations="written",
        pattern=r"^(?:.*?\]: )?(?P<client_ip>\S+):\d+ \[(?P<request_date>[^\]]+)\] \S+ \S+/\S+ "
        r"-?\d+/-?\d+/-?\d+/(?P<Tr>-?\d+)/\+?(?P<Ta>\d+) -?\d+ \+?(?P<bytes_read>\d+) ",
    ),
    LogFormat(
        "Envoy's default log",
        Layout.LINES,
        {
            "start_time": ("time", ""),
            "x_forwarded_for": ("peer", ""),
            "duration": ("duration", "ms"),
            "upstream_service_time": ("backend", "ms"),
            "bytes_sent": ("bytes", "B"),
        },
        durations="written",
        # Istio has three more fields after the response flags.
        pattern=r'^\[(?P<start_time>[^\]]+)\] "[^"]*" \d+ \S+ (?:\S+ \S+ "[^"]*" )?\d+ '
        r"(?P<bytes_sent>\d+) (?P<duration>\d+|-) (?P<upstream_service_time>\d+|-) "
        r'"(?P<x_forwarded_for>[^"]*)"',
    ),
)
"""Lines of text, each by a regular expression."""
JSON = (
    LogFormat(
        "Caddy's JSON log",
        Layout.JSON,
        {
            "ts": ("end", "s"),
            "duration": ("duration", "s"),
            "size": ("bytes", "B"),
            "request.remote_ip": ("peer", ""),
            "request.remote_addr": ("peer", ""),  # before Caddy 2.5, with the port
        },
        durations="written",
        marks=frozenset({"request", "ts", "duration", "size", "status"}),
    ),
    LogFormat(
        "Traefik's JSON log",
        Layout.JSON,
        {
            "StartUTC": ("time", ""),
            "ClientHost": ("peer", ""),
            "ClientAddr": ("peer", ""),
            "Duration": ("duration", "ns"),
            "OriginDuration": ("backend", "ns"),
            "DownstreamContentSize": ("bytes", "B"),
        },
        durations="written",
        marks=frozenset({"DownstreamContentSize", "Duration"}),
    ),
    LogFormat(
        "Envoy's JSON log",
        Layout.JSON,
        {
            "start_time": ("time", ""),
            "downstream_remote_address": ("peer", ""),
            "duration": ("duration", "ms"),
            "response_duration": ("backend", "ms"),
            "upstream_service_time": ("backend", "ms"),
            "x_envoy_upstream_service_time": ("backend", "ms"),
            "bytes_sent": ("bytes", "B"),
        },
        durations="written",
        marks=frozenset({"start_time", "duration", "bytes_sent"}),
    ),
    LogFormat(
        "CloudFront's JSON log",
        Layout.JSON,
        {W3C_MOMENT: ("end", ""), "time-taken": ("duration", "s")},
        durations="written",
        marks=frozenset({"date", "time", "x-edge-location"}),
    ),
    LogFormat(
        # The manual's names of the aliases %tr, %t, %ci and %B.
        "HAProxy's JSON log",
        Layout.JSON,
        HAPROXY,
        durations="written",
        marks=frozenset({"Ta", "bytes_read"}),
    ),
)
"""JSON lines whose names have a meaning of the server's own."""
JSON_LINES = LogFormat("JSON lines", Layout.JSON)
PARQUET = LogFormat("Parquet", Layout.PARQUET)
TABLE = LogFormat("table of text", Layout.DELIMITED)
NEEDED = {
    "bytes": "add the field sc-bytes to the log (in IIS: Logging, Select Fields, Bytes Sent)",
    "time": "add the fields date and time to the log",
}
W3C = LogFormat("W3C extended log", Layout.W3C, {W3C_MOMENT: ("end", "")}, missing=NEEDED)
"""Of IIS and CloudFront."""
W3C_OTHER = LogFormat(
    "W3C extended log of another server", Layout.W3C, {W3C_MOMENT: ("end", "")}, missing=NEEDED
)
"""The unit and the end of its durations are not known."""
