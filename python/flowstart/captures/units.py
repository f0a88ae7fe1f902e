"""What a server log may have in its columns, with the units of each."""

from dataclasses import dataclass

from flowstart.captures.durations import UNKNOWN

SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
BYTES = {"B": 1.0, "kB": 1e3, "MB": 1e6}
RATES = {"bps": 1.0, "kbps": 1e3, "Mbps": 1e6, "Gbps": 1e9, "Bps": 8.0}
UNITS = {"time": SECONDS, "end": SECONDS, "rtt": SECONDS, "rttvar": SECONDS, "duration": SECONDS,
         "backend": SECONDS, "bytes": BYTES, "rate": RATES, "cwnd": {"packets": 1.0}, "peer": {},
         "server": {}, "connection": {}}  # fmt: skip
"""What a log may have, with the units of each. `time` is the start of a request, `end` the end of
its response, `backend` the time from the request to the first byte of the response."""
TEXTS = ("peer", "server", "connection")
"""What names something."""
USUAL = {"time": "s", "end": "s", "bytes": "B", "cwnd": "packets"}
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
