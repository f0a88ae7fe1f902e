"""What a server log may have in its columns, with the units of each."""

from dataclasses import dataclass

from flowstart.captures.durations import UNKNOWN

SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
BYTES = {"B": 1.0, "kB": 1e3, "MB": 1e6}
RATES = {"bps": 1.0, "kbps": 1e3, "Mbps": 1e6, "Gbps": 1e9, "Bps": 8.0}
PACKETS = {"packets": 1.0}
SEGMENTS = {"segments": 1.0}
TCP = {"data_packets": PACKETS, "retransmitted_packets": PACKETS, "mss": BYTES,
       "initial_window": SEGMENTS, "startup_exit_cwnd": SEGMENTS, "startup_exit_reason": {},
       "congestion_control": {}, "handshake_window": BYTES, "widest_window": BYTES}  # fmt: skip
"""What the kernel knows of a sender, which `flowstart collect` writes, with units."""
UNITS = {"time": SECONDS, "end": SECONDS, "rtt": SECONDS, "rttvar": SECONDS, "duration": SECONDS,
         "backend": SECONDS, "bytes": BYTES, "rate": RATES, "cwnd": PACKETS, "peer": {},
         "server": {}, "connection": {}, **TCP}  # fmt: skip
"""What a log may have, with the units of each. `time` is the start of a request, `end` the end of
its response, `backend` the time from the request to the first byte of the response."""
TEXTS = ("peer", "server", "connection", "startup_exit_reason", "congestion_control")
"""What names something."""
USUAL = {"time": "s", "end": "s", "bytes": "B", "cwnd": "packets", "data_packets": "packets",
         "retransmitted_packets": "packets", "mss": "B", "handshake_window": "B",
         "widest_window": "B"}  # fmt: skip
"""Units that need not be given: seconds since 1970, bytes, and packets."""


@dataclass(frozen=True)
class SourceColumn:
    """The column that something is taken from."""

    column: str
    unit: str
    kind: str = UNKNOWN
    """Of a duration: its kind."""

    @property
    def text(self) -> str:
        """The column with its unit."""
        return self.column + (f" ({self.unit})" if self.unit else "")

    def meaning(self, what: str, unit: str) -> str:
        """The column with another unit, as `--columns` takes it: `rtt=rtt_us:ms`."""
        kind = "" if self.kind == UNKNOWN else f":{self.kind}"
        return f"{what}={self.column}:{unit}{kind}"


@dataclass(frozen=True)
class Doubt:
    """A column that probably has another unit, or is not what it is taken for."""

    text: str
    """What is wrong."""
    columns: str = ""
    """The remedy, as `--columns` takes it: `rtt=rtt_us:ms`; empty where no unit is one."""
    choices: str = ""
    """What may be in the place of its unit."""

    @property
    def line(self) -> str:
        """What is wrong, with the remedy."""
        remedy = f"; name it, such as --columns {self.columns}" * bool(self.columns)
        return self.text + remedy + f" ({self.choices})" * bool(self.choices)
