"""What the durations in server logs measure, and what they say about a path.

Servers stop the clock when the kernel has taken the last byte of a response. It is then in the
socket's send buffer, and the client may have it seconds later. Sources, by server:

- nginx, `$request_time` (ngx_http_log_module): from the first byte of the request to the log write
  after the last byte was sent to the client.
- Apache httpd, `%D` and `%T` (mod_log_config): the time taken to serve the request; the row is
  written when the last bucket has been written to the socket.
- HAProxy, `Ta` (configuration manual, "Timing events"): from the request's first byte to the
  emission of the last byte, which may still be in the kernel. `Td` is its part after the backend.
- Envoy, `%DURATION%` (access logging): from the start of the request to the last byte out.
- Caddy, `duration` (`log` directive): the time of the handler, which writes to the socket.
- Traefik, `Duration` (access logs): the time to process the request, with the origin's response.
- Squid, elapsed time (native log): from the request to the last byte of the response sent.
- Varnish, `%D` and `%T` (varnishncsa): the time taken to serve the request.
- CloudFront, `time-taken` (standard logging reference): to the last byte in the output queue; its
  page names TCP buffering as the difference to what a viewer measures.
- flowstart collect, `acked_us`: from the first data sent to its last acknowledgement.
- IIS, `time-taken` (Microsoft, KB 944884): from the first byte of the request to the last send
  completion, for which HTTP.sys usually waits until the client has acknowledged it.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class DurationKind:
    """The end of a duration, and where it may start."""

    end: str
    """The event at which the clock stops."""
    spans: Mapping[float, str]
    """By the round trips beyond those from the first data sent to its last acknowledgement; empty
    where the duration implies no rate."""

    @property
    def gives_rates(self) -> bool:
        """Whether the data have left the path when the duration ends."""
        return bool(self.spans)

    @property
    def bounds_rates(self) -> bool:
        """Whether a path's rate is bounded from below only."""
        return self is KINDS["written"]


KINDS = {
    "written": DurationKind("the last byte is in the socket's send buffer", {}),
    "acked": DurationKind(
        "the last byte is acknowledged",
        {
            0.0: "from the first data sent to its last acknowledgement",
            1.5: "from the client's SYN to the last acknowledgement",
        },
    ),
    "received": DurationKind(
        "the client has the last byte",
        {
            -0.5: "from the first data sent until the client has the last byte",
            0.0: "from the client's request until it has the last byte",
            1.0: "from the client's SYN until it has the last byte",
        },
    ),
    "unknown": DurationKind("an event that the log does not name has happened", {}),
}
"""The kinds of duration, by the word that names one in `--columns`."""
UNKNOWN = "unknown"
NAMED = tuple(name for name in KINDS if name != UNKNOWN)
"""The kinds that `--columns` takes."""
OF_COLUMN = {
    "acked_us": "acked",
    "request_time": "written",
    "%D": "written",
    "%T": "written",
    "%{ms}T": "written",
    "Ta": "written",
    "%DURATION%": "written",
}
"""The kinds of columns that are known by name."""
EDGE = "x-edge-"
"""Columns with this prefix are CloudFront's."""
TIME_TAKEN = "time-taken"
"""A column of IIS (milliseconds, acknowledged) and of CloudFront (seconds, written)."""


def of_column(name: str) -> str:
    """The kind of a column's durations, by its name alone."""
    return OF_COLUMN.get(name, UNKNOWN)
